#ifndef SQIFT_FAULTS_H
#define SQIFT_FAULTS_H

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

/// Puts itself between SQLite and its allocator, before SQLite is used. Returns SQLite's result
/// code.
int sqift_faults_install_memory(void);

/// Makes a layer over the default file system layer the default one. Returns SQLite's result code.
int sqift_faults_install_disk(void);

/// How many files that layer has open.
long sqift_faults_open_files(void);

/// How many bytes of the C heap are in use, or 0 where that isn't known.
long sqift_faults_heap(void);

#endif
