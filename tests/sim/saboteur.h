// Causes faults, one at a time, until the time at which peace begins.
#pragma once

#include <functional>
#include <set>
#include <string>

#include "tests/sim/sim_cluster.h"

namespace dl::sim {

class Saboteur {
 public:
  struct Options {
    Cluster* cluster = nullptr;
    RandomStream random{{}};
    bool rebinds = false;             // resumes jobs under another kernel contract
    bool mixed = false;               // the executors have two instruction sets
    bool clock_is_set_right = false;  // the wall clock is wrong only for moments
    // Returns a job that begins from a checkpoint of `source`; null: no job does.
    std::function<SimJob(const SimJob& source, TakenOver what)> another;
  };
  explicit Saboteur(Options options) : options_(std::move(options)), cluster_(*options_.cluster) {}

  void Begin(Instant peace, Duration pause);
  // A user requests checkpoints of all jobs repeatedly, until peace begins.
  void AskForCheckpoints();
  // Kills the master whenever a job is being paused or cancelled, until peace begins.
  void KillMasterWhileJobsStop();
  // From a time on until peace begins, tells the master to stop whenever a round is merged.
  void ShutDownWhileRoundsMerge(Instant from);
  // Ends the faults, except what executors and the master remember of them. Incurable machines keep
  // their faults (ExecutorMachine::Heal). In half of the schedules, reads of metadata still lack
  // open files.
  void MakePeace();

 private:
  void Next();
  void BreakSomething();
  void SetClock();
  void BreakAnExecutor(ExecutorMachine& victim);
  void ActOnAJob();
  // Returns an instruction set for a rebind. "" for a job with portable kernels.
  std::string AnIsaFor(const std::string& id);
  void ResumeAJob(const std::string& id);
  void RebindBehindABack(const std::string& id);
  void DamageACheckpoint();
  void BeginAnother();
  ExecutorMachine& AnExecutor() {
    return *cluster_.executors[options_.random.Bounded(cluster_.executors.size())];
  }
  Duration UpTo(Duration longest);
  void Soon(Duration longest, std::function<void()> action) {
    cluster_.time.After(UpTo(longest), std::move(action));
  }
  bool OneIn(uint64_t n) { return options_.random.Bounded(n) == 0; }

  Options options_;
  Cluster& cluster_;
  Instant peace_;
  Duration pause_{};
  std::set<std::string> begun_from_;  // "JOB@ROUND" of checkpoints that are not damaged
};

}  // namespace dl::sim
