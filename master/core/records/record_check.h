// Checks that records written by the core can be read again. The simulator and most tests of the
// core check every batch.
#pragma once

#include "base/status.h"
#include "storage/meta_store.h"

namespace dl::master {

// Reads the records of jobs, logs, checkpoints, attestations, event numbers and timelines, and
// writes each of them again. Returns an error if reading fails or if the written text differs.
//
// Other records are read and not written again: columns, rows, histograms and folded rounds of
// series, and the list of a timeline's rounds. Skips all other keys, and deletions.
//
// An error has the key of the record, except for a row of a series or a timeline that cannot be
// read.
Status CheckReadable(const storage::MetaBatch& batch);

}  // namespace dl::master
