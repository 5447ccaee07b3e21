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

// The edge that is nearer to 0 belongs to the bucket. A bucket around 0 contains neither edge.
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
  int64_t rounds = 0;        // last round of the job, without rounds that were rolled back
  int64_t every_rounds = 0;  // distance of recorded rounds; 0: no round is recorded
  // For each quantile, the share of the values below it, from 0 to 1.
  std::vector<double> shares;
  std::vector<RecordedHistogram> histograms;  // ascending by round
};

// Returns the histograms of all pages of the answer, of at most request.max_entries rounds if that
// is above 0. Returns InvalidArgument if the master's answer is not an answer to a query for
// histograms, and errors of rpc::ClientService::Query. REQUIRES: request.what is kHistograms.
StatusOr<HistogramReply> QueryHistograms(rpc::ClientService& client, rpc::QueryRequest request);

}  // namespace dl::cli
