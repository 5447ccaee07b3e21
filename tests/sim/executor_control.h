// A simulated executor's short calls to the master.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "executor/core/events.h"
#include "tests/sim/executor_workshop.h"

namespace dl::sim {

class ExecutorControl {
 public:
  struct Options {
    std::string also_isa;  // it computes under that one's contract too, when it is asked
    std::function<void(const master::Core&, uint64_t session)> left;  // the goodbye is answered
  };
  ExecutorControl(ExecutorWorkshop& shop, Options options)
      : shop_(shop), options_(std::move(options)) {}

  void Do(const executor::SendRegister& effect);
  void Do(const executor::SendHeartbeat& effect);
  void Do(const executor::SendLease& effect);
  void Do(const executor::SendAnnounce& effect);
  void Do(const executor::SendFailure& effect);
  void Do(const executor::SendGoodbye& effect);

 private:
  ExecutorWorkshop& shop_;
  Options options_;
};

}  // namespace dl::sim
