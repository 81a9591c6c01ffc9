#ifndef CSQIFT_SHIM_H
#define CSQIFT_SHIM_H

// What Swift can't reach of SQLite's C API by itself. The file that includes this one has included
// sqlite3.h. The functions stay `static inline`: the modules have no C file.

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#if SQLITE_VERSION_NUMBER < 3035000
#error "SQift needs SQLite 3.35 or newer"
#endif

// Functions that the library in use may lack: its version is older than the header's, or its build
// leaves them out. SQIFT_OPTIONAL declares `sqift_find_NAME()`, which returns the function or null.

// A test defines SQIFT_FINDS_AT_RUN_TIME to try on ELF what Mach-O needs.
#if defined(__APPLE__) || defined(SQIFT_FINDS_AT_RUN_TIME)
// On Mach-O even a weak symbol has to be in the SDK's library, or the program doesn't link.
#include <dlfcn.h>

/// A function of the library that SQLite's other functions come from, or null. Another SQLite in
/// the process may have it too, but can't be handed this one's objects. If that one was loaded
/// first, RTLD_DEFAULT would find it there: hence the library is asked by its own name.
static inline void *sqift_find(const char *name, void **found) {
    // What is missing is remembered by an address that no function has.
    void *missing = found;
    void *function = __atomic_load_n(found, __ATOMIC_ACQUIRE);
    if (!function) {
        Dl_info own, other;
        bool isKnown = dladdr((const void *)&sqlite3_libversion, &own) != 0;
        void *library = isKnown ? dlopen(own.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : 0;
        function = isKnown ? dlsym(library ? library : RTLD_DEFAULT, name) : 0;
        // A library's dependencies are searched too.
        bool isItsOwn = function && dladdr(function, &other) && other.dli_fbase == own.dli_fbase;
        if (!isItsOwn) function = missing;
        // It stays loaded, since the program is linked with it.
        if (library) dlclose(library);
        __atomic_store_n(found, function, __ATOMIC_RELEASE);
    }
    return function == missing ? 0 : function;
}

#define SQIFT_OPTIONAL(name, result, ...) \
    static inline result (*sqift_find_##name(void))(__VA_ARGS__) { \
        static void *found; \
        return (result (*)(__VA_ARGS__))sqift_find("sqlite3_" #name, &found); \
    }
#else
#define SQIFT_OPTIONAL(name, result, ...) \
    __attribute__((weak)) result sqlite3_##name(__VA_ARGS__); \
    static inline result (*sqift_find_##name(void))(__VA_ARGS__) { return sqlite3_##name; }
// Libraries that are too old lack these. Weak, they don't stop the program before it says so.
#pragma weak sqlite3_filename_journal
#pragma weak sqlite3_stmt_isexplain
#endif

// https://sqlite.org/c3ref/txn_state.html, since 3.34
SQIFT_OPTIONAL(txn_state, int, sqlite3 *, const char *)
// https://sqlite.org/c3ref/changes.html, since 3.37
SQIFT_OPTIONAL(changes64, sqlite3_int64, sqlite3 *)
SQIFT_OPTIONAL(total_changes64, sqlite3_int64, sqlite3 *)
// https://sqlite.org/c3ref/errcode.html, since 3.38
SQIFT_OPTIONAL(error_offset, int, sqlite3 *)
// https://sqlite.org/c3ref/load_extension.html, not in Apple's builds
SQIFT_OPTIONAL(load_extension, int, sqlite3 *, const char *, const char *, char **)
// https://sqlite.org/c3ref/serialize.html, optional before 3.36
SQIFT_OPTIONAL(serialize, unsigned char *, sqlite3 *, const char *, sqlite3_int64 *, unsigned int)
// https://sqlite.org/c3ref/deserialize.html, optional before 3.36
SQIFT_OPTIONAL(
    deserialize, int, sqlite3 *, const char *, unsigned char *, sqlite3_int64, sqlite3_int64,
    unsigned int)
// https://www.zetetic.net/sqlcipher/sqlcipher-api/, only in an SQLite that encrypts
SQIFT_OPTIONAL(key, int, sqlite3 *, const void *, int)
SQIFT_OPTIONAL(rekey, int, sqlite3 *, const void *, int)
// https://sqlite.org/c3ref/column_database_name.html, only with SQLITE_ENABLE_COLUMN_METADATA
SQIFT_OPTIONAL(column_database_name, const char *, sqlite3_stmt *, int)
SQIFT_OPTIONAL(column_table_name, const char *, sqlite3_stmt *, int)
SQIFT_OPTIONAL(column_origin_name, const char *, sqlite3_stmt *, int)
// https://sqlite.org/c3ref/create_function.html
SQIFT_OPTIONAL(
    create_window_function, int, sqlite3 *, const char *, int, int, void *,
    void (*)(sqlite3_context *, int, sqlite3_value **), void (*)(sqlite3_context *),
    void (*)(sqlite3_context *), void (*)(sqlite3_context *, int, sqlite3_value **),
    void (*)(void *))

// Functions that are called for each value, row or access. Swift is told that they release no
// object. Otherwise it counts a reference before and after each call, to keep alive what it still
// needs then. They don't call the closures of SQift's users, unlike sqlite3_step, sqlite3_reset and
// others, which must not be declared so. What they may call is a destructor that came through
// `withUnsafeHandle`, with the value that a parameter had before, and the process's error log. What
// those release, the library doesn't need any more: while it makes such a call, whoever called it
// owns the statement, and with it the connection. The same attribute stands before some functions
// below.

#define SQIFT_RELEASES_NOTHING __attribute__((swift_attr("@_effects(releasenone)")))

// https://sqlite.org/c3ref/column_blob.html
SQIFT_RELEASES_NOTHING int sqlite3_column_count(sqlite3_stmt *);
SQIFT_RELEASES_NOTHING sqlite3_value *sqlite3_column_value(sqlite3_stmt *, int);
// https://sqlite.org/c3ref/value_blob.html
SQIFT_RELEASES_NOTHING int sqlite3_value_type(sqlite3_value *);
SQIFT_RELEASES_NOTHING sqlite3_int64 sqlite3_value_int64(sqlite3_value *);
SQIFT_RELEASES_NOTHING double sqlite3_value_double(sqlite3_value *);
SQIFT_RELEASES_NOTHING const unsigned char *sqlite3_value_text(sqlite3_value *);
SQIFT_RELEASES_NOTHING const void *sqlite3_value_blob(sqlite3_value *);
SQIFT_RELEASES_NOTHING int sqlite3_value_bytes(sqlite3_value *);
// https://sqlite.org/c3ref/user_data.html
SQIFT_RELEASES_NOTHING void *sqlite3_user_data(sqlite3_context *);
// https://sqlite.org/c3ref/stmt_status.html
SQIFT_RELEASES_NOTHING int sqlite3_stmt_status(sqlite3_stmt *, int, int);
// https://sqlite.org/c3ref/db_handle.html
SQIFT_RELEASES_NOTHING sqlite3 *sqlite3_db_handle(sqlite3_stmt *);
// https://sqlite.org/c3ref/get_autocommit.html
SQIFT_RELEASES_NOTHING int sqlite3_get_autocommit(sqlite3 *);

// What sets a `ParameterSlot`: the statement's parameter of that number, or with the number 0 the
// result of a function, whose sqlite3_context the target then is.
// https://sqlite.org/c3ref/bind_blob.html and https://sqlite.org/c3ref/result_blob.html

SQIFT_RELEASES_NOTHING static inline int sqift_set_null(sqlite3_stmt *target, int number) {
    if (number) return sqlite3_bind_null(target, number);
    sqlite3_result_null((sqlite3_context *)target);
    return SQLITE_OK;
}

SQIFT_RELEASES_NOTHING static inline int sqift_set_int64(
    sqlite3_stmt *target, int number, sqlite3_int64 value
) {
    if (number) return sqlite3_bind_int64(target, number, value);
    sqlite3_result_int64((sqlite3_context *)target, value);
    return SQLITE_OK;
}

SQIFT_RELEASES_NOTHING static inline int sqift_set_double(
    sqlite3_stmt *target, int number, double value
) {
    if (number) return sqlite3_bind_double(target, number, value);
    sqlite3_result_double((sqlite3_context *)target, value);
    return SQLITE_OK;
}

/// SQLite copies the bytes, or relies on them until the next binding: it is given no destructor. A
/// null pointer, which a buffer without bytes may have, would be NULL. A result that is too big
/// becomes the error SQLITE_TOOBIG.
SQIFT_RELEASES_NOTHING static inline int sqift_set_bytes(
    sqlite3_stmt *target, int number, const void *start, sqlite3_uint64 size, bool isText,
    bool copies
) {
    sqlite3_destructor_type lifetime = copies ? SQLITE_TRANSIENT : SQLITE_STATIC;
    const void *bytes = start ? start : "";
    sqlite3_context *function = (sqlite3_context *)target;
    if (number && isText) {
        return sqlite3_bind_text64(target, number, bytes, size, lifetime, SQLITE_UTF8);
    }
    if (number) return sqlite3_bind_blob64(target, number, bytes, size, lifetime);
    if (isText) sqlite3_result_text64(function, bytes, size, lifetime, SQLITE_UTF8);
    else sqlite3_result_blob64(function, bytes, size, lifetime);
    return SQLITE_OK;
}

SQIFT_RELEASES_NOTHING static inline int sqift_set_zeroblob(
    sqlite3_stmt *target, int number, sqlite3_uint64 size
) {
    if (number) return sqlite3_bind_zeroblob64(target, number, size);
    sqlite3_context *function = (sqlite3_context *)target;
    if (sqlite3_result_zeroblob64(function, size) != SQLITE_OK) {
        sqlite3_result_error_toobig(function);
    }
    return SQLITE_OK;
}

// Variadic functions, which Swift doesn't import.

/// Sets one of a connection's switches to 0 or 1, or leaves it with -1, and returns it in `value`.
/// https://sqlite.org/c3ref/db_config.html
static inline int sqift_db_switch(sqlite3 *db, int operation, int newValue, int *value) {
    return sqlite3_db_config(db, operation, newValue, value);
}

/// Sets the process's error log, before SQLite is initialised. https://sqlite.org/errlog.html
static inline int sqift_config_log(void (*log)(void *, int, const char *)) {
    return sqlite3_config(SQLITE_CONFIG_LOG, log, (void *)0);
}

/// The byte offset of the token that the last error is about, or -1.
static inline int sqift_error_offset(sqlite3 *db) {
    int (*offset)(sqlite3 *) = sqift_find_error_offset();
    return offset ? offset(db) : -1;
}

SQIFT_RELEASES_NOTHING static inline sqlite3_int64 sqift_changes(sqlite3 *db) {
    sqlite3_int64 (*changes)(sqlite3 *) = sqift_find_changes64();
    return changes ? changes(db) : sqlite3_changes(db);
}

SQIFT_RELEASES_NOTHING static inline sqlite3_int64 sqift_total_changes(sqlite3 *db) {
    sqlite3_int64 (*changes)(sqlite3 *) = sqift_find_total_changes64();
    return changes ? changes(db) : sqlite3_total_changes(db);
}

/// As sqlite3_txn_state. A library without it is too old for SQift to open a database with.
SQIFT_RELEASES_NOTHING static inline int sqift_txn_state(sqlite3 *db, const char *schema) {
    int (*state)(sqlite3 *, const char *) = sqift_find_txn_state();
    return state ? state(db, schema) : -1;
}

/// Adds a function to whose object the callbacks belong: a scalar one, which uses `step` alone, an
/// aggregate, or a window function, for which SQLite must have been built. Without an object it
/// removes the function. https://sqlite.org/c3ref/create_function.html
static inline int sqift_create_function(
    sqlite3 *db, const char *name, int count, int flags, void *object, bool isAggregate,
    bool isWindow, void (*step)(sqlite3_context *, int, sqlite3_value **),
    void (*finalize)(sqlite3_context *), void (*value)(sqlite3_context *),
    void (*inverse)(sqlite3_context *, int, sqlite3_value **), void (*release)(void *)
) {
    if (isWindow) {
        return sqift_find_create_window_function()(
            db, name, count, flags, object, step, finalize, value, inverse, release
        );
    }
    return sqlite3_create_function_v2(
        db, name, count, flags, object, object && !isAggregate ? step : 0, isAggregate ? step : 0,
        isAggregate ? finalize : 0, release
    );
}

/// SQLITE_TRANSIENT and SQLITE_STATIC are casts, which Swift doesn't import.
static inline sqlite3_destructor_type sqift_transient(void) { return SQLITE_TRANSIENT; }
static inline sqlite3_destructor_type sqift_static(void) { return SQLITE_STATIC; }

/// Makes a file or a folder outlast a power failure. 0, or -1 with `errno`.
static inline int sqift_sync(const char *path) {
    int file = open(path, O_RDONLY);
    if (file < 0) return -1;
#ifdef F_FULLFSYNC
    // Apple's fsync doesn't reach the disk; not every file system knows this one.
    int result = fcntl(file, F_FULLFSYNC) == 0 ? 0 : fsync(file);
#else
    int result = fsync(file);
#endif
    close(file);
    return result;
}

/// Locks an open file: 0, or -1 with `errno`, which is EWOULDBLOCK if it is locked. In Swift `flock`
/// is the structure of that name.
static inline int sqift_lock_file(int file) {
    if (flock(file, LOCK_EX | LOCK_NB) == 0) return 0;
    if (errno == EWOULDBLOCK || errno == EINTR) return -1;
    // A file system may not know this lock. SQLite itself uses the other one there.
    struct flock range = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
#ifdef F_OFD_SETLK
    if (fcntl(file, F_OFD_SETLK, &range) == 0) return 0;
#else
    if (fcntl(file, F_SETLK, &range) == 0) return 0;
#endif
    if (errno == EACCES || errno == EAGAIN) {
        errno = EWOULDBLOCK;
        return -1;
    }
    // It may know no lock at all.
    return 0;
}

/// Creates and locks a file until it is closed, against whoever locks it too: a descriptor, or -1
/// with `errno`, which is EWOULDBLOCK if it is locked.
static inline int sqift_lock(const char *path) {
    for (;;) {
        int file = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (file < 0) return -1;
        struct stat opened, present;
        int isLocked = sqift_lock_file(file) == 0 && fstat(file, &opened) == 0;
        // Who had it before removes it before he lets go.
        if (isLocked && stat(path, &present) == 0 && opened.st_ino == present.st_ino) return file;
        int error = errno;
        close(file);
        errno = error;
        if (!isLocked) return -1;
    }
}

/// The path, without symbolic links, of a file that may be missing in a folder that is there; to be
/// freed, or null with `errno`.
static inline char *sqift_real_path(const char *path) {
    char *file = realpath(path, 0);
    if (file || errno != ENOENT) return file;
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    // A link to a file that is missing. A relative target begins in the link's folder.
    char target[4096];
    ssize_t length = readlink(path, target, sizeof target - 1);
    if (length >= 0) {
        target[length] = 0;
        int prefix = *target == '/' ? 0 : (int)(name - path);
        size_t size = (size_t)prefix + (size_t)length + 1;
        char *next = malloc(size);
        if (next) snprintf(next, size, "%.*s%s", prefix, path, target);
        file = next ? sqift_real_path(next) : 0;
        free(next);
        return file;
    }
    char *given = slash ? strndup(path, (size_t)(name - path)) : strdup(".");
    char *folder = given ? realpath(given, 0) : 0;
    free(given);
    if (!folder) return 0;
    size_t size = strlen(folder) + strlen(name) + 2;
    file = malloc(size);
    if (file) snprintf(file, size, "%s/%s", folder, name);
    free(folder);
    return file;
}

/// Whether a database is one in memory that has a name. Some versions of sqlite3_db_filename return
/// that name like a file's, later ones an empty one.
static inline int sqift_is_memdb(sqlite3 *db, const char *name) {
    char *vfs = 0;
    sqlite3_file_control(db, name, SQLITE_FCNTL_VFSNAME, &vfs);
    // The rest are addresses and sizes.
    int isMemory = vfs && strncmp(vfs, "memdb", 5) == 0;
    sqlite3_free(vfs);
    return isMemory;
}

/// Whether a file was opened with the URI's parameter `immutable`.
static inline int sqift_is_immutable(sqlite3 *db, const char *name) {
    return sqlite3_uri_boolean(sqlite3_db_filename(db, name), "immutable", 0);
}

/// Whether two connections have the same database in memory: they share its cache, or the VFS
/// `memdb` shares it. This VFS tells only the address and the size of the content, if there is any.
static inline bool sqift_share_memory(
    sqlite3 *db, const char *name, sqlite3 *other, const char *otherName
) {
    sqlite3_file *file = 0, *otherFile = 0;
    sqlite3_file_control(db, name, SQLITE_FCNTL_FILE_POINTER, &file);
    sqlite3_file_control(other, otherName, SQLITE_FCNTL_FILE_POINTER, &otherFile);
    if (file && file == otherFile) return true;
    char *vfs = 0, *otherVFS = 0;
    sqlite3_file_control(db, name, SQLITE_FCNTL_VFSNAME, &vfs);
    sqlite3_file_control(other, otherName, SQLITE_FCNTL_VFSNAME, &otherVFS);
    bool isSame = vfs && otherVFS && strncmp(vfs, "memdb(", 6) == 0
        && strncmp(vfs, "memdb(0,", 8) != 0 && strcmp(vfs, otherVFS) == 0;
    sqlite3_free(vfs);
    sqlite3_free(otherVFS);
    return isSame;
}

/// SQLITE_NOTADB if the file of `main` isn't what it is opened for, as its first 16 bytes tell:
///
/// - With a key, it isn't encrypted. A URI can ask for a plain header, or for a shared cache, which
///   may have the key already.
/// - Without one, it has a rollback journal, but doesn't begin as a database does that isn't
///   encrypted. SQLite itself finds that out only after it has rolled back, which damages an
///   encrypted file unless it has the key. Where a first transaction was interrupted, or a power
///   failure has destroyed the page, there is one byte again and again: that is rolled back.
///
/// The connection must not have the key, or it would decrypt the bytes. A URI can have one.
static inline int sqift_check_start(sqlite3 *db, bool hasKey) {
    const char *name = sqlite3_db_filename(db, "main");
    if (!name || !*name) return SQLITE_OK;

    sqlite3_file *file = 0;
    sqlite3_vfs *vfs = 0;
    sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file);
    sqlite3_file_control(db, "main", SQLITE_FCNTL_VFS_POINTER, &vfs);
    bool isKnown = !sqlite3_uri_parameter(name, "key") && !sqlite3_uri_parameter(name, "hexkey")
        && vfs && file && file->pMethods;
    if (!isKnown) return SQLITE_OK;
    char start[16];
    int code = file->pMethods->xRead(file, start, 16, 0);
    // An empty file will be what it is made to.
    if (code == SQLITE_IOERR_SHORT_READ) return SQLITE_OK;
    if (code != SQLITE_OK) return hasKey ? code : SQLITE_OK;

    bool isPlain = memcmp(start, "SQLite format 3", 16) == 0;
    if (hasKey) {
        bool mayBePlain = sqlite3_uri_int64(name, "plaintext_header_size", 0) > 0
            || sqlite3_uri_parameter(name, "cache") || sqift_is_memdb(db, "main");
        return isPlain && !mayBePlain ? SQLITE_NOTADB : SQLITE_OK;
    }
    bool isOneByte = memcmp(start, start + 1, 15) == 0;
    int hasJournal = 0;
    if (!isPlain && !isOneByte) {
        vfs->xAccess(vfs, sqlite3_filename_journal(name), SQLITE_ACCESS_EXISTS, &hasJournal);
    }
    return hasJournal ? SQLITE_NOTADB : SQLITE_OK;
}

/// The same for a file that an open connection has opened with its key, or is going to attach. It
/// isn't created, unless its URI asks for that, and may be missing. SQLite opens it, since closing a
/// descriptor of our own would end the locks that this process has in the file:
/// https://sqlite.org/howtocorrupt.html, section 2.2.
static inline int sqift_check_start_of(sqlite3 *db, const char *name, bool isURI, bool hasKey) {
    if (!db) return SQLITE_OK;
    sqlite3_vfs *vfs = 0;
    sqlite3_file_control(db, "main", SQLITE_FCNTL_VFS_POINTER, &vfs);
    // SQLite refuses a URI that asks for more than the flags allow.
    static const int modes[] = {
        SQLITE_OPEN_READONLY, SQLITE_OPEN_READWRITE, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
    };
    // A cache that the process shares may have the key.
    int flags = SQLITE_OPEN_PRIVATECACHE | (isURI ? SQLITE_OPEN_URI : 0);
    int code = SQLITE_PERM;
    for (int mode = 0; mode < 3 && code == SQLITE_PERM; mode++) {
        sqlite3 *other = 0;
        code = sqlite3_open_v2(name, &other, modes[mode] | flags, vfs ? vfs->zName : 0);
        if (code == SQLITE_OK) code = sqift_check_start(other, hasKey);
        sqlite3_close(other);
    }
    if (hasKey) return (code & 0xff) == SQLITE_CANTOPEN ? SQLITE_OK : code;
    return code == SQLITE_NOTADB ? code : SQLITE_OK;
}

// C11 atomics for the words that are read too often for a lock.
SQIFT_RELEASES_NOTHING static inline uintptr_t sqift_atomic_load(const uintptr_t *word) {
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}
SQIFT_RELEASES_NOTHING static inline void sqift_atomic_store(uintptr_t *word, uintptr_t value) {
    __atomic_store_n(word, value, __ATOMIC_RELEASE);
}

/// A number that no other running thread has, and that is never 0. `pthread_t` is another type on
/// each platform.
SQIFT_RELEASES_NOTHING static inline uintptr_t sqift_thread(void) {
    return (uintptr_t)pthread_self();
}

#endif
