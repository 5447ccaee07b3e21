// The interface of the decisions that differ between strategies: the contribution of a unit, the
// grid and the weights of a merge, when a round may be merged, and the next state. The master, the
// executors, recovery and the simulator use strategies only through this interface.
//
// A strategy is immutable and thread-safe. It uses no I/O, threads or clock. Vectors are flat
// float32 in the layouts of layout(). Results depend only on the strategy's settings and the
// arguments, and have the same bits on every CPU.
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

// The global parts and the strategy's parts of a state, by key.
using PartViews = std::map<std::string, std::span<const float>, std::less<>>;
using PartBuffers = std::map<std::string, std::span<float>, std::less<>>;

class Strategy {
 public:
  virtual ~Strategy() = default;

  const StateLayout& layout() const { return layout_; }
  virtual std::string_view name() const = 0;  // as `training.strategy.type`

  // Turns a unit's vector after its steps into the contribution, in place. `model` is the model
  // part that the unit started from. REQUIRES: both fit the layout.
  virtual void MakeContribution(std::span<const float> model,
                                std::span<float> unit_state) const = 0;

  // Whether contributions hold the change of the parameters since the start of the unit. Otherwise
  // they hold the parameters.
  virtual bool ContributesChanges() const { return false; }

  // Returns the magnitudes of the merged segments, which an executor announces for a contribution.
  // Returns InvalidArgument if the vector does not fit or holds a NaN or an infinity anywhere.
  StatusOr<Magnitudes> Measure(std::span<const float> contribution) const;

  // Returns the weights of the workers' contributions, computed from the number of examples that
  // each worker trained. Returns the errors of NormalizeWeights.
  virtual StatusOr<Weights> WeightsOf(std::span<const int64_t> examples) const;

  // EmptyGrid returns the grid of a round without announcements. Raise raises it by the magnitudes
  // of an announcement. REQUIRES: CheckMagnitudes.
  GridExponents EmptyGrid() const { return GridFor(layout_.merged, {}); }
  virtual void Raise(GridExponents& grid, std::span<const double> magnitudes) const;

  // Returns true if a round may be merged when `settled` of its `units` units are settled.
  virtual bool CanClose(int64_t settled, int64_t units) const { return settled == units; }

  // Computes the next state in place. `next` has all global parts, which hold the mean of the
  // contributions, and all parts of the strategy, whose content is unspecified before the call.
  // `base` has the same parts of the previous state.
  // Returns InvalidArgument if the result is not finite; it must then not be committed.
  virtual Status Advance(const PartViews& base, const PartBuffers& next) const = 0;

 protected:
  explicit Strategy(StateLayout layout) : layout_(std::move(layout)) {}

  StateLayout layout_;
};

}  // namespace dl::averaging
