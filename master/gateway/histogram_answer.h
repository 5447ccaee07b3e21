// The answer to a query about the histograms of a job.
#pragma once

#include <cstdint>

#include "base/status.h"
#include "rpc/messages.h"
#include "storage/meta_store.h"

namespace dl::master {

// Returns the answer to a query of the kind kHistograms as JSON (docs/formats.md, "Histograms").
// Reads the store only. A page ends after the round with which its estimated size exceeds
// `page_bytes`. Returns NotFound if the job does not exist; InvalidArgument for a negative number
// or too many patterns; DataLoss for damaged records; and errors of the store. Thread-safe.
StatusOr<rpc::QueryReply> HistogramAnswer(storage::MetaStore& meta,
                                          const rpc::QueryRequest& request, int64_t page_bytes);

}  // namespace dl::master
