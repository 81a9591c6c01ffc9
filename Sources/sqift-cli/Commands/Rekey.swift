import SQift

/// Changes, adds or removes the key of a database.
func rekey(_ arguments: Arguments) throws {
    let path = arguments.operands[0]
    let newKey = try arguments.key("--new-key-file")
    guard DatabaseFile.key != nil || newKey != nil else {
        throw UsageError("rekey needs --key-file, --new-key-file, or both")
    }
    try DatabaseFile(path).refuseSpecialFile()

    try Connection.changeKey(of: path, configuration: DatabaseFile.configuration, to: newKey)
    print("\(path) has \(newKey == nil ? "no key any more" : "the new key")")
}
