// A primitive on buffers of its own, whose runs are timed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "bench/measures.h"
#include "nn/backend/primitive.h"

namespace dl::bench {

// Not thread-safe. Ends the program if the primitive cannot be bound or run.
class TimedPrimitive {
 public:
  // Every float of every buffer begins as `fill`. Kernels that read positions from a workspace need
  // 0, the first position of a window.
  TimedPrimitive(const StatusOr<nn::Primitive>& primitive, float fill) : name_(primitive->name()) {
    const auto buffer = [&](nn::Role role) -> std::pair<nn::Role, void*> {
      constexpr size_t kAligned = 64, kMore = kAligned / sizeof(float);
      const auto floats = static_cast<size_t>(primitive->storage_floats(role));
      if (floats == 0) return {role, nullptr};
      memory_.emplace_back(floats + kMore, fill);
      const auto address = reinterpret_cast<uintptr_t>(memory_.back().data());
      return {role, reinterpret_cast<void*>((address + kAligned - 1) / kAligned * kAligned)};
    };
    using enum nn::Role;
    bound_ =
        *primitive->Bind({buffer(kSource), buffer(kWeights), buffer(kBias), buffer(kDestination),
                          buffer(kDiffSource), buffer(kDiffWeights), buffer(kDiffBias),
                          buffer(kDiffDestination), buffer(kWorkspace), buffer(kScratchpad)});
  }
  void Measure() {
    const double begin = ThreadSeconds();
    if (!bound_.Run().ok()) std::abort();
    least_s_ = std::min(least_s_, ThreadSeconds() - begin);
  }
  // Returns the least processor time of a run, in seconds.
  double least_s() const { return least_s_; }
  const std::string& name() const { return name_; }

 private:
  std::vector<std::vector<float>> memory_;
  nn::BoundPrimitive bound_;
  const std::string name_;
  double least_s_ = std::numeric_limits<double>::max();
};

}  // namespace dl::bench
