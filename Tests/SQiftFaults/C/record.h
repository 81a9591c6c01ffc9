#ifndef SQIFT_FAULTS_RECORD_H
#define SQIFT_FAULTS_RECORD_H

#include "faults.h"

#include <stdatomic.h>

// What calls.c tells record.c.

/// Whether changes are recorded at the moment.
extern atomic_int sqift_faults_is_recording;

/// Adds a change, with copies of its names and bytes. The caller holds the lock, so that the record
/// has the order of the calls.
void sqift_faults_record(sqift_change change);

void sqift_faults_lock_record(void);
void sqift_faults_unlock_record(void);

#endif
