/// A migration that is written as `Migration(…)` or as a file.
struct MigrationSource {
    let name: String
    let steps: [MigrationStep]
}
