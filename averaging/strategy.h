// What is decided statistically in a job, behind one interface: what a unit hands back, on which
// grid and with which weights a round is merged, when it may close, and what the next state is.
// Master, executors, recovery and the simulator ask it, and know nothing else about averaging.
//
// A strategy is immutable: no I/O, threads or clock; thread-safe. Vectors are flat float32 in the
// layouts of layout(). What a round's result depends on is in its arguments alone.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "averaging/grid.h"
#include "averaging/state_layout.h"
#include "averaging/weights.h"
#include "base/status.h"

namespace dl::averaging {

// Parts of a state by key: the global ones and the strategy's.
using PartViews = std::map<std::string, std::span<const float>, std::less<>>;
using PartBuffers = std::map<std::string, std::span<float>, std::less<>>;

class Strategy {
 public:
  virtual ~Strategy() = default;

  const StateLayout& layout() const { return layout_; }
  virtual std::string_view name() const = 0;  // as `training.strategy.type`

  // Turns a unit's vector after its steps into what it hands back, in place. `model`: the part that
  // it started from. REQUIRES: both fit.
  virtual void MakeContribution(std::span<const float> model,
                                std::span<float> unit_state) const = 0;

  // What an executor announces of a contribution: magnitudes of its merged segments.
  // InvalidArgument when it does not fit, or holds a NaN or an infinity anywhere.
  StatusOr<Magnitudes> Measure(std::span<const float> contribution) const;

  // What the workers' contributions weigh, by the examples that they trained. Errors as
  // NormalizeWeights.
  virtual StatusOr<Weights> WeightsOf(std::span<const int64_t> examples) const;

  // A grid that nothing was announced for, and the same raised by an announcement. REQUIRES:
  // CheckMagnitudes.
  GridExponents EmptyGrid() const { return GridFor(layout_.merged, {}); }
  virtual void Raise(GridExponents& grid, std::span<const double> magnitudes) const;

  // Whether a round may be merged in which so many of its units are settled.
  virtual bool MayClose(int64_t settled, int64_t units) const { return settled == units; }

  // The next state. `next` has all global parts, which hold the mean of the contributions, and all
  // of the strategy's; both become those of the next state. `base` has the same parts of the state
  // before. InvalidArgument when the result is not finite: it must not be committed.
  virtual Status Advance(const PartViews& base, const PartBuffers& next) const = 0;

 protected:
  explicit Strategy(StateLayout layout) : layout_(std::move(layout)) {}

  StateLayout layout_;
};

}  // namespace dl::averaging
