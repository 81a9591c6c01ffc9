#include "faults.h"

#include <sqlite3.h>

static sqlite3_mem_methods system;

static void *allocate(int size) {
    return sqift_faults_is_due(SQIFT_FAULT_MEMORY) ? 0 : system.xMalloc(size);
}

static void *reallocate(void *memory, int size) {
    return sqift_faults_is_due(SQIFT_FAULT_MEMORY) ? 0 : system.xRealloc(memory, size);
}

int sqift_faults_install_memory(void) {
    int code = sqlite3_config(SQLITE_CONFIG_GETMALLOC, &system);
    if (code != SQLITE_OK) return code;
    sqlite3_mem_methods methods = system;
    methods.xMalloc = allocate;
    methods.xRealloc = reallocate;
    code = sqlite3_config(SQLITE_CONFIG_MALLOC, &methods);
    // Small objects of a connection would come from a block of its own, and never fail.
    if (code == SQLITE_OK) code = sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0);
    return code == SQLITE_OK ? sqlite3_initialize() : code;
}
