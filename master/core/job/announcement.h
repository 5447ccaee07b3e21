// An announcement in the form that the core accepts. Another thread parses it
// (gateway/announcement_parsing.h), so that the core's thread does little more than a comparison.
#pragma once

#include <cstdint>

#include "base/shared.h"
#include "base/status.h"
#include "nn/metrics/metric_sums.h"
#include "rpc/messages.h"

namespace dl::master {

struct Announcement {
  rpc::AnnounceRequest said;                 // without metrics and magnitudes, which are below
  StatusOr<Shared<nn::MetricSums>> metrics;  // or why their text is not valid
  Shared<std::vector<double>> magnitudes;
  // XXH3-64 over everything that the unit computed: hash and length of its bytes, named parts,
  // examples, steps, sum of example hashes, metrics, magnitudes. Two correct computations of a unit
  // under one kernel contract have the same digest. Commits record it.
  uint64_t digest = 0;
};

}  // namespace dl::master
