// Queries a master about the histograms of a job's layers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "rpc/messages.h"
#include "rpc/service.h"

namespace dl::cli {

struct HistogramBucket {
  double low = 0, high = 0;
  int64_t count = 0;
};

struct RecordedHistogram {
  int64_t round = 0;
  std::string name;                      // "layer/conv1/parameters"
  int64_t values = 0;                    // number of counted values
  std::vector<double> quantiles;         // for each of HistogramReply::shares
  std::vector<HistogramBucket> buckets;  // ascending; empty unless the request asks for them
};

struct HistogramReply {
  int64_t rounds = 0;                         // last round that counts
  int64_t every_rounds = 0;                   // 0: the job has recorded no histograms
  std::vector<double> shares;                 // of the values below each quantile
  std::vector<RecordedHistogram> histograms;  // ascending by round
};

// Returns the histograms of all pages of the answer. Returns InvalidArgument if the master's answer
// is not an answer to a query for histograms, and errors of the master. REQUIRES: request.what is
// kHistograms.
StatusOr<HistogramReply> QueryHistograms(rpc::ClientService& client, rpc::QueryRequest request);

}  // namespace dl::cli
