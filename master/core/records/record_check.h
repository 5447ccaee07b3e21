// Checks that records written by the core can be read again. The simulator and most tests of the
// core check every batch.
#pragma once

#include "base/status.h"
#include "storage/meta_store.h"

namespace dl::master {

// Returns an error with the key unless the reader of each record accepts it and would write the
// same text again. Checks records of jobs, logs, checkpoints, attestations, event numbers and
// timelines. Only reads records of series and the list of a timeline's rounds. Skips all other
// keys.
Status CheckReadable(const storage::MetaBatch& batch);

}  // namespace dl::master
