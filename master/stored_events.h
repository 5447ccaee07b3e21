// Reads a job's events from the store, including those of earlier masters.
#pragma once

#include <cstdint>
#include <string>

#include "base/status.h"
#include "rpc/messages.h"
#include "storage/meta_store.h"

namespace dl::master {

// Returns the first stored events of the job with sequence numbers between `after` and `before`,
// both excluded, as many as fit an answer. Old events may be missing, because the store keeps a
// limited number. `last` is the sequence number of the last returned event, or `after` if no event
// is returned. `terminal` is set if the events end with the job's result and no later event is
// stored. The cost does not depend on the number of events before `after`. Returns DataLoss for
// damaged events, and errors of the store. Thread-safe.
StatusOr<rpc::EventsReply> ReadStoredEvents(storage::MetaStore& store, const std::string& job,
                                            int64_t after, int64_t before);

}  // namespace dl::master
