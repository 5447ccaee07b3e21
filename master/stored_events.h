// What was told of a job, read from the store: also by masters before this one.
#pragma once

#include <cstdint>
#include <string>

#include "base/status.h"
#include "rpc/messages.h"
#include "storage/meta_store.h"

namespace dl::master {

// Events of the job with sequence numbers between `after` and `before`, neither included, as many
// as fit an answer; terminal where they end with its result and nothing was told behind it. Empty
// where none is stored. Its cost does not grow with what lies before `after`. DataLoss for damaged
// ones. Thread-safe.
StatusOr<rpc::EventsReply> ReadStoredEvents(storage::MetaStore& store, const std::string& job,
                                            int64_t after, int64_t before);

}  // namespace dl::master
