// Computes units. Each slot has one runner, which keeps compiled networks and readers between units
// (executor/job_engine.h). The result is a pure function of the unit, its input parts and the data.
// The plain training loop of tests and benchmarks performs the same steps.
#pragma once

#include <atomic>
#include <memory>

#include "base/clock.h"
#include "base/ids.h"
#include "base/mutex.h"
#include "dataset/prefetching_reader.h"
#include "executor/job_engine.h"
#include "executor/unit_computer.h"

namespace dl::executor {

// Has the contract of UnitComputer.
class UnitRunner final : public UnitComputer {
 public:
  explicit UnitRunner(const JobEngines::Bounds& bounds = {}) : engines_(bounds) {}

  void Begin() override;
  StatusOr<UnitResult> Run(const std::shared_ptr<const JobContext>& job, const UnitId& unit,
                           const Base& base, const UnitId* next) override;
  void Cancel() override DL_EXCLUDES(mutex_);
  bool not_finite() const override { return not_finite_; }
  int64_t steps_done() const override { return steps_done_; }
  int64_t steps_total() const override { return steps_total_; }
  int64_t engines_built() const { return engines_.built(); }
  bool reading() const override { return reading_; }

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
  Duration data_wait_{};  // of the current or last Run

  Mutex mutex_;
  // The reader of engine_, or null.
  dataset::PrefetchingReader* cancellable_ DL_GUARDED_BY(mutex_) = nullptr;
};

}  // namespace dl::executor
