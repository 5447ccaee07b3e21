// Executes the core's effect that folds rows of figures.
#pragma once

#include "master/core/master_events.h"
#include "storage/meta_store.h"

namespace dl::master {

// Returns the changes that fold the job's rows, for the core to persist. Writes nothing. The status
// of storage::FoldRows is in SeriesFolded::status. Thread-safe.
SeriesFolded Fold(storage::MetaStore& store, const FoldSeries& asked);

}  // namespace dl::master
