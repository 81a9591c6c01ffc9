/// A byte of the sources.
struct Location {
    let file: SourceFile
    let offset: Int
}
