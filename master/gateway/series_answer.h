// The answer to a query about the series of a job: which series it has, and curves of some of them.
#pragma once

#include <string>

#include "base/status.h"
#include "rpc/messages.h"
#include "storage/meta_store.h"

namespace dl::master {

// Most entries of all curves of an answer.
inline constexpr int64_t kMaxCurveEntries = 20'000;

// Returns the answer to a query of the kind kSeries as JSON (docs/formats.md, "Series"). Reads the
// store only. Returns:
//
// - NotFound if the job does not exist, or if no rounds of request.branch are stored.
// - InvalidArgument for a negative number, for a max_entries of 1, for too many patterns, or if the
//   answer may have more than kMaxCurveEntries entries.
// - DataLoss for damaged records, and errors of the store.
// - Unavailable if the series change during every attempt.
//
// Thread-safe.
StatusOr<std::string> SeriesAnswer(storage::MetaStore& meta, const rpc::QueryRequest& request);

}  // namespace dl::master
