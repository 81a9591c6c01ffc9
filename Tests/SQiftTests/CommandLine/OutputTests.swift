import Foundation
import SQift
import SQiftTestSupport
import Testing

@testable import sqift_cli

/// Where the tool writes to doesn't change what it does.
struct OutputTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        for name in ["a.sqlite", "b.sqlite"] {
            try Connection(path: folder.path(name)).execute(
                """
                CREATE TABLE cars(name TEXT);
                INSERT INTO cars VALUES('Audi'), (hex(randomblob(100000)))
                """
            )
        }
        let scripts = folder.url.appendingPathComponent("migrations")
        try FileManager.default.createDirectory(at: scripts, withIntermediateDirectories: true)
        try Data("CREATE TABLE more(a)".utf8)
            .write(to: scripts.appendingPathComponent("1-more.sql"))
    }

    /// Closed, on a full disk, and a pipe that nobody reads.
    static let outputs = [
        "2>&-", ">&- 2>&-", "<&- >&- 2>&-", "2>/dev/full", ">/dev/full 2>&1", "2>&3", ">&3 2>&1",
    ]

    private func status(_ arguments: String, _ output: String) throws -> Int32 {
        let script = """
            mkfifo pipe; : <pipe & exec 3>pipe; wait; rm pipe; exec "$0" \(arguments) \(output)
            """
        return try ToolRun(script: script, in: folder).status
    }

    @Test(.builtTool, arguments: outputs)
    func anOutputThatCannotBeWrittenEndsNoCommand(output: String) async throws {
        #expect(try status("backup a.sqlite new.sqlite --pages=1", output) == 0)
        #expect(try status("restore new.sqlite b.sqlite --pages=1", output) == 0)
        #expect(
            await runCommand(["verify", folder.path("a.sqlite"), folder.path("b.sqlite")]) == 0
        )

        // A result that can't be written is a failure of its command, which has done its work.
        let isLost = output.hasPrefix(">/dev/full")
        #expect(try status("migrate a.sqlite migrations", output) == (isLost ? 1 : 0))
        #expect(try Connection(path: folder.path("a.sqlite")).tableExists("more"))

        #expect(try status("verify a.sqlite b.sqlite", output) == 1)
        #expect(try status("check a.sqlite", output) == (isLost ? 1 : 0))
        #expect(try status("check missing.sqlite", output) == 1)
        #expect(try status("nonsense", output) == 2)
        #expect(try folder.files() == ["a.sqlite", "b.sqlite", "migrations", "new.sqlite"])
    }

    // MARK: A terminal

    #if os(Linux)
        /// What the tool writes to a terminal with so many columns.
        private func errors(of arguments: [String], columns: UInt16) throws -> String {
            let terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY)
            defer { close(terminal) }
            // TIOCSPTLCK and TIOCGPTN, which Swift doesn't import.
            var isLocked: Int32 = 0
            var number: Int32 = 0
            try #require(ioctl(terminal, 0x4004_5431, &isLocked) == 0)
            try #require(ioctl(terminal, 0x8004_5430, &number) == 0)
            var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
            try #require(ioctl(terminal, UInt(TIOCSWINSZ), &size) == 0)
            let otherEnd = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY)

            let process = Process()
            process.executableURL = commandLineTool
            process.arguments = arguments
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle(fileDescriptor: otherEnd)
            try process.run()
            close(otherEnd)

            var output: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 4096)
            // It returns -1 when the tool has ended.
            while case let count = read(terminal, &buffer, buffer.count), count > 0 {
                output += buffer.prefix(count)
            }
            process.waitUntilExit()
            #expect(process.terminationStatus == 0)
            return String(decoding: output, as: UTF8.self)
        }

        @Test(.builtTool, arguments: [1, 20, 40, 60, 100])
        func progressStaysInOneLineOfTheTerminal(columns: Int) throws {
            let arguments = [
                "backup", folder.path("a.sqlite"), folder.path("new.sqlite"), "--pages=1",
            ]
            let output = try errors(of: arguments, columns: UInt16(columns))
                .replacingOccurrences(of: "\u{1B}[K", with: "")
                .replacingOccurrences(of: "\r\n", with: "\n")

            let lines = output.split(separator: "\n")
            #expect(lines.count == 1 || columns == 1)
            let steps = lines.flatMap { $0.split(separator: "\r") }
            #expect(columns == 1 || steps.allSatisfy { $0.count < columns }, "\(steps)")
            #expect(columns == 1 || steps.contains { $0.hasPrefix("[#") })
            #expect(columns < 100 || steps.contains { $0.hasSuffix(" left") })
        }
    #endif
}
