import CSQift
import SQiftTestSupport
import Testing

import SQift

struct ResultCodeTests {
    private static let primaryCodes: [(ResultCode, Int32, String)] = [
        (.ok, SQLITE_OK, "SQLITE_OK"), (.error, SQLITE_ERROR, "SQLITE_ERROR"),
        (.internalError, SQLITE_INTERNAL, "SQLITE_INTERNAL"),
        (.permission, SQLITE_PERM, "SQLITE_PERM"),
        (.abort, SQLITE_ABORT, "SQLITE_ABORT"), (.busy, SQLITE_BUSY, "SQLITE_BUSY"),
        (.locked, SQLITE_LOCKED, "SQLITE_LOCKED"), (.noMemory, SQLITE_NOMEM, "SQLITE_NOMEM"),
        (.readOnly, SQLITE_READONLY, "SQLITE_READONLY"),
        (.interrupt, SQLITE_INTERRUPT, "SQLITE_INTERRUPT"),
        (.ioError, SQLITE_IOERR, "SQLITE_IOERR"), (.corrupt, SQLITE_CORRUPT, "SQLITE_CORRUPT"),
        (.notFound, SQLITE_NOTFOUND, "SQLITE_NOTFOUND"), (.full, SQLITE_FULL, "SQLITE_FULL"),
        (.cantOpen, SQLITE_CANTOPEN, "SQLITE_CANTOPEN"),
        (.protocolError, SQLITE_PROTOCOL, "SQLITE_PROTOCOL"),
        (.empty, SQLITE_EMPTY, "SQLITE_EMPTY"), (.schema, SQLITE_SCHEMA, "SQLITE_SCHEMA"),
        (.tooBig, SQLITE_TOOBIG, "SQLITE_TOOBIG"),
        (.constraint, SQLITE_CONSTRAINT, "SQLITE_CONSTRAINT"),
        (.mismatch, SQLITE_MISMATCH, "SQLITE_MISMATCH"), (.misuse, SQLITE_MISUSE, "SQLITE_MISUSE"),
        (.noLargeFileSupport, SQLITE_NOLFS, "SQLITE_NOLFS"),
        (.authorization, SQLITE_AUTH, "SQLITE_AUTH"),
        (.format, SQLITE_FORMAT, "SQLITE_FORMAT"), (.range, SQLITE_RANGE, "SQLITE_RANGE"),
        (.notADatabase, SQLITE_NOTADB, "SQLITE_NOTADB"), (.notice, SQLITE_NOTICE, "SQLITE_NOTICE"),
        (.warning, SQLITE_WARNING, "SQLITE_WARNING"), (.row, SQLITE_ROW, "SQLITE_ROW"),
        (.done, SQLITE_DONE, "SQLITE_DONE"),
    ]

    /// Each family's members in the order of SQLite's numbers, from 1 up.
    private static let extendedCodes: [(ResultCode, [ResultCode])] = [
        (.busy, [.busyRecovery, .busySnapshot, .busyTimeout]),
        (.locked, [.lockedSharedCache, .lockedVirtualTable]),
        (
            .readOnly,
            [
                .readOnlyRecovery, .readOnlyCantLock, .readOnlyRollback, .readOnlyDatabaseMoved,
                .readOnlyCantInitialize,
                .readOnlyDirectory,
            ]
        ),
        (
            .cantOpen,
            [
                .cantOpenNoTemporaryDirectory, .cantOpenIsDirectory, .cantOpenFullPath,
                .cantOpenConvertPath,
                .cantOpenDirtyWAL, .cantOpenSymlink,
            ]
        ),
        (
            .constraint,
            [
                .constraintCheck, .constraintCommitHook, .constraintForeignKey, .constraintFunction,
                .constraintNotNull,
                .constraintPrimaryKey, .constraintTrigger, .constraintUnique,
                .constraintVirtualTable, .constraintRowID,
                .constraintPinned, .constraintDataType,
            ]
        ),
    ]

    @Test func primaryCodesAreSQLitesNumbersAndNames() {
        for (code, number, name) in Self.primaryCodes {
            #expect(code.rawValue == number)
            #expect(code.description == name)
            #expect(code.primary == code)
            #expect(SQLiteError(code: code).message == String(cString: sqlite3_errstr(number)))
        }
    }

    @Test func extendedCodesExtendTheirPrimaryCode() {
        for (primary, members) in Self.extendedCodes {
            for (position, code) in members.enumerated() {
                #expect(code.rawValue == primary.rawValue | Int32(position + 1) << 8)
                #expect(code.primary == primary)
                #expect(code.description.contains(primary.description))
                #expect(code.description.contains("\(code.rawValue)"))
            }
        }
        #expect(ResultCode.abortRollback.rawValue == SQLITE_ABORT | 2 << 8)
        #expect(ResultCode.errorMissingCollatingSequence.rawValue == SQLITE_ERROR | 1 << 8)
        #expect(ResultCode.errorSnapshot.rawValue == SQLITE_ERROR | 3 << 8)
        #expect(ResultCode.ioErrorFsync.rawValue == SQLITE_IOERR | 4 << 8)
    }

    @Test func aPrimaryCodeMatchesItsExtendedCodesAndNotTheReverse() {
        for (primary, members) in Self.extendedCodes {
            for code in members {
                #expect(primary ~= code)
                #expect(code ~= code)
                #expect(!(code ~= primary))
                #expect(primary != code)
            }
            #expect(primary ~= primary)
        }
        #expect(!(ResultCode.busy ~= .lockedSharedCache))
        #expect(!(ResultCode.constraintUnique ~= .constraintCheck))
    }

    @Test func aSwitchMatchesThePrimaryCode() {
        func family(_ code: ResultCode) -> String {
            switch code {
            case .constraintUnique: "unique"
            case .constraint: "constraint"
            case .busy: "busy"
            default: "other"
            }
        }
        let codes: [ResultCode] = [
            .constraintUnique, .constraintCheck, .constraint, .busySnapshot, .full,
        ]
        #expect(codes.map(family) == ["unique", "constraint", "constraint", "busy", "other"])
    }

    @Test func unknownNumbersAreKept() {
        let code = ResultCode(rawValue: SQLITE_BUSY | 99 << 8)
        #expect(code.rawValue == SQLITE_BUSY | 99 << 8)
        #expect(code.primary == .busy)
        #expect(.busy ~= code)
        #expect(.ioError ~= ResultCode(rawValue: 6922))
        #expect(ResultCode(rawValue: 77).description.contains("77"))
        #expect(Set([code, code, .busy]).count == 2)
    }
}
