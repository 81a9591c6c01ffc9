/// Releases an object that SQLite has kept for a C callback; SQLite's destructor for it.
func releaseObject(_ object: UnsafeMutableRawPointer?) {
    if let object {
        Unmanaged<AnyObject>.fromOpaque(object).release()
    }
}
