// Counts the bytes of a job's states and contributions that go over connections, including repeated
// chunks: fetched from the master, contributed to it (Traffic). Thread-safe.
#pragma once

#include <atomic>

#include "master/core/job/traffic.h"

namespace dl::master {

class TrafficMeter {
 public:
  void Fetched(size_t bytes) { fetched_ += static_cast<int64_t>(bytes); }
  void Contributed(size_t bytes) { contributed_ += static_cast<int64_t>(bytes); }
  // Returns the bytes since the last call.
  Traffic Take() {
    return {.fetched = fetched_.exchange(0), .contributed = contributed_.exchange(0)};
  }

 private:
  std::atomic<int64_t> fetched_ = 0, contributed_ = 0;
};

}  // namespace dl::master
