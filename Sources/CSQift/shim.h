#ifndef CSQIFT_SHIM_H
#define CSQIFT_SHIM_H

// SQLite's C API, and what Swift can't reach by itself. The functions stay `static inline`: the module has no C file.

#include <sqlite3.h>

#if SQLITE_VERSION_NUMBER < 3035000
#error "SQift needs SQLite 3.35 or newer"
#endif

// Newer than 3.35: weak, so that a program built against a new header starts with an older library.

// https://sqlite.org/c3ref/errcode.html, since 3.38
__attribute__((weak)) int sqlite3_error_offset(sqlite3 *db);

// https://sqlite.org/c3ref/changes.html, since 3.37
__attribute__((weak)) sqlite3_int64 sqlite3_changes64(sqlite3 *db);
__attribute__((weak)) sqlite3_int64 sqlite3_total_changes64(sqlite3 *db);

/// The byte offset of the token that the last error is about, or -1.
static inline int sqift_error_offset(sqlite3 *db) {
    return sqlite3_error_offset ? sqlite3_error_offset(db) : -1;
}

static inline sqlite3_int64 sqift_changes(sqlite3 *db) {
    return sqlite3_changes64 ? sqlite3_changes64(db) : sqlite3_changes(db);
}

static inline sqlite3_int64 sqift_total_changes(sqlite3 *db) {
    return sqlite3_total_changes64 ? sqlite3_total_changes64(db) : sqlite3_total_changes(db);
}

/// SQLITE_TRANSIENT and SQLITE_STATIC are casts, which Swift doesn't import.
static inline sqlite3_destructor_type sqift_transient(void) { return SQLITE_TRANSIENT; }
static inline sqlite3_destructor_type sqift_static(void) { return SQLITE_STATIC; }

// C11 atomics for the one flag where a lock would be contended.
static inline int sqift_atomic_load(const int *flag) { return __atomic_load_n(flag, __ATOMIC_ACQUIRE); }
static inline void sqift_atomic_store(int *flag, int value) { __atomic_store_n(flag, value, __ATOMIC_RELEASE); }

#endif
