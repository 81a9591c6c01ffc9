#ifdef __linux__
#define _GNU_SOURCE
// The headers shall declare the functions as they are, not checked or renamed ones.
#undef _FORTIFY_SOURCE
#undef _FILE_OFFSET_BITS
#include <features.h>
#endif

#include "record.h"

// The process's own system calls, those by which SQLite, Foundation and SQift change files. The
// dynamic linker of Linux takes a function of the executable instead of libc's, for every library
// of the process.

#ifdef __GLIBC__

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static _Atomic(char *) watched;

int sqift_faults_sees_calls(void) {
    // Libraries find the same function.
    return dlsym(RTLD_DEFAULT, "open64") == (void *)open64
        && dlsym(RTLD_DEFAULT, "pwrite64") == (void *)pwrite64
        && dlsym(RTLD_DEFAULT, "unlink") == (void *)unlink;
}

void sqift_faults_watch(const char *folder) {
    free(atomic_exchange(&watched, folder ? strdup(folder) : 0));
}

// MARK: libc's functions

/// libc's function of this name.
#define REAL(name) ((__typeof__(&name))findReal(&real_##name, #name))

static void *real_open64, *real_write, *real_pwrite64, *real_ftruncate64, *real_fsync;
static void *real_fdatasync, *real_unlink, *real_rename;

static void *findReal(void **found, const char *name) {
    void *function = __atomic_load_n(found, __ATOMIC_RELAXED);
    if (!function) {
        function = dlsym(RTLD_NEXT, name);
        if (!function) abort();
        __atomic_store_n(found, function, __ATOMIC_RELAXED);
    }
    return function;
}

// MARK: Names

/// Whether a call may be counted, failed or recorded at the moment.
static int isWatching(void) {
    return sqift_faults_is_recording || sqift_faults_armed() >= SQIFT_FAULT_CALL_OPEN;
}

/// The name of a file in the watched folder; empty for the folder itself, null for another file.
static const char *nameOfPath(const char *path) {
    const char *folder = watched;
    if (!folder || !isWatching()) return 0;
    size_t length = strlen(folder);
    if (strncmp(path, folder, length) != 0) return 0;
    if (path[length] == 0) return path + length;
    return path[length] == '/' ? path + length + 1 : 0;
}

/// The same for an open file, in memory of the caller.
static const char *nameOfFile(int file, char path[PATH_MAX]) {
    if (!isWatching()) return 0;
    char link[40];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, PATH_MAX - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return nameOfPath(path);
}

static int isRecorded(const char *name) {
    return name && sqift_faults_is_recording && !strstr(name, "-shm");
}

static int fails(const char *name, unsigned kind) {
    if (!name || !sqift_faults_is_due(kind)) return 0;
    errno = sqift_faults_armed() & SQIFT_FAULT_NO_SPACE ? ENOSPC : EIO;
    return 1;
}

static unsigned long long inode(int file) {
    struct stat status;
    return fstat(file, &status) == 0 ? status.st_ino : 0;
}

// MARK: Opening

static int openFile(const char *path, int flags, mode_t mode) {
    const char *name = nameOfPath(path);
    int isWriting = (flags & O_ACCMODE) != O_RDONLY;
    if (isWriting && fails(name, SQIFT_FAULT_CALL_OPEN)) return -1;
    if (!isRecorded(name) || !(flags & (O_CREAT | O_TRUNC))) {
        return REAL(open64)(path, flags, mode);
    }
    sqift_faults_lock_record();
    struct stat status;
    int isThere = lstat(path, &status) == 0;
    int file = REAL(open64)(path, flags, mode);
    sqift_change change = {.file = file < 0 ? 0 : inode(file), .name = (char *)name};
    if (file >= 0 && !isThere) {
        change.kind = SQIFT_CHANGE_CREATE;
        sqift_faults_record(change);
    } else if (file >= 0 && (flags & O_TRUNC)) {
        change.kind = SQIFT_CHANGE_TRUNCATE;
        sqift_faults_record(change);
    }
    sqift_faults_unlock_record();
    return file;
}

/// The third argument, which is only there for a new file.
#define READ_MODE(flags, mode)                     \
    mode_t mode = 0;                               \
    if ((flags) & (O_CREAT | O_TMPFILE)) {         \
        va_list arguments;                         \
        va_start(arguments, flags);                \
        mode = va_arg(arguments, mode_t);          \
        va_end(arguments);                         \
    }

int open(const char *path, int flags, ...) {
    READ_MODE(flags, mode)
    return openFile(path, flags, mode);
}

int open64(const char *path, int flags, ...) {
    READ_MODE(flags, mode)
    return openFile(path, flags, mode);
}

// MARK: Writing

/// Without an offset, if it is negative, at the file's own position.
static ssize_t writeReally(int file, const void *bytes, size_t size, off64_t offset) {
    if (offset < 0) return REAL(write)(file, bytes, size);
    return REAL(pwrite64)(file, bytes, size, offset);
}

static ssize_t writeFile(int file, const void *bytes, size_t size, off64_t offset) {
    char path[PATH_MAX];
    const char *name = nameOfFile(file, path);
    if (fails(name, SQIFT_FAULT_CALL_WRITE)) {
        int error = errno;
        if (size > 1) writeReally(file, bytes, size / 2, offset);
        errno = error;
        return -1;
    }
    if (!isRecorded(name)) return writeReally(file, bytes, size, offset);
    sqift_faults_lock_record();
    off64_t start = offset < 0 ? lseek64(file, 0, SEEK_CUR) : offset;
    ssize_t written = writeReally(file, bytes, size, offset);
    if (written > 0) {
        sqift_faults_record((sqift_change){
            .kind = SQIFT_CHANGE_WRITE,
            .file = inode(file),
            .offset = start,
            .bytes = (void *)bytes,
            .count = (size_t)written,
        });
    }
    sqift_faults_unlock_record();
    return written;
}

ssize_t write(int file, const void *bytes, size_t size) {
    return writeFile(file, bytes, size, -1);
}

ssize_t pwrite(int file, const void *bytes, size_t size, off_t offset) {
    return writeFile(file, bytes, size, offset);
}

ssize_t pwrite64(int file, const void *bytes, size_t size, off64_t offset) {
    return writeFile(file, bytes, size, offset);
}

/// Calls libc, and records the change if it succeeds.
#define CALL_AND_RECORD(call, ...)                              \
    sqift_faults_lock_record();                                 \
    int result = (call);                                        \
    if (result == 0) {                                          \
        sqift_faults_record((sqift_change){__VA_ARGS__});       \
    }                                                           \
    sqift_faults_unlock_record();                               \
    return result

static int truncateFile(int file, off64_t size) {
    char path[PATH_MAX];
    const char *name = nameOfFile(file, path);
    if (fails(name, SQIFT_FAULT_CALL_TRUNCATE)) return -1;
    if (!isRecorded(name)) return REAL(ftruncate64)(file, size);
    CALL_AND_RECORD(
        REAL(ftruncate64)(file, size),
        .kind = SQIFT_CHANGE_TRUNCATE, .file = inode(file), .offset = size
    );
}

int ftruncate(int file, off_t size) { return truncateFile(file, size); }

int ftruncate64(int file, off64_t size) { return truncateFile(file, size); }

// MARK: Syncing

static int syncFile(int file, int isOfDataOnly) {
    char path[PATH_MAX];
    const char *name = nameOfFile(file, path);
    if (fails(name, SQIFT_FAULT_CALL_SYNC)) return -1;
    if (!isRecorded(name)) return isOfDataOnly ? REAL(fdatasync)(file) : REAL(fsync)(file);
    CALL_AND_RECORD(
        isOfDataOnly ? REAL(fdatasync)(file) : REAL(fsync)(file),
        .kind = *name ? SQIFT_CHANGE_SYNC : SQIFT_CHANGE_SYNC_FOLDER, .file = inode(file)
    );
}

int fsync(int file) { return syncFile(file, 0); }

int fdatasync(int file) { return syncFile(file, 1); }

// MARK: Names of files

int unlink(const char *path) {
    const char *name = nameOfPath(path);
    if (fails(name, SQIFT_FAULT_CALL_UNLINK)) return -1;
    if (!isRecorded(name)) return REAL(unlink)(path);
    CALL_AND_RECORD(REAL(unlink)(path), .kind = SQIFT_CHANGE_UNLINK, .name = (char *)name);
}

int rename(const char *path, const char *newPath) {
    const char *name = nameOfPath(path);
    const char *newName = nameOfPath(newPath);
    if (fails(name, SQIFT_FAULT_CALL_RENAME)) return -1;
    if (!isRecorded(name) || !isRecorded(newName)) return REAL(rename)(path, newPath);
    CALL_AND_RECORD(
        REAL(rename)(path, newPath),
        .kind = SQIFT_CHANGE_RENAME, .name = (char *)name, .newName = (char *)newName
    );
}

#else

int sqift_faults_sees_calls(void) { return 0; }

void sqift_faults_watch(const char *folder) {}

#endif
