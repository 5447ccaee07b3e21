// The one who breaks things, one at a time, until the point of time when peace begins.
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
    bool rebinds = false;  // resumes jobs under another kernel contract
    bool mixed = false;    // of executors of two instruction sets
    // Makes a job that begins from a checkpoint of that one; null: none does.
    std::function<SimJob(const SimJob& source, TakenOver what)> another;
  };
  explicit Saboteur(Options options) : options_(std::move(options)), cluster_(*options_.cluster) {}

  void Begin(Instant peace, Duration pause);
  // A user asks for checkpoints of all jobs again and again, until peace begins.
  void AskForCheckpoints();
  // The master is killed whenever a job is being paused or cancelled, until peace begins.
  void KillMasterWhileJobsStop();
  // The master is told to stop whenever a round is merged, from a time on until peace begins.
  void ShutDownWhileRoundsMerge(Instant from);
  // Everything that was broken is whole again, but for what executors and master remember.
  void MakePeace();

 private:
  void Next();
  void BreakSomething();
  void BreakAnExecutor(ExecutorMachine& victim);
  void ActOnAJob();
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
  std::set<std::string> begun_from_;  // "JOB@ROUND", which stay whole
};

}  // namespace dl::sim
