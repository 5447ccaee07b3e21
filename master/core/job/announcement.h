// An announcement as the core takes it: understood outside, and in memory that is touched already,
// so that no event of a peer costs the core's thread more than a comparison.
#pragma once

#include <cstdint>

#include "base/shared.h"
#include "base/status.h"
#include "nn/metrics/metric_sums.h"
#include "rpc/messages.h"

namespace dl::master {

struct Announcement {
  rpc::AnnounceRequest said;  // but its metrics and magnitudes
  StatusOr<Shared<nn::MetricSums>> metrics;
  Shared<std::vector<double>> magnitudes;
  // XXH3-64 over everything that the unit computed: the hash and length of its bytes, examples,
  // steps, sum of example hashes, metrics, magnitudes. Two computations of one unit have the same
  // one; commits record it.
  uint64_t digest = 0;
};

// A pure function; thread-safe.
Announcement Understand(rpc::AnnounceRequest said);

}  // namespace dl::master
