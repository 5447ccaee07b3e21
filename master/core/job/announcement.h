// An announcement in the form that the core accepts. Another thread parses it
// (gateway/announcement_parsing.h), so that the core's thread does little more than a comparison.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/shared.h"
#include "base/status.h"
#include "nn/metrics/metric_sums.h"
#include "rpc/messages.h"

namespace dl::master {

// Histograms that an executor announced.
struct AnnouncedHistograms {
  Shared<std::string> encoded;  // in the form of EncodeHistograms; empty: none
  struct Layer {
    std::string name;
    int64_t values = 0;  // number of counted values
  };
  std::vector<Layer> layers;  // in the order of `encoded`
  bool malformed = false;     // the bytes had another form, and were dropped
};

struct Announcement {
  // Without metrics, magnitudes and activations, which are below.
  rpc::AnnounceRequest said;
  StatusOr<Shared<nn::MetricSums>> metrics;  // or why their text is not valid
  Shared<std::vector<double>> magnitudes;
  AnnouncedHistograms activations;  // shown to users, and not part of the result
  // XXH3-64 over everything that the unit computed: hash and length of its bytes, named parts,
  // examples, steps, sum of example hashes, metrics, magnitudes. Two correct computations of a unit
  // under one kernel contract have the same digest. Commits record it.
  uint64_t digest = 0;
};

}  // namespace dl::master
