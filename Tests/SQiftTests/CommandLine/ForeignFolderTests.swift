import Foundation
import SQift
import SQiftTestSupport
import Testing

/// Folders as dbmate, goose, golang-migrate and sqlx-cli make them.
@Suite(.builtTool) struct ForeignFolderTests {
    private static let create = "CREATE TABLE users (id INTEGER PRIMARY KEY);"

    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path()
    }

    /// Expects that nothing runs, whatever the options, and that the message has these parts.
    private func expectRefused(
        _ scripts: MigrationFolder,
        _ parts: String...,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        for options in [[], ["--dry-run"], ["--json"], ["--schema", folder.path("Schema.sql")]] {
            let run = try ToolRun(["migrate", path, scripts.folder.url.path] + options)
            run.expect(1, sourceLocation: sourceLocation)
            for part in parts {
                #expect(run.errors.contains(part), "\(run.errors)", sourceLocation: sourceLocation)
                #expect(options != ["--json"] || run.output.contains(part))
            }
        }
        let hasTable = try Connection(path: path).tableExists("users")
        #expect(!hasTable, sourceLocation: sourceLocation)
    }

    private func expectRuns(
        _ scripts: MigrationFolder,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try ToolRun(["migrate", path, scripts.folder.url.path])
            .expect(0, sourceLocation: sourceLocation)
        let hasTable = try Connection(path: path).tableExists("users")
        #expect(hasTable, sourceLocation: sourceLocation)
    }

    @Test func dbmates() throws {
        let name = "20240501120000_create_users.sql"
        let up = "-- migrate:up\n\(Self.create)\n\n"
        let scripts = try MigrationFolder()
        try scripts.write(Data("\(up)-- migrate:down\nDROP TABLE users;\n".utf8), to: name)
        try expectRefused(
            scripts,
            "\(name), line 4) begins a down part, which SQift would run too: delete it",
            "(-- migrate:down)"
        )
        try scripts.write(Data(up.utf8), to: name)
        try expectRuns(scripts)
    }

    @Test func gooses() throws {
        let name = "00001_create_users.sql"
        let up = """
            -- +goose Up
            -- +goose StatementBegin
            \(Self.create)
            -- +goose StatementEnd

            """
        let scripts = try MigrationFolder()
        let down = "-- +goose Down\n-- +goose StatementBegin\nDROP TABLE users;\n"
        try scripts.write(Data("\(up)\n\(down)-- +goose StatementEnd\n".utf8), to: name)
        try expectRefused(
            scripts,
            "\(name), line 6) begins a down part, which SQift would run too: delete it",
            "(-- +goose Down)"
        )
        try scripts.write(Data(up.utf8), to: name)
        try expectRuns(scripts)
    }

    @Test(arguments: ["000001_create_users", "20240501120000_create_users"])
    func golangMigratesAndReversibleOnesOfSQLx(name: String) throws {
        let scripts = try MigrationFolder()
        try scripts.write(Data(Self.create.utf8), to: "\(name).up.sql")
        try scripts.write(Data("DROP TABLE users;".utf8), to: "\(name).down.sql")
        try expectRefused(
            scripts,
            "\(name).down.sql is a down migration, but migrations run only forward: move it away"
        )
        try FileManager.default.removeItem(atPath: scripts.folder.path("\(name).down.sql"))
        try expectRuns(scripts)
    }

    /// Those that aren't reversible are as SQift's own.
    @Test func simpleOnesOfSQLx() throws {
        let text = "-- Add migration script here\n\(Self.create)\n"
        try expectRuns(MigrationFolder(["20240501120000_create_users.sql": text]))
    }
}
