import CSQiftFaults

/// Whether the process's system calls can fail and be recorded. If not, the technique is left out.
func seesSystemCalls(_ faultRun: FaultRun) throws -> Bool {
    guard sqift_faults_sees_calls() == 0 else { return true }
    #if canImport(Glibc)
        throw Broken(description: "the libraries don't call the functions of the program")
    #else
        faultRun.note("left out: this system doesn't let its functions be replaced")
        return false
    #endif
}
