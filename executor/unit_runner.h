// Computes units. Each slot has one runner, which keeps compiled networks and readers between units
// (executor/job_engine.h). The result is a pure function of the unit, its input parts and the data.
// The plain training loop of tests and benchmarks performs the same steps.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "base/ids.h"
#include "base/mutex.h"
#include "dataset/prefetching_reader.h"
#include "executor/job_context.h"
#include "executor/job_engine.h"
#include "executor/part_cache.h"
#include "nn/metrics/metric_sums.h"

namespace dl::executor {

struct UnitResult {
  int64_t examples = 0;
  int64_t steps = 0;
  uint64_t example_hash_sum = 0;
  nn::MetricSums metrics;
  // Training only: the unit's vector after its steps. Shared with the thread that sends it.
  std::shared_ptr<FloatBuffer> state;
};

// Not thread-safe, except Begin, Cancel, steps_done, steps_total and reading.
class UnitRunner {
 public:
  // Input of a unit.
  struct Base {
    std::map<std::string, SharedPart> parts;  // by name in the layout; each has the layout's size
    int64_t earlier_updates = 0;              // as in rpc::Lease
    int64_t plateaus = 0;                     // as in rpc::Lease
  };

  explicit UnitRunner(const JobEngines::Bounds& bounds = {}) : engines_(bounds) {}

  // Clears an earlier Cancel. Must be called when a unit becomes the target of Cancel. This
  // happens before Run, because preparing a unit takes time too.
  void Begin();
  // Computes a unit. `next`: the training unit of the same job that this slot will probably compute
  // next, or null. Errors carry a fault (executor/fault.h): Cancelled; the error of reading data;
  // InvalidArgument if the loss is not finite, in which case not_finite() is true.
  StatusOr<UnitResult> Run(const std::shared_ptr<const JobContext>& job, const UnitId& unit,
                           const Base& base, const UnitId* next);
  // Makes Run return Cancelled soon, also a Run that has not started yet. Lasts until Begin.
  void Cancel() DL_EXCLUDES(mutex_);
  bool not_finite() const { return not_finite_; }
  int64_t steps_done() const { return steps_done_; }
  int64_t steps_total() const { return steps_total_; }
  int64_t engines_built() const { return engines_.built(); }
  // Returns whether the unit is waiting for data at this moment.
  bool reading() const { return reading_; }

 private:
  Status Prepare(const std::shared_ptr<const JobContext>& job);
  StatusOr<UnitResult> Compute(const std::shared_ptr<const JobContext>& job, const UnitId& unit,
                               const Base& base, const UnitId* next);
  StatusOr<UnitResult> Train(const JobContext& job, const UnitId& unit, const Base& base);
  StatusOr<UnitResult> Evaluate(const JobContext& job);
  Status Load(const JobContext& job, const Base& base);
  StatusOr<const dataset::Minibatch*> Next();
  void SetCancellable(dataset::PrefetchingReader* reader) DL_EXCLUDES(mutex_);

  JobEngines engines_;
  JobEngine* engine_ = nullptr;  // of the running unit
  std::atomic<bool> cancelled_{false}, reading_{false};
  std::atomic<int64_t> steps_done_{0}, steps_total_{0};
  bool not_finite_ = false;

  Mutex mutex_;
  // The reader of engine_, or null.
  dataset::PrefetchingReader* cancellable_ DL_GUARDED_BY(mutex_) = nullptr;
};

}  // namespace dl::executor
