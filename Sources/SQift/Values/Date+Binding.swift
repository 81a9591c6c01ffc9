import Foundation

/// The formatter that dates are written with. Reading a date tries it first, too.
///
/// The default format is `yyyy-MM-dd'T'HH:mm:ss.SSS` in UTC. It sorts by time, and SQLite's date
/// functions understand it.
///
/// Reading or replacing the formatter is safe from any thread. From then on all dates go through
/// the formatter, which is about a hundred times slower than the built-in format. If you need
/// another format, set one that SQLite understands, once, before the first date is bound. Changing
/// the properties of a formatter in use isn't safe.
///
/// SQLite: [Date And Time Functions](https://sqlite.org/lang_datefunc.html)
public var bindingDateFormatter: DateFormatter {
    // Even reading it counts as customizing: the caller may change its properties, which calls no
    // setter here. The library itself uses `current`.
    get {
        DateFormat.customized[0] = 1
        return DateFormat.current.value
    }
    set {
        DateFormat.current.withLock { $0 = newValue }
        DateFormat.customized[0] = 1
    }
}

extension Date: _ConvertedBinding {
    /// Stored as TEXT; read from TEXT, and from INTEGER and REAL as Unix seconds.
    public typealias BindingType = String
    /// An INTEGER or a REAL is a date too.
    public typealias RawBindingType = BindingValue

    /// The time to the nearest millisecond, in UTC. For a year outside 0 to 9999 it is `.null`, and
    /// `bind(to:)` throws.
    public var bindingValue: BindingValue {
        DateFormat.withText(of: self) {
            $0.map { .text(String(decoding: $0, as: UTF8.self)) } ?? .null
        }
    }

    /// Binds the time as a TEXT.
    ///
    /// - Throws: `SQLiteError` (`SQLITE_RANGE`) for a year outside 0 to 9999, whatever the format.
    public func bind(to slot: borrowing ParameterSlot) throws {
        try DateFormat.withText(of: self) { text in
            guard let text else {
                throw slot.failure(.range, "the date's year isn't within 0 to 9999")
            }
            try slot.bind(utf8: text)
        }
    }

    /// Reads a TEXT in any of SQLite's time formats with a date, or a number as Unix seconds.
    ///
    /// - Throws: ``ExtractionError``, also for a year outside 0 to 9999, such as milliseconds make.
    public static func decode(from row: Row, at index: Int) throws -> Date {
        if !DateFormat.isCustom, let date = row.convertLiveText(at: index, DateFormat.parse) {
            return date
        }
        return try row.convert(at: index, form: form(of: row, at: index), _converted)
    }

    private static func form(of row: Row, at index: Int) -> String? {
        guard (try? row.bindingValue(at: index))?.doubleValue != nil else { return _form }
        return
            "Unix seconds in the years 0 to 9999; if it is milliseconds, read a UnixMilliseconds"
    }

    /// The forms that can be read, for errors.
    public static var _form: String? {
        (DateFormat.isCustom ? "the format of bindingDateFormatter, " : "")
            + "yyyy-MM-dd, perhaps with HH:mm, HH:mm:ss or HH:mm:ss.SSS, or Unix seconds"
    }

    /// From a TEXT in any of SQLite's time formats with a date, or a number as Unix seconds. Nil
    /// for a year outside 0 to 9999.
    public static func _converted(from value: BindingValue) -> Date? {
        if case .text(var text) = value {
            let formatted =
                DateFormat.isCustom ? DateFormat.current.withLock { $0.date(from: text) } : nil
            return formatted.flatMap(DateFormat.writable) ?? text.withUTF8(DateFormat.parse)
        }
        return value.doubleValue.flatMap { DateFormat.writable(Date(timeIntervalSince1970: $0)) }
    }
}
