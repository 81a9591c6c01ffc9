#ifndef SQIFT_FAULTS_H
#define SQIFT_FAULTS_H

#include <stddef.h>

// Faults of what SQLite stands on. One call can be told to fail: the n-th of some kinds of call,
// once or with all later ones.

/// The kinds of call that can fail, as bits.
typedef enum {
    SQIFT_FAULT_MEMORY = 1 << 0,
    SQIFT_FAULT_PROGRESS = 1 << 1,
    SQIFT_FAULT_OPEN = 1 << 2,
    SQIFT_FAULT_READ = 1 << 3,
    /// Half of what is written arrives.
    SQIFT_FAULT_WRITE = 1 << 4,
    /// The same, and the disk is full.
    SQIFT_FAULT_FULL = 1 << 5,
    SQIFT_FAULT_SYNC = 1 << 6,
    SQIFT_FAULT_TRUNCATE = 1 << 7,
    SQIFT_FAULT_SIZE = 1 << 8,
    SQIFT_FAULT_LOCK = 1 << 9,
    SQIFT_FAULT_DELETE = 1 << 10,
    SQIFT_FAULT_ACCESS = 1 << 11,
    SQIFT_FAULT_SHARED_MAP = 1 << 12,
    SQIFT_FAULT_SHARED_LOCK = 1 << 13,
    // System calls of the process itself, on files in the watched folder.
    SQIFT_FAULT_CALL_OPEN = 1 << 14,
    /// Half of what is written arrives.
    SQIFT_FAULT_CALL_WRITE = 1 << 15,
    SQIFT_FAULT_CALL_TRUNCATE = 1 << 16,
    SQIFT_FAULT_CALL_SYNC = 1 << 17,
    SQIFT_FAULT_CALL_UNLINK = 1 << 18,
    SQIFT_FAULT_CALL_RENAME = 1 << 19,
    /// No kind of call: with it, system calls fail with ENOSPC instead of EIO.
    SQIFT_FAULT_NO_SPACE = 1 << 20,
} sqift_fault;

/// Lets the call with this number, from 0, of these kinds fail; all later ones too if it is for
/// ever. It begins to count at 0.
void sqift_faults_arm(unsigned kinds, long point, int isForever);

/// Lets everything succeed. The counts stay.
void sqift_faults_disarm(void);

/// How many calls of the armed kinds there were, and how many of them failed.
long sqift_faults_calls(void);
long sqift_faults_failures(void);

/// Counts a call of a kind. Returns whether it has to fail.
int sqift_faults_is_due(unsigned kind);

/// The kinds that are armed.
unsigned sqift_faults_armed(void);

/// Puts itself between SQLite and its allocator, before SQLite is used. Returns SQLite's result
/// code.
int sqift_faults_install_memory(void);

/// Makes a layer over the default file system layer the default one. Returns SQLite's result code.
int sqift_faults_install_disk(void);

/// How many files that layer has open.
long sqift_faults_open_files(void);

// The process's own system calls, whoever makes them: SQLite, Foundation or SQift.

/// Whether they pass through here. Otherwise they neither fail nor are recorded.
int sqift_faults_sees_calls(void);

/// Names the folder whose files the calls are about, by a path without links; null for none. It is
/// set while nobody uses files in it.
void sqift_faults_watch(const char *folder);

/// What a call has changed.
typedef enum {
    SQIFT_CHANGE_CREATE,
    SQIFT_CHANGE_WRITE,
    SQIFT_CHANGE_TRUNCATE,
    SQIFT_CHANGE_SYNC,
    SQIFT_CHANGE_SYNC_FOLDER,
    SQIFT_CHANGE_UNLINK,
    SQIFT_CHANGE_RENAME,
    /// Nothing: the process has told its caller that the work is done.
    SQIFT_CHANGE_PROMISE,
} sqift_change_kind;

/// A change of a file in the watched folder.
typedef struct {
    sqift_change_kind kind;
    /// The file's inode.
    unsigned long long file;
    /// Where it was written to, or the new size.
    long long offset;
    /// The name in the folder, of what is created, unlinked or renamed.
    char *name;
    char *newName;
    /// What was written.
    void *bytes;
    size_t count;
} sqift_change;

/// Forgets the record, and begins a new one. Shared memory isn't recorded: SQLite makes it anew.
void sqift_faults_start_record(void);

/// Ends the record, which stays until the next one begins. Returns its changes in their order.
const sqift_change *sqift_faults_stop_record(size_t *count);

/// Records that the work is done.
void sqift_faults_record_promise(void);

/// How many bytes of the C heap are in use, or 0 where that isn't known.
long sqift_faults_heap(void);

#endif
