// A complete cluster in one thread: disk, network, master, executors, a client, and the rules that
// must hold.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "tests/sim/disk.h"
#include "tests/sim/executor_machine.h"
#include "tests/sim/master_machine.h"
#include "tests/sim/rules.h"
#include "tests/sim/schedule_report.h"
#include "tests/sim/sim_client.h"
#include "tests/sim/sim_network.h"
#include "tests/sim/submitted_jobs.h"
#include "tests/sim/users.h"
#include "tests/sim/virtual_scheduler.h"
#include "tests/sim/virtual_time.h"

namespace dl::sim {

class Cluster {
 public:
  explicit Cluster(uint64_t seed);

  VirtualTime time;
  VirtualScheduler scheduler{&time};
  InstalledScheduler installed{&scheduler};
  ScheduleReport report;
  Disk disk;
  Network network;
  Rules rules;
  MasterMachine master;
  std::vector<std::unique_ptr<ExecutorMachine>> executors;
  Users users;
  Client client;
  SubmittedJobs jobs;

  // Sets how long the master keeps ended jobs and uploads.
  void Retain(const master::RetentionPolicy& kept) {
    master.kept = rules.retention.kept = kept;
    rules.blocks.kept = kept.uploads;
  }
  ExecutorMachine& AddExecutor(ExecutorSetup setup);  // no process runs there yet

  // Runs until `done`, a breach, or the time limit. Returns true if `done`.
  bool RunUntil(Instant limit, const std::function<bool()>& done);
  void RunFor(Duration span) {
    RunUntil(time.now() + span, [] { return false; });
  }
  // Runs until all jobs are done, and resumes jobs that stopped. It is a breach if no round log
  // grows within the limit plus the time of some stalls, which depends on the duration of the jobs'
  // units. It is also a breach if everything takes ten times the limit.
  bool RunToTheEnd(Duration limit);
  // Checks that each job's durable end equals the reference run's.
  void CheckResults();

 private:
  void Breach(std::string what);
  // Returns the number of durable records in the logs of all jobs.
  int64_t Records();
  // Returns the longest time for which a unit of any job may make no progress.
  Duration LongestStandstill() const;
  bool OtherIsAble(const std::string& id, const std::set<std::string>& but);

  uint64_t seed_;
  RandomStream pauses_;
};

// Runs one schedule of jobs and faults: a pure function of the seed.
ScheduleReport RunSchedule(uint64_t seed);

}  // namespace dl::sim
