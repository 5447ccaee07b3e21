// Computes units: one runner a slot, which keeps compiled networks and readers from unit to unit
// (executor/job_engine.h). What it computes is a pure function of the unit, the parts it starts
// from and the data; the plain loop of tests and benchmarks uses the same steps.
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
  // Of training: the unit's vector after its steps; shared with the sender.
  std::shared_ptr<FloatBuffer> state;
};

// Not thread-safe, except Begin, Cancel, the steps and `reading`.
class UnitRunner {
 public:
  // What a unit starts from.
  struct Base {
    std::map<std::string, SharedPart> parts;  // by name in the layout; each fits
    int64_t earlier_updates = 0;              // as in rpc::Lease
    int64_t plateaus = 0;                     // likewise
  };

  explicit UnitRunner(const JobEngines::Bounds& bounds = {}) : engines_(bounds) {}

  // Takes an earlier Cancel back. Who may cancel calls it when a unit becomes the one that Cancel
  // would be about, which is before Run: preparing takes time too.
  void Begin();
  // `next`: the unit that this slot will probably compute next (train, same job), or null. Errors,
  // blamed (executor/fault.h): Cancelled; what reading data returns; InvalidArgument when the loss
  // is not finite (`not_finite` is then set).
  StatusOr<UnitResult> Run(const std::shared_ptr<const JobContext>& job, const UnitId& unit,
                           const Base& base, const UnitId* next);
  // Run returns Cancelled soon, also one that has yet to start, until Begin.
  void Cancel() DL_EXCLUDES(mutex_);
  bool not_finite() const { return not_finite_; }
  int64_t steps_done() const { return steps_done_; }
  int64_t steps_total() const { return steps_total_; }
  int64_t engines_built() const { return engines_.built(); }
  // Whether it waits for data right now.
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
  JobEngine* engine_ = nullptr;  // of the unit under way
  std::atomic<bool> cancelled_{false}, reading_{false};
  std::atomic<int64_t> steps_done_{0}, steps_total_{0};
  bool not_finite_ = false;

  Mutex mutex_;
  dataset::PrefetchingReader* cancellable_ DL_GUARDED_BY(mutex_) = nullptr;  // engine_'s, or null
};

}  // namespace dl::executor
