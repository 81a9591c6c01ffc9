import SQiftTestSupport
import Testing

/// Each folder of the library refers only to the folders before it.
struct LayerTests {
    private static let layers = [
        "Support", "Core", "Values", "Query", "SQLite", "Backup", "Migration", "Concurrency",
        "Database", "Observation", "SQift5",
    ]

    @Test func everyFileIsInALayer() throws {
        for file in try SourceFile.library() {
            let isInLayer = file.layer.map(Self.layers.contains) ?? false
            #expect(isInLayer, "\(file.path):1")
        }
    }

    /// The compiler knows what a folder needs: it gets the folder and those before it.
    @Test(
        .enabled(if: Compiler.obstacle == nil, "programs can't be compiled here"),
        arguments: layers.indices
    )
    func aFolderCompilesWithThoseBeforeIt(index: Int) throws {
        let layers = Self.layers[...index]
        let paths = try SourceFile.library()
            .filter { file in file.layer.map(layers.contains) ?? false }
            .map { "Sources/\($0.path)" }

        let errors = try Compiler.errors(inLibraryOf: paths)

        #expect(errors.isEmpty, "\(Self.layers[index]): \(errors.prefix(5))")
    }

    /// What one has to read to understand any file of a knot is all of it. That of the core is a
    /// connection, its statements and their rows: Docs/internals/Architecture.md draws it.
    @Test func theLargestKnotOfTheCoreStaysSmall() throws {
        let core = try SourceFile.library().filter { $0.layer == "Core" }
        let knot = FileReferences(among: core).largestCycle
        #expect(knot.count <= 20, "\(knot.count) of \(core.count) files: \(knot)")
        #expect(knot.contains("SQift/Core/Connection.swift"))
    }
}
