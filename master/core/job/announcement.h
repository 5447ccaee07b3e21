// An announcement in the form that the core accepts. It is parsed on another thread, so that the
// core's thread does little more than a comparison.
#pragma once

#include <cstdint>

#include "base/shared.h"
#include "base/status.h"
#include "nn/metrics/metric_sums.h"
#include "rpc/messages.h"

namespace dl::master {

struct Announcement {
  rpc::AnnounceRequest said;  // without metrics and magnitudes, which are below
  StatusOr<Shared<nn::MetricSums>> metrics;
  Shared<std::vector<double>> magnitudes;
  // XXH3-64 over everything that the unit computed: hash and length of its bytes, named parts,
  // examples, steps, sum of example hashes, metrics, magnitudes. Two correct computations of one
  // unit have the same digest. Commits record it.
  uint64_t digest = 0;
};

// Parses an announcement. If its metrics cannot be parsed or are too large, `metrics` holds the
// error. Pure function; thread-safe.
Announcement Understand(rpc::AnnounceRequest said);

}  // namespace dl::master
