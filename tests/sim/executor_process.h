// An executor's shell on virtual time around the real control logic: computes units with the
// stand-in kernels, keeps states and results, talks to the master over the simulated network.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "executor/core/core.h"
#include "tests/sim/ledger.h"
#include "tests/sim/network.h"
#include "tests/sim/sim_job.h"

namespace dl::sim {

class ExecutorProcess {
 public:
  struct Options {
    VirtualTime* time = nullptr;
    Network* network = nullptr;
    Disk* disk = nullptr;  // where job specs are read, in place of FetchJob
    std::string name;
    uint64_t incarnation = 1;
    int32_t slots = 1;
    std::string isa = "avx2";
    std::string also_isa;  // it computes under that one's contract too, when it is asked
    std::vector<rpc::CrashedUnit> crashed;  // what the process before left
    int64_t unit_memory = 0;                // 0: it does not say
    uint64_t seed = 0;
    Duration unit_time = std::chrono::milliseconds(100);  // the longest that a unit takes
    double wrong = 0;       // probability that a result's bits are wrong
    double wrong_sums = 0;  // probability that a sum is not what its parts give
    double failing = 0;     // probability that a unit ends in an error
    double not_finite = 0;  // probability that a training unit's loss is no number
    double crashing = 0;    // probability that a unit ends the process by a signal
    std::function<void(const UnitId&, Ledger::Trouble)> trouble;
    std::function<void(const master::Core&, uint64_t session)> left;  // the goodbye is answered
    // The process has ended, by itself or by a signal, and left this note; it must be destroyed,
    // later.
    std::function<void(std::vector<rpc::CrashedUnit>)> ended;
    std::function<void()> start_anew;  // puts another process in this one's place
  };
  explicit ExecutorProcess(Options options);
  // SIGKILL, when the object ends.

  void Pause();     // SIGSTOP
  void Continue();  // SIGCONT: what came meanwhile is handled now, in order
  void CutOff(bool cut) { cut_off_ = cut; }  // no message of it arrives any more, nobody is told
  void BecomeHealthy() {
    options_.wrong = options_.wrong_sums = options_.failing = options_.not_finite =
        options_.crashing = 0;
  }
  void Drain();  // SIGTERM
  void Stop();   // and once more
  // A fatal signal, of a thread of no slot unless one is named by its lease.
  void Crash(uint64_t culprit = 0);
  bool paused() const { return paused_; }
  uint64_t session() const { return core_.session(); }
  const std::string& name() const { return options_.name; }

 private:
  void Post(std::function<void()> action);
  void Later(Duration wait, std::function<void()> action);
  void Handle(const executor::Event& event);
  void SetTimer();
  template <typename ReplyType>
  void Call(Duration deadline, Network::Deliver<ReplyType> deliver, Network::Done<ReplyType> done);

  void Do(const executor::SendRegister& effect);
  void Do(const executor::SendHeartbeat& effect);
  void Do(const executor::SendLease& effect);
  void Do(const executor::SendAnnounce& effect);
  void Do(const executor::SendFailure& effect);
  void Do(const executor::SendGoodbye& effect);
  void Do(const executor::SendContribution& effect);
  void Do(const executor::HoldResult&) {}
  void Do(const executor::SendGather& effect);
  void Do(const executor::RunUnit& effect);
  void Do(const executor::AbortUnit& effect);
  void Do(const executor::DropResult& effect) { results_.erase(effect.lease); }
  void Do(const executor::OfferPart& effect);
  void Do(const executor::StartAnew&) { options_.start_anew(); }
  void Do(const executor::Joined&) {}
  void Do(const executor::Waits&) {}
  void Do(const executor::Refused&) {}
  void Do(const executor::Warn&) {}
  void Do(const executor::Exit&);

  void FetchThen(const rpc::Lease& lease, const std::string& sha256,
                 std::function<void(Vector)> then);
  void FetchRest(const rpc::Lease& lease, Base have);
  void ComputeUnit(const rpc::Lease& lease, const Base& base);
  void EndUnit(const rpc::Lease& lease, const Base& base);
  void Lie(Outcome& outcome);
  void Remember(const std::string& sha256, Vector part);

  Options options_;
  RandomStream random_;
  executor::Core core_;
  bool paused_ = false;
  bool cut_off_ = false;
  bool exited_ = false;
  Instant timer_ = Instant::Max();
  std::deque<std::function<void()>> backlog_;         // while paused
  std::map<uint64_t, rpc::Lease> computing_;          // by lease
  std::map<uint64_t, Vector> results_;                // likewise
  std::deque<std::pair<std::string, Vector>> parts_;  // newest last
  std::shared_ptr<bool> alive_ =
      std::make_shared<bool>(true);  // shared with actions to come, which ask whether it still is
};

}  // namespace dl::sim
