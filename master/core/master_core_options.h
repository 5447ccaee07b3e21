// Settings of the daemon. None of them can change a result.
#pragma once

#include <cstdint>
#include <string>

#include "base/clock.h"

namespace dl::master {

struct CoreOptions {
  Duration heartbeat = std::chrono::milliseconds(500);
  Duration session_timeout = std::chrono::seconds(10);  // without a heartbeat
  Duration lost_after_disconnect =
      std::chrono::milliseconds(1500);  // killed executors are found within 2 s
  Duration recovery_grace =
      std::chrono::milliseconds(700);  // after a restart, for executors to offer what they hold
  // After the master's start, or after an executor was lost, the executors that are registered
  // count as all that exist. Until then another one may register again.
  Duration return_grace = std::chrono::seconds(10);
  Duration straggler_floor =
      std::chrono::milliseconds(2000);  // never lease a second time before this age
  int64_t straggler_factor = 3;         // times the median unit's duration
  // For another executor to appear, where two disagree or all who are there failed.
  Duration another_executor_wait = std::chrono::seconds(30);
  // What retention would delete stays for a client that read a piece of it, this long.
  Duration read_checkpoint_stays = std::chrono::seconds(60);
  // A checkpoint that was set aside stays this long.
  Duration set_aside_stays = std::chrono::hours(30 * 24);
  bool verify_sample = true;  // compute a job's verify_fraction of units twice; off in local[N],
                              // where one machine would check itself
  // Before the contract of a job that asks for none is decided: for executors that start together.
  Duration contract_grace{};
  // Whether a registered executor's contract and instruction set are ones that this build knows;
  // null: all are. Only such decide what a job computes under.
  bool (*is_known_contract)(const std::string& contract, const std::string& isa) = nullptr;
  // Other executors than those that are there may register. False in local-cluster[N]: a job at
  // which all executors are killed again and again FAILS there and does not wait.
  bool others_may_join = true;
  // Executors are processes that can start anew; false in local[N], where they share this one.
  bool executors_can_restart = true;
  // Commits of a job that are in memory: the last ones, and as many of those that are to be
  // computed again.
  int64_t commits_kept = 64;
  // Jobs that ended and are still in memory: late results of theirs are compared.
  int64_t ended_kept = 64;
  int64_t max_running_jobs = 4;
  // Jobs that are queued: of one owner, and of all.
  int64_t max_queued_jobs_of_owner = 750;
  int64_t max_queued_jobs = 1000;
  // Jobs that are paused or about to be: of one owner, and of all.
  int64_t max_paused_jobs_of_owner = 250;
  int64_t max_paused_jobs = 1000;
  int64_t memory_bytes = int64_t{8} << 30;
  int64_t staging_bytes = int64_t{512} << 20;  // of one round's contributions
  // What the only executor that there will ever be has for units (local[N]); 0: others may join.
  int64_t only_unit_memory = 0;
  std::string memory_limit;  // what leaves it no more (base/machine_memory.h), for error messages
};

}  // namespace dl::master
