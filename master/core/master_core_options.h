// Settings of the master. None of them can change the results of a job under a given kernel
// contract.
#pragma once

#include <cstdint>
#include <string>

#include "base/clock.h"

namespace dl::master {

struct CoreOptions {
  Duration heartbeat = std::chrono::milliseconds(500);  // time between two heartbeats
  // Shortest time without a heartbeat after which a session ends (Session::silence_limit).
  Duration session_timeout = std::chrono::seconds(10);
  // Time after which a session ends if the connection of its heartbeats has closed. It is short, so
  // that killed executors are detected within 2 s.
  Duration lost_after_disconnect = std::chrono::milliseconds(1500);
  // Time for which a recovering job waits for executors that offer parts of its last state. Also
  // the time after the master's start in which no job is reported as waiting for executors.
  Duration recovery_grace = std::chrono::milliseconds(700);
  // After the master's start, or after an executor was lost, other executors may register again
  // within this time. Afterwards the registered executors count as all that exist.
  Duration return_grace = std::chrono::seconds(10);
  Duration straggler_floor =
      std::chrono::milliseconds(2000);  // least age of a unit's only lease before a second one
  // A unit may be leased a second time if its only lease has run for this multiple of the median
  // duration of the job's units.
  int64_t straggler_factor = 3;
  // Time to wait for another executor if no registered one may decide a dispute, or compute a unit
  // at which executors failed.
  Duration another_executor_wait = std::chrono::seconds(30);
  // Time for which a checkpoint is not deleted after a client read a part of it.
  Duration read_checkpoint_stays = std::chrono::seconds(60);
  // Running time of masters for which a checkpoint that was set aside is kept. A restart loses what
  // was not stored of this time (Checkpoints::kTimeNotStored).
  Duration set_aside_stays = std::chrono::hours(30 * 24);
  // Whether the share JobDefinition::verify_fraction of units and sums is verified. False in
  // local[N], which has one machine.
  bool verify_sample = true;
  // Time from the registration of the first executor that may compute a job, or from the master's
  // start if it is later, until the job's contract is decided. Executors that start together can
  // register in this time.
  Duration contract_grace{};
  // Whether this build knows an executor's contract and instruction set; null: all are known. Only
  // known ones take part in the decision on a job's contract.
  bool (*is_known_contract)(const std::string& contract, const std::string& isa) = nullptr;
  // Whether other executors may register. False in local-cluster[N]: a job FAILS there if it holds
  // off all executors (Eligibility::AllAreHeldOff), instead of waiting.
  bool others_may_join = true;
  // Whether executors can restart their processes. False in local[N], where they share this
  // process.
  bool executors_can_restart = true;
  // Values of results that a step adds again if a result was replaced (Job::AddUpTotals). They take
  // about a millisecond.
  int64_t values_per_step = 250'000;
  // Number of commits of a job in memory: this many of the last ones, and as many of those that are
  // computed again.
  int64_t commits_kept = 64;
  // Number of ended jobs in memory. Their late results are still compared.
  int64_t ended_kept = 64;
  // Whether series and timelines of jobs are recorded. False only where a benchmark measures their
  // cost (bench/history.cc).
  bool records_history = true;
  int64_t max_running_jobs = 4;  // jobs without eligible executors do not count
  // Limits on queued jobs: per owner, and in total.
  int64_t max_queued_jobs_of_owner = 750;
  int64_t max_queued_jobs = 1000;
  // Limits on jobs that are paused or about to be: per owner, and in total.
  int64_t max_paused_jobs_of_owner = 250;
  int64_t max_paused_jobs = 1000;
  // Limit of JobDefinition::MasterBytes, summed over the jobs that are computed or wait for
  // executors. A single job may use all of it.
  int64_t memory_bytes = int64_t{8} << 30;
  // Limit of the bytes of one round's contributions in memory. Larger rounds are gathered
  // (JobDefinition::IsGathered).
  int64_t staging_bytes = int64_t{512} << 20;
  // Memory in bytes for units of each executor if no other executors can join (local[N],
  // local-cluster[N]); 0: others may join.
  int64_t only_unit_memory = 0;
  std::string memory_limit;  // what limits the memory (base/machine_memory.h), for error messages
};

}  // namespace dl::master
