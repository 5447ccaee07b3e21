// A whole cluster in one thread: disk, network, master, executors, a client, and whoever breaks
// them.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/sim/client.h"
#include "tests/sim/executor_process.h"
#include "tests/sim/ledger.h"
#include "tests/sim/master_process.h"
#include "tests/sim/network.h"

namespace dl::sim {

class Cluster {
 public:
  explicit Cluster(uint64_t seed);

  VirtualTime time;
  Disk disk;
  Network network;
  master::CoreOptions core_options;
  double death_at_write = 0;
  double slow_write = 0;
  std::unique_ptr<MasterProcess> master;
  std::vector<std::unique_ptr<ExecutorProcess>> executors;  // null: not running

  void StartMaster();
  void KillMaster();
  // SIGTERM: it ends when it says that it may, and another one is there that much later.
  void ShutDownMaster(Duration away);
  struct ExecutorSetup {
    int32_t slots = 1;
    int64_t unit_memory = 0;
    std::string isa = "avx2";
    std::string also_isa;
    Duration unit_time = std::chrono::milliseconds(100);
    double wrong = 0;
    double wrong_sums = 0;
    double failing = 0;
    double not_finite = 0;
    double crashing = 0;
  };
  size_t AddExecutor(ExecutorSetup setup);  // not started yet
  void StartExecutor(size_t index);
  // SIGKILL. Unless the machine is gone with it, the master's connection closes.
  void KillExecutor(size_t index, bool connection_closes = true);
  // SIGTERM, and once more when that is not enough. Another one comes in its place.
  void LetExecutorLeave(size_t index, Duration limit);
  // Neither this process nor one that is started in its place gives wrong results or fails.
  void Heal(size_t index);

  void Submit(const SimJob& job);
  Client& client() { return client_; }
  Ledger& ledger() { return ledger_; }
  const std::vector<std::string>& jobs() const { return jobs_; }  // acknowledged
  const master::Job* JobOf(const std::string& id);  // null: no master, or it does not know it

  void Breach(std::string what);
  const std::string& breach() const { return breach_; }
  // Runs until `done`, a breach, or the point of time; false unless done.
  bool RunUntil(Instant limit, const std::function<bool()>& done);
  void RunFor(Duration span) {
    RunUntil(time.now() + span, [] { return false; });
  }
  // Every submitted job SUCCEEDED, but for those whose fate is to fail; others that FAILED or were
  // cancelled are resumed on the way.
  bool RunToTheEnd(Duration limit);
  // Each job's durable end is the reference run's.
  void CheckResults();

  // Of all cores so far, and those of them that computed for more than limits::kLongStep: their
  // numbers and what the event was.
  int64_t steps = 0;
  std::map<int64_t, std::string> long_steps;
  int64_t master_starts() const { return master_starts_; }
  // Seen by masters that ended; the last: rounds begun ahead of a commit that was never written.
  int64_t second_leases = 0, expired_leases = 0, duplicates = 0, replayed = 0, taken_back = 0;
  // Masters that stopped in order, executors that left and such that a signal ended.
  int64_t shutdowns = 0, left = 0, crashes = 0;

 private:
  void CountFacts();
  bool IsDone(const master::Job& job);
  void ExecutorEnded(size_t index, std::vector<rpc::CrashedUnit> note);
  bool MayHoldLies(const master::Job& job) const;

  uint64_t seed_;
  Ledger ledger_;
  Client client_;
  std::string breach_;
  std::vector<ExecutorSetup> setups_;
  std::vector<uint64_t> incarnations_;
  std::vector<std::vector<rpc::CrashedUnit>> notes_;  // in the folders of executors
  RandomStream pauses_;
  Duration away_{};  // of a master that stops
  std::vector<std::string> jobs_;
  std::map<std::string, master::Job> ended_jobs_;  // that the store alone tells of
  int64_t submitted_ = 0;
  int64_t master_starts_ = 0;
  // Destroyed when nothing of them is on the stack.
  std::vector<std::unique_ptr<MasterProcess>> ended_;
};

// What a schedule went through, so that a test can see that its faults happened.
struct ScheduleReport {
  std::string breach;  // empty: all held
  int64_t jobs = 0, rounds = 0, master_starts = 0, executor_kills = 0, pauses = 0;
  int64_t second_leases = 0, expired_leases = 0, duplicates = 0, replayed = 0, taken_back = 0,
          resumed = 0, damaged = 0, rollbacks = 0, full = 0, gathered = 0, summed = 0,
          cancelled_gathers = 0, wrong_sums = 0, shutdowns = 0, left = 0, crashes = 0,
          not_finite = 0, unit_failed = 0, quarantines = 0, rebinds = 0, begun = 0;
  double virtual_seconds = 0;
  std::map<int64_t, std::string> long_steps;  // Cluster::long_steps
};
// One schedule of jobs and faults: a pure function of the seed.
ScheduleReport RunSchedule(uint64_t seed);

}  // namespace dl::sim
