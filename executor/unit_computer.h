// Interface between a slot and what computes its units. UnitRunner computes them with the engine,
// tests/sim without kernels.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/ids.h"
#include "base/status.h"
#include "executor/job_context.h"
#include "executor/part_cache.h"
#include "nn/metrics/metric_sums.h"

namespace dl::executor {

struct UnitResult {
  int64_t examples = 0;
  int64_t steps = 0;
  uint64_t example_hash_sum = 0;
  nn::MetricSums metrics;
  Duration data_wait{};  // time in which it waited for minibatches
  // Histograms of the outputs of layers in the first minibatch (EncodeHistograms), if the unit
  // measures them (job::MeasuresActivations), otherwise empty.
  std::string activations;
  // Training only: the unit's contribution (averaging::Strategy::MakeContribution). Shared with the
  // thread that sends it.
  std::shared_ptr<FloatBuffer> state;
};

// Not thread-safe, except Begin, Cancel, steps_done, steps_total and reading.
class UnitComputer {
 public:
  // Input of a unit.
  struct Base {
    std::map<std::string, SharedPart> parts;  // by name in the layout; each has the layout's size
    int64_t earlier_updates = 0;              // as in rpc::Lease
    int64_t plateaus = 0;                     // as in rpc::Lease
  };

  virtual ~UnitComputer() = default;

  // Clears an earlier Cancel. Must be called when a unit becomes the target of Cancel. This
  // happens before Run, because preparing a unit takes time too.
  virtual void Begin() = 0;
  // Computes a unit. `next`: the training unit of the same job that this slot will probably compute
  // next, or null. Errors carry a fault (executor/fault.h): Cancelled; the error of reading data or
  // of the engine (nn/network.h); InvalidArgument for a unit that the job does not have, and if the
  // loss is not finite, in which case not_finite() is true.
  virtual StatusOr<UnitResult> Run(const std::shared_ptr<const JobContext>& job, const UnitId& unit,
                                   const Base& base, const UnitId* next) = 0;
  // Makes Run return Cancelled soon, also a Run that has not started yet. Lasts until Begin.
  virtual void Cancel() = 0;
  virtual bool not_finite() const = 0;
  // Number of minibatches of the current or last Run: computed ones, and all.
  virtual int64_t steps_done() const = 0;
  virtual int64_t steps_total() const = 0;
  // Returns whether the unit is waiting for data at this moment.
  virtual bool reading() const = 0;
};

}  // namespace dl::executor
