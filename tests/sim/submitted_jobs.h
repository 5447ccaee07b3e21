// The jobs of a schedule, from their submission to their ends.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/sim/disk.h"
#include "tests/sim/master_machine.h"
#include "tests/sim/rules.h"
#include "tests/sim/sim_client.h"

namespace dl::sim {

class SubmittedJobs {
 public:
  struct Options {
    Client* client = nullptr;
    const MasterMachine* master = nullptr;
    Disk* disk = nullptr;
    Rules* rules = nullptr;
    ScheduleReport* report = nullptr;
    std::function<void(std::string)> breach;
  };
  explicit SubmittedJobs(Options options) : options_(std::move(options)) {}

  void Submit(const SimJob& job);
  const std::vector<std::string>& ids() const { return ids_; }  // acknowledged jobs
  // Null if no master is running or it does not know the job.
  const master::Job* Find(const std::string& id);
  // Whether every submitted job has SUCCEEDED, except those whose fate is to fail.
  bool AllDone();
  // Resumes the other jobs that FAILED, were cancelled or are paused.
  void ResumeThoseThatStopped();
  // Checks that each job's durable end equals the reference run's.
  void CheckResults();
  // Adds the counters of the current master to the report.
  void CountFacts();
  std::string Describe();

 private:
  bool IsDone(const master::Job& job);
  bool IsDeleted(const std::string& id) const;
  bool IsLostBehindARebind(const master::Job& job) const;
  bool MayHoldLies(const master::Job& job) const;

  Options options_;
  std::vector<std::string> ids_;
  int64_t submitted_ = 0;
  int64_t given_up_ = 0;  // submissions whose source no longer existed; not in submitted_
  std::map<std::string, master::Job> ended_;  // jobs that only the store has
};

}  // namespace dl::sim
