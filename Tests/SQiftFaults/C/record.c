#include "record.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

atomic_int sqift_faults_is_recording;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sqift_change *changes;
static size_t count, capacity;

void sqift_faults_lock_record(void) { pthread_mutex_lock(&lock); }

void sqift_faults_unlock_record(void) { pthread_mutex_unlock(&lock); }

static void *enlarge(void *memory, size_t size) {
    memory = realloc(memory, size);
    // A record with a gap would be worth nothing.
    if (!memory) abort();
    return memory;
}

static void *copy(const void *bytes, size_t size) {
    return size == 0 ? 0 : memcpy(enlarge(0, size), bytes, size);
}

static char *copyName(const char *name) { return name ? copy(name, strlen(name) + 1) : 0; }

void sqift_faults_record(sqift_change change) {
    if (count == capacity) {
        capacity = capacity * 2 + 64;
        changes = enlarge(changes, capacity * sizeof(sqift_change));
    }
    change.name = copyName(change.name);
    change.newName = copyName(change.newName);
    change.bytes = copy(change.bytes, change.count);
    changes[count++] = change;
}

void sqift_faults_start_record(void) {
    sqift_faults_lock_record();
    for (size_t index = 0; index < count; index++) {
        free(changes[index].name);
        free(changes[index].newName);
        free(changes[index].bytes);
    }
    count = 0;
    sqift_faults_is_recording = 1;
    sqift_faults_unlock_record();
}

const sqift_change *sqift_faults_stop_record(size_t *outCount) {
    sqift_faults_lock_record();
    sqift_faults_is_recording = 0;
    *outCount = count;
    sqift_faults_unlock_record();
    return changes;
}

void sqift_faults_record_promise(void) {
    sqift_faults_lock_record();
    if (sqift_faults_is_recording) {
        sqift_faults_record((sqift_change){.kind = SQIFT_CHANGE_PROMISE});
    }
    sqift_faults_unlock_record();
}
