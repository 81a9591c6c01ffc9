// What the SQLite of Apple's systems does otherwise than SQLite itself, as far as it is known. It is
// loaded before a libsqlite3 (LD_PRELOAD), on Linux:
//
// - The `-wal` and the `-shm` of a database stay when its last connection is closed.
// - sqlite3_key and its kind are there, succeed, and do nothing. With the environment's
//   SQIFT_APPLE_CODEC, the library says that it was built to encrypt, as that of macOS 10.12 did.
// - Extensions can't be loaded, and the switch for it is an error.
// - A statement that has ended must be reset before its next step (SQLITE_OMIT_AUTORESET).
// - The folder of temporary files, TMPDIR, is a link, which Foundation doesn't resolve.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// The function of this name that the program would call without this library.
#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

// Whether SQLite itself calls.

static uintptr_t libraryStart, libraryEnd;

static int noteLibrary(struct dl_phdr_info *image, size_t size, void *data) {
    (void)size, (void)data;
    if (!strstr(image->dlpi_name, "libsqlite3")) return 0;
    for (int index = 0; index < image->dlpi_phnum; index++) {
        if (image->dlpi_phdr[index].p_type != PT_LOAD) continue;
        uintptr_t start = image->dlpi_addr + image->dlpi_phdr[index].p_vaddr;
        uintptr_t end = start + image->dlpi_phdr[index].p_memsz;
        if (!libraryStart || start < libraryStart) libraryStart = start;
        if (end > libraryEnd) libraryEnd = end;
    }
    return 1;
}

static void findLibrary(void) { dl_iterate_phdr(noteLibrary, 0); }

static int isInner(void *caller) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, findLibrary);
    return (uintptr_t)caller >= libraryStart && (uintptr_t)caller < libraryEnd;
}

// The WAL stays, and is cut to no bytes, since Apple's limit for its size isn't negative.

// What is kept behind each file of SQLite's own.
struct Extra {
    const char *name;
    const sqlite3_io_methods *methods;
};
static int sizeOfFile;
static int (*realOpen)(sqlite3_vfs *, sqlite3_filename, sqlite3_file *, int, int *);

static struct Extra *extra(sqlite3_file *file) {
    return (struct Extra *)((char *)file + sizeOfFile);
}

static int control(sqlite3_file *file, int operation, void *value) {
    // Whoever closes the WAL asks whether it stays, after everything was moved into the database.
    int isQuestion = operation == SQLITE_FCNTL_PERSIST_WAL && *(int *)value < 0;
    int code = extra(file)->methods->xFileControl(file, operation, value);
    if (isQuestion && code == SQLITE_OK && *(int *)value == 1) {
        char path[4096];
        snprintf(path, sizeof path, "%s-wal", extra(file)->name);
        if (truncate(path, 0) != 0 && errno != ENOENT) return SQLITE_IOERR_TRUNCATE;
    }
    return code;
}

static int openPersistently(
    sqlite3_vfs *vfs, sqlite3_filename name, sqlite3_file *file, int flags, int *outFlags
) {
    int code = realOpen(vfs, name, file, flags, outFlags);
    if (code != SQLITE_OK || !(flags & SQLITE_OPEN_MAIN_DB)) return code;
    // Every way of locking has a table of its own, which differs in nothing that matters here.
    static sqlite3_io_methods tables[8];
    static const sqlite3_io_methods *originals[8];
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    int index = 0;
    while (originals[index] && originals[index] != file->pMethods) index++;
    if (index == 7) abort();
    if (!originals[index]) {
        originals[index] = file->pMethods;
        tables[index] = *file->pMethods;
        tables[index].xFileControl = control;
    }
    pthread_mutex_unlock(&lock);

    *extra(file) = (struct Extra){name, originals[index]};
    file->pMethods = &tables[index];
    int isPersistent = 1;
    return control(file, SQLITE_FCNTL_PERSIST_WAL, &isPersistent);
}

static void keepWAL(void) {
    // They all open files by the same function.
    const char *names[] = {"unix", "unix-excl", "unix-none"};
    for (int index = 0; index < 3; index++) {
        sqlite3_vfs *vfs = REAL(sqlite3_vfs_find)(names[index]);
        if (!vfs) continue;
        realOpen = vfs->xOpen;
        sizeOfFile = (vfs->szOsFile + 7) & ~7;
        vfs->szOsFile = sizeOfFile + (int)sizeof(struct Extra);
        vfs->xOpen = openPersistently;
    }
}

static pthread_once_t keepWALOnce = PTHREAD_ONCE_INIT;

// Who copies a VFS must see the larger size. SQLite itself looks for one while it is initialised.
sqlite3_vfs *sqlite3_vfs_find(const char *name) {
    if (!isInner(__builtin_return_address(0))) pthread_once(&keepWALOnce, keepWAL);
    return REAL(sqlite3_vfs_find)(name);
}

int sqlite3_open_v2(const char *name, sqlite3 **database, int flags, const char *vfs) {
    pthread_once(&keepWALOnce, keepWAL);
    return REAL(sqlite3_open_v2)(name, database, flags, vfs);
}

// A key without effect.

int sqlite3_key(sqlite3 *database, const void *key, int size) {
    (void)database, (void)key, (void)size;
    return SQLITE_OK;
}

int sqlite3_key_v2(sqlite3 *database, const char *name, const void *key, int size) {
    (void)name;
    return sqlite3_key(database, key, size);
}

int sqlite3_rekey(sqlite3 *database, const void *key, int size) {
    return sqlite3_key(database, key, size);
}

int sqlite3_rekey_v2(sqlite3 *database, const char *name, const void *key, int size) {
    return sqlite3_key_v2(database, name, key, size);
}

int sqlite3_compileoption_used(const char *name) {
    if (strstr(name, "HAS_CODEC") && getenv("SQIFT_APPLE_CODEC")) return 1;
    if (strstr(name, "OMIT_LOAD_EXTENSION")) return 1;
    return REAL(sqlite3_compileoption_used)(name);
}

// No extensions.

int sqlite3_db_config(sqlite3 *database, int operation, ...) {
    if (operation == SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION) return SQLITE_ERROR;
    // Each operation that SQift uses has these two arguments.
    va_list arguments;
    va_start(arguments, operation);
    int value = va_arg(arguments, int);
    int *result = va_arg(arguments, int *);
    va_end(arguments);
    return REAL(sqlite3_db_config)(database, operation, value, result);
}

// No automatic reset, for statements that are called from outside of SQLite: its own functions
// differ where it is built in this way.

// The statements that have ended, and haven't been reset since.
struct Ended {
    sqlite3_stmt *statement;
    struct Ended *next;
};
static struct Ended *ended[4096];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct Ended **find(sqlite3_stmt *statement) {
    struct Ended **place = &ended[(uintptr_t)statement / 16 % 4096];
    while (*place && (*place)->statement != statement) place = &(*place)->next;
    return place;
}

static void forget(sqlite3_stmt *statement) {
    pthread_mutex_lock(&lock);
    struct Ended **place = find(statement);
    struct Ended *entry = *place;
    if (entry) *place = entry->next;
    pthread_mutex_unlock(&lock);
    free(entry);
}

int sqlite3_step(sqlite3_stmt *statement) {
    static int (*real)(sqlite3_stmt *);
    if (!real) real = REAL(sqlite3_step);
    if (isInner(__builtin_return_address(0))) return real(statement);
    pthread_mutex_lock(&lock);
    int hasEnded = *find(statement) != 0;
    pthread_mutex_unlock(&lock);
    if (hasEnded) return SQLITE_MISUSE;

    int code = real(statement);
    int primary = code & 0xff;
    if (primary == SQLITE_ROW || primary == SQLITE_BUSY || primary == SQLITE_LOCKED) return code;
    struct Ended *entry = malloc(sizeof *entry);
    if (!entry) abort();
    pthread_mutex_lock(&lock);
    struct Ended **place = find(statement);
    *entry = (struct Ended){statement, *place};
    *place = entry;
    pthread_mutex_unlock(&lock);
    return code;
}

int sqlite3_reset(sqlite3_stmt *statement) {
    static int (*real)(sqlite3_stmt *);
    if (!real) real = REAL(sqlite3_reset);
    if (!isInner(__builtin_return_address(0))) forget(statement);
    return real(statement);
}

int sqlite3_finalize(sqlite3_stmt *statement) {
    if (!isInner(__builtin_return_address(0))) forget(statement);
    return REAL(sqlite3_finalize)(statement);
}

// A link as the folder of temporary files.

static int isLinkOfFoundation(const char *path, void *caller) {
    Dl_info image;
    const char *folder = getenv("TMPDIR");
    return folder && strncmp(path, folder, strlen(folder)) == 0 && dladdr(caller, &image)
        && image.dli_fname && strstr(image.dli_fname, "libFoundation");
}

ssize_t readlink(const char *path, char *target, size_t size) {
    if (isLinkOfFoundation(path, __builtin_return_address(0))) {
        errno = EINVAL;
        return -1;
    }
    return REAL(readlink)(path, target, size);
}

char *realpath(const char *path, char *result) {
    if (!isLinkOfFoundation(path, __builtin_return_address(0))) return REAL(realpath)(path, result);
    return result ? strcpy(result, path) : strdup(path);
}
