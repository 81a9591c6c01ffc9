import Foundation
import SQift

/// One operation of the library, to be done under every kind of fault.
///
/// It may be done again where it was done already, or was begun: the state is the same after it.
struct Scenario {
    /// What the SQLite in use has to have.
    enum Need {
        case encryption
        case serialization
        case sharedMemory
        case windowFunctions
    }

    enum Trait {
        /// It opens a `Database` through the workplace, which can close it meanwhile.
        case usesDatabase
        /// It awaits through the workplace, which can cancel it meanwhile.
        case isAsynchronous
        /// It writes several files, and each of them is a whole by itself.
        case writesSeveralFiles
        /// It makes a backup only if it is the first run. The next backup would remove the lock of
        /// one that couldn't end, the next run doesn't.
        case backsUpOnce
    }

    let name: String
    var needs: Set<Need> = []
    var traits: Set<Trait> = []
    /// The keys with one of which each database opens, nil for none; empty if all are plain.
    var keys: [Data?] = []

    /// Makes the databases that it begins with.
    var prepare: (Workplace) throws -> Void

    /// Each makes a state that may be found as well, from what it begins with.
    var stages: [(Workplace) throws -> Void] = []

    /// The operation. What it opens it opens through the workplace.
    let run: (Workplace) throws -> Void
}

extension Scenario {
    /// A scenario for a database with a journal of each kind.
    ///
    /// - Parameter run: The operation, with the name of the journal mode.
    static func forEachJournal(
        _ name: String,
        needs: Set<Need> = [],
        traits: Set<Trait> = [],
        prepare: @escaping (Workplace, _ journal: String) throws -> Void = { work, journal in
            try work.makeDatabase(journal: journal)
        },
        stages: [(Workplace) throws -> Void] = [],
        run: @escaping (Workplace, _ journal: String) throws -> Void
    ) -> [Scenario] {
        ["delete", "wal"].map { journal in
            Scenario(
                name: "\(name)-\(journal)",
                needs: needs,
                traits: traits,
                prepare: { try prepare($0, journal) },
                stages: stages,
                run: { try run($0, journal) }
            )
        }
    }

    /// The files in a folder that nothing but another run of the scenario removes.
    func filesLeft(in folder: String) throws -> [String] {
        try fileNames(in: folder).filter { name in
            // SQLite never removes the journal by which an unfinished commit joined two files. It
            // is harmless: no file refers to it any more.
            let isJoiningJournal = name.contains("-mj")
            let isLock = traits.contains(.backsUpOnce) && name.hasSuffix(".backup-lock")
            return !isJoiningJournal && !isLock
        }
    }

    /// Every scenario that the SQLite in use can do.
    static var all: [Scenario] {
        let scenarios = [
            opening, statements, values, transactions, functions, facilities, schema, migrations,
            copies, databaseBackups, accesses, asynchronousAccesses, changes, encrypted,
        ]
        return scenarios.flatMap(\.self).filter { $0.needs.allSatisfy(\.isMet) }
    }
}

extension Scenario.Need {
    var isMet: Bool {
        switch self {
        case .encryption: Keys.areSupported
        case .serialization:
            (try? Connection().serialize()) != nil
        case .sharedMemory:
            (try? Connection(storageLocation: .uri("file:/sqift-faults-need?vfs=memdb"))) != nil
        case .windowFunctions: !Connection.hasCompileOption("OMIT_WINDOWFUNC")
        }
    }
}
