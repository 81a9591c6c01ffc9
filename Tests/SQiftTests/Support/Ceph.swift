#if os(Linux)
    import Foundation
    import Testing

    import SQift

    /// The cluster that `Tests/Distributed/ceph` starts.
    package enum Ceph {
        private static let environment = ProcessInfo.processInfo.environment
        /// The beginning of each URI: a pool and a namespace.
        package static let prefix = environment["SQIFT_CEPH"]
        /// The folder of the cluster, which has the files of its daemons.
        package static let folder = environment["SQIFT_CEPH_FOLDER"] ?? ""

        /// The pool of `prefix`.
        package static var pool: String {
            prefix?.split(separator: "/").last?.split(separator: ":").first.map(String.init) ?? ""
        }

        /// The extension stays in the process, and with it the VFS. This thread opens a database
        /// before others do: the VFS of Ceph 16 connects to the cluster then, and crashes if two
        /// threads are the first.
        private static let registration = Result { () throws -> Void in
            try Connection().loadExtension(at: "libcephsqlite")
            _ = try count("sqlite_schema", on: connect("first.db"))
        }

        package static func register() throws {
            try registration.get()
        }

        package static func location(_ name: String, parameters: String = "") -> StorageLocation {
            .uri("\(prefix ?? "")/\(name)?vfs=ceph\(parameters)")
        }

        package static func connect(_ name: String, parameters: String = "") throws -> Connection {
            let location = location(name, parameters: parameters)
            let connection = try Connection(storageLocation: location)
            try connection.execute("PRAGMA temp_store = MEMORY")
            return connection
        }

        /// - Parameter journalMode: `persist` for one process at a time, `delete` for several.
        package static func open(
            _ name: String,
            journalMode: Database.Configuration.JournalMode = .persist,
            pageSize: Int = 4096
        ) throws -> Database {
            var configuration = Database.Configuration()
            configuration.journalMode = journalMode
            let prepare: @Sendable (Connection) throws -> Void = { connection in
                try connection.execute("PRAGMA page_size = \(pageSize); PRAGMA temp_store = MEMORY")
            }
            configuration.writerConnectionPreparation = prepare
            configuration.readerConnectionPreparation = prepare
            return try Database(storageLocation: location(name), configuration: configuration)
        }

        /// Kills the daemon that stores the data.
        package static func killOSD() throws {
            let text = try String(contentsOfFile: folder + "/osd.pid", encoding: .utf8)
            let identifier = try #require(
                pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines))
            )
            kill(identifier, SIGKILL)
        }

        /// Starts the daemon again, as soon as the killed one has released its files. Returns at
        /// once: waiting for the process would be waiting for the daemon that it leaves.
        package static func startOSD() throws {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/bin/sh")
            let script = """
                sleep 1
                until grep -qa . /proc/$(cat '\(folder)/osd.pid')/cmdline; do
                    ceph-osd -i 0
                    sleep 1
                done
                """
            process.arguments = ["-c", script]
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            try process.run()
        }
    }

    extension Trait where Self == ConditionTrait {
        /// Runs the test only where there is a cluster.
        package static var ceph: Self {
            .enabled(if: Ceph.prefix != nil, "there is no cluster: run Tests/Distributed/ceph")
        }
    }
#endif
