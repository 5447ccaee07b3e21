// The answer to a query about the timeline of a job: which executor had which unit, and when.
#pragma once

#include <cstdint>

#include "base/status.h"
#include "rpc/messages.h"
#include "storage/meta_store.h"

namespace dl::master {

// Most rounds of a page.
inline constexpr int64_t kMaxTimelineRounds = 1000;

// Returns a page of the rounds that a query of the kind kTimeline names, as JSON (docs/formats.md,
// "Timeline"). A page has at most `page_bytes`, or one round. Reads the store only. Returns
// NotFound if the job does not exist; InvalidArgument for a negative number; DataLoss for damaged
// records; and errors of the store. Thread-safe.
StatusOr<rpc::QueryReply> TimelineAnswer(storage::MetaStore& meta, const rpc::QueryRequest& request,
                                         int64_t page_bytes);

}  // namespace dl::master
