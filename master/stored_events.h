// Reads a job's events from the store, including those of earlier masters.
#pragma once

#include <cstdint>
#include <string>

#include "base/status.h"
#include "rpc/messages.h"
#include "storage/meta_store.h"

namespace dl::master {

// Returns events of the job with sequence numbers between `after` and `before`, both excluded, as
// many as fit an answer. `terminal` is set if they end with the job's result and no event follows
// it. Returns an empty reply if none is stored. The cost does not depend on the number of events
// before `after`. Returns DataLoss for damaged events, and errors of the store. Thread-safe.
StatusOr<rpc::EventsReply> ReadStoredEvents(storage::MetaStore& store, const std::string& job,
                                            int64_t after, int64_t before);

}  // namespace dl::master
