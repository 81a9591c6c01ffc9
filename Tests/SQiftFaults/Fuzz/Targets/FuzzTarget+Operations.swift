extension FuzzTarget {
    /// Operations of a connection in any order: nothing traps, and what is there is what a model
    /// says.
    static let operations = FuzzTarget(name: "operations") { input in
        try OperationMachine(input).run()
    }
}
