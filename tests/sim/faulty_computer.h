// Computes the units of an executor's slot without kernels, each in its own time, with the faults
// of the machine.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "base/float_buffer_pool.h"
#include "executor/core/executor_events.h"
#include "executor/unit_computer.h"
#include "tests/sim/executor_services_under_test.h"
#include "tests/sim/failure_rules.h"
#include "tests/sim/virtual_thread.h"

namespace dl::sim {

class FaultyComputer final : public executor::UnitComputer {
 public:
  struct Options {
    Duration unit_time = std::chrono::milliseconds(100);  // maximum duration of a unit
    std::function<const rpc::Lease&()> lease;             // of the unit that the slot computes
    std::function<void(const UnitId&, Trouble)> trouble;
    std::function<void(const UnitId&)> killed;
    // A fatal signal ends the process. `own`: in this slot's thread, otherwise in another thread.
    std::function<void(bool own)> crash;
  };
  FaultyComputer(ExecutorServicesUnderTest& services, Options options)
      : services_(services), options_(std::move(options)) {}

  void Begin() override { cancelled_ = false; }
  StatusOr<executor::UnitResult> Run(const std::shared_ptr<const executor::JobContext>& job,
                                     const UnitId& unit, const Base& base,
                                     const UnitId* next) override;
  // Run returns a little later. If it hangs, it never does.
  void Cancel() override;
  bool not_finite() const override { return not_finite_; }
  int64_t steps_done() const override;  // all steps take the same time
  int64_t steps_total() const override { return began_ == Instant{} ? 0 : kSteps; }
  bool reading() const override { return false; }

 private:
  static constexpr int64_t kSteps = 100;

  bool Happens(double probability) {
    return probability > 0 && services_.random.NextDouble() < probability;
  }
  // Waits until the process ends.
  static Status NeverReturn();
  // Waits until the unit is computed. Returns false if it was cancelled.
  bool PassTime();
  StatusOr<executor::UnitResult> Compute(const SimJob& job, const UnitId& unit, const Base& base);

  ExecutorServicesUnderTest& services_;
  const Options options_;
  VirtualThread* thread_ = nullptr;  // the thread that waits in PassTime
  bool cancelled_ = false;
  bool not_finite_ = false;
  Instant began_, ends_;  // time in the kernels; 0: not there yet
  FloatBufferPool results_;
};

// Changes the announcement of a result, or its bytes, as broken memory or software might.
class FaultyMemory {
 public:
  FaultyMemory(ExecutorServicesUnderTest& services,
               std::function<void(const UnitId&, Trouble)> trouble)
      : services_(services), trouble_(std::move(trouble)) {}

  void Alter(executor::UnitFinished& finished);

 private:
  void Lie(executor::UnitFinished& finished);
  void MakeAbsurd(rpc::AnnounceRequest& said);

  ExecutorServicesUnderTest& services_;
  const std::function<void(const UnitId&, Trouble)> trouble_;
};

}  // namespace dl::sim
