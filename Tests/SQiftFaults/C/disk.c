#include "faults.h"

#include <sqlite3.h>
#include <stdatomic.h>
#include <string.h>

// A file system layer over the default one. https://sqlite.org/vfs.html

static sqlite3_vfs *system;
static sqlite3_vfs layer;
static atomic_long openFiles;

/// A file of this layer. The system's own follows in memory.
typedef struct {
    sqlite3_file file;
    sqlite3_io_methods methods;
} File;

static sqlite3_file *real(sqlite3_file *file) { return (sqlite3_file *)((File *)file + 1); }

static int isDue(unsigned kind) { return sqift_faults_is_due(kind); }

// MARK: Files

static int closeFile(sqlite3_file *file) {
    atomic_fetch_sub(&openFiles, 1);
    return real(file)->pMethods->xClose(real(file));
}

static int readFile(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
    if (isDue(SQIFT_FAULT_READ)) return SQLITE_IOERR_READ;
    return real(file)->pMethods->xRead(real(file), bytes, count, offset);
}

static int writeFile(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
    int code = SQLITE_OK;
    if (isDue(SQIFT_FAULT_WRITE)) code = SQLITE_IOERR_WRITE;
    else if (isDue(SQIFT_FAULT_FULL)) code = SQLITE_FULL;
    if (code != SQLITE_OK) count /= 2;
    int result = SQLITE_OK;
    if (count > 0) result = real(file)->pMethods->xWrite(real(file), bytes, count, offset);
    return code == SQLITE_OK ? result : code;
}

static int truncateFile(sqlite3_file *file, sqlite3_int64 size) {
    if (isDue(SQIFT_FAULT_TRUNCATE)) return SQLITE_IOERR_TRUNCATE;
    return real(file)->pMethods->xTruncate(real(file), size);
}

static int syncFile(sqlite3_file *file, int flags) {
    if (isDue(SQIFT_FAULT_SYNC)) return SQLITE_IOERR_FSYNC;
    return real(file)->pMethods->xSync(real(file), flags);
}

static int sizeFile(sqlite3_file *file, sqlite3_int64 *size) {
    if (isDue(SQIFT_FAULT_SIZE)) return SQLITE_IOERR_FSTAT;
    return real(file)->pMethods->xFileSize(real(file), size);
}

static int lockFile(sqlite3_file *file, int level) {
    if (isDue(SQIFT_FAULT_LOCK)) return SQLITE_IOERR_LOCK;
    return real(file)->pMethods->xLock(real(file), level);
}

// Releasing a lock doesn't fail: no system would know what the lock is then.
static int unlockFile(sqlite3_file *file, int level) {
    return real(file)->pMethods->xUnlock(real(file), level);
}

static int checkLock(sqlite3_file *file, int *isReserved) {
    if (isDue(SQIFT_FAULT_LOCK)) return SQLITE_IOERR_CHECKRESERVEDLOCK;
    return real(file)->pMethods->xCheckReservedLock(real(file), isReserved);
}

static int controlFile(sqlite3_file *file, int operation, void *argument) {
    return real(file)->pMethods->xFileControl(real(file), operation, argument);
}

static int sectorSize(sqlite3_file *file) {
    return real(file)->pMethods->xSectorSize(real(file));
}

static int characteristics(sqlite3_file *file) {
    return real(file)->pMethods->xDeviceCharacteristics(real(file));
}

// MARK: The index of a WAL

static int mapShared(
    sqlite3_file *file, int page, int size, int isWriting, void volatile **memory) {
    if (isDue(SQIFT_FAULT_SHARED_MAP)) {
        *memory = 0;
        return SQLITE_IOERR_SHMMAP;
    }
    return real(file)->pMethods->xShmMap(real(file), page, size, isWriting, memory);
}

static int lockShared(sqlite3_file *file, int offset, int count, int flags) {
    if ((flags & SQLITE_SHM_LOCK) && isDue(SQIFT_FAULT_SHARED_LOCK)) return SQLITE_IOERR_SHMLOCK;
    return real(file)->pMethods->xShmLock(real(file), offset, count, flags);
}

static void barShared(sqlite3_file *file) { real(file)->pMethods->xShmBarrier(real(file)); }

static int unmapShared(sqlite3_file *file, int isToBeDeleted) {
    return real(file)->pMethods->xShmUnmap(real(file), isToBeDeleted);
}

// MARK: The layer

static int openFile(
    sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *outFlags) {
    File *own = (File *)file;
    own->file.pMethods = 0;
    if (isDue(SQIFT_FAULT_OPEN)) return SQLITE_CANTOPEN;
    int code = system->xOpen(system, name, real(file), flags, outFlags);
    if (code != SQLITE_OK) {
        if (real(file)->pMethods) real(file)->pMethods->xClose(real(file));
        return code;
    }
    own->methods = (sqlite3_io_methods){
        .iVersion = real(file)->pMethods->iVersion < 2 ? 1 : 2,
        .xClose = closeFile,
        .xRead = readFile,
        .xWrite = writeFile,
        .xTruncate = truncateFile,
        .xSync = syncFile,
        .xFileSize = sizeFile,
        .xLock = lockFile,
        .xUnlock = unlockFile,
        .xCheckReservedLock = checkLock,
        .xFileControl = controlFile,
        .xSectorSize = sectorSize,
        .xDeviceCharacteristics = characteristics,
        .xShmMap = mapShared,
        .xShmLock = lockShared,
        .xShmBarrier = barShared,
        .xShmUnmap = unmapShared,
    };
    own->file.pMethods = &own->methods;
    atomic_fetch_add(&openFiles, 1);
    return SQLITE_OK;
}

static int deleteFile(sqlite3_vfs *vfs, const char *name, int syncsFolder) {
    if (isDue(SQIFT_FAULT_DELETE)) return SQLITE_IOERR_DELETE;
    return system->xDelete(system, name, syncsFolder);
}

static int accessFile(sqlite3_vfs *vfs, const char *name, int flags, int *result) {
    if (isDue(SQIFT_FAULT_ACCESS)) return SQLITE_IOERR_ACCESS;
    return system->xAccess(system, name, flags, result);
}

static int fullPath(sqlite3_vfs *vfs, const char *name, int size, char *path) {
    return system->xFullPathname(system, name, size, path);
}

int sqift_faults_install_disk(void) {
    int code = sqlite3_initialize();
    if (code != SQLITE_OK) return code;
    system = sqlite3_vfs_find(0);
    // What isn't replaced is the system's, which takes no notice of the layer that it is handed.
    layer = *system;
    layer.pNext = 0;
    layer.zName = "sqift-faults";
    layer.szOsFile = (int)sizeof(File) + system->szOsFile;
    layer.xOpen = openFile;
    layer.xDelete = deleteFile;
    layer.xAccess = accessFile;
    layer.xFullPathname = fullPath;
    return sqlite3_vfs_register(&layer, 1);
}

long sqift_faults_open_files(void) { return openFiles; }
