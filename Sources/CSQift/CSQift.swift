// SQLite's C API and the shims, under one name whichever SQLite is linked. A module map links a
// library only if its module is imported.
#if SQLCipher
    @_exported import CSQiftSQLCipher
#else
    @_exported import CSQiftSystem
#endif
