/// What the command line says.
struct Options {
    var folders: [String] = []
    /// The folders of the targets that this one uses: they are read, and nothing is said of them.
    var usedFolders: [String] = []
    var schema: String?
    /// The oldest SQLite that the app runs with: 39 for 3.39.
    var oldest: Int?
    var warnsOfNull = true
    var listsCalls = false
    /// Whether a warning fails the check, too.
    var isStrict = false
    /// A file to create when there is no error, for build tools.
    var output: String?

    static let usage = """
        usage: sqift-lint [options] FOLDER|FILE...

        Checks the SQL in the Swift sources of one target.

          --uses FOLDER     a target that this one uses; may be repeated
          --schema FILE     SQL or a database in place of the migrations
          --oldest VERSION  warn of SQL that is newer than SQLite 3.39, say
          --no-null         don't warn of NULL
          --list            list each call, and why it wasn't checked
          --strict          end with 1 also for a warning
          --output FILE     create an empty file if there is no error

        """

    init?(_ arguments: ArraySlice<String>) {
        var rest = arguments
        while let argument = rest.popFirst() {
            switch argument {
            case "--no-null": warnsOfNull = false
            case "--list": listsCalls = true
            case "--strict": isStrict = true
            case _ where !argument.hasPrefix("-"): folders.append(argument)
            default:
                guard let value = rest.popFirst() else { return nil }
                switch argument {
                case "--uses": usedFolders.append(value)
                case "--schema": schema = value
                case "--output": output = value
                case "--oldest" where value.hasPrefix("3."):
                    oldest = Int(value.dropFirst(2).prefix { $0 != "." }) ?? 0
                default: return nil
                }
            }
        }
        if folders.isEmpty || oldest ?? 35 < 35 {
            return nil
        }
    }
}
