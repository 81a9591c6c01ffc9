#include "faults.h"

#include <stdatomic.h>
#include <stdlib.h>

#ifdef __linux__
#include <malloc.h>
#endif

static atomic_uint armed;
static atomic_long calls, failures;
static long failing;
static int failsForever;

void sqift_faults_arm(unsigned kinds, long point, int isForever) {
    armed = 0;
    calls = 0;
    failures = 0;
    failing = point;
    failsForever = isForever;
    armed = kinds;
}

void sqift_faults_disarm(void) { armed = 0; }

unsigned sqift_faults_armed(void) { return armed; }

long sqift_faults_calls(void) { return calls; }

long sqift_faults_failures(void) { return failures; }

int sqift_faults_is_due(unsigned kind) {
    if (!(armed & kind)) return 0;
    long call = atomic_fetch_add(&calls, 1);
    if (call < failing || (call > failing && !failsForever)) return 0;
    atomic_fetch_add(&failures, 1);
    return 1;
}

long sqift_faults_heap(void) {
    // Two conditions: elsewhere the macro isn't known, and an error even where it isn't asked.
#ifdef __GLIBC__
#if __GLIBC_PREREQ(2, 33)
    struct mallinfo2 info = mallinfo2();
    return (long)(info.uordblks + info.hblkhd);
#endif
#endif
    return 0;
}
