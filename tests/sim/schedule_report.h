// The events of a schedule, so that a test can check that its faults occurred.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

namespace dl::sim {

struct ScheduleReport {
  std::string breach;  // empty: all rules held
  int64_t jobs = 0, rounds = 0;
  double virtual_seconds = 0;

  // ---- of masters ----
  int64_t master_starts = 0, shutdowns = 0;  // shutdowns: orderly stops
  // Counters of masters that ended. taken_back: rounds that began before a commit that was never
  // written.
  int64_t second_leases = 0, expired_leases = 0, duplicates = 0, replayed = 0, taken_back = 0;
  // Steps of all cores so far that took more than limits::kLongStep: their numbers and their
  // events.
  std::map<int64_t, std::string> long_steps;

  // ---- of executors ----
  int64_t executor_kills = 0, pauses = 0, left = 0, crashes = 0;  // crashes: ended by a signal
  int64_t hung = 0,
          started_anew = 0;  // units that never returned, and processes that were replaced for it
  // Number of events after which an executor had leases and no memory for another such unit.
  int64_t full = 0;
  int64_t quarantines = 0;
  std::set<std::string> lies;  // fields of messages that a liar altered

  // ---- of jobs ----
  int64_t resumed = 0, rebinds = 0, begun = 0;  // begun: from another job's checkpoint
  int64_t rollbacks = 0, damaged = 0;           // damaged: checkpoints
  int64_t set_aside = 0;                        // checkpoints
  int64_t lost_behind_a_rebind = 0;             // jobs that no undamaged checkpoint can continue
  int64_t killed_at_units = 0;                  // by machines that kill at every unit
  int64_t not_finite = 0, unit_failed = 0;      // jobs that FAILED for this reason
  int64_t deleted = 0, expired = 0;             // jobs deleted by users and by retention
  int64_t intrusions = 0;                       // actions of users without the right
  int64_t answers = 0, events_read = 0;         // of queries
  int64_t refused = 0;                          // requests that the master refused for lack of room
  // Contributions of gathered rounds that were requested one by one, those requested as sums,
  // requests that were cancelled, and wrong sums that were detected.
  int64_t gathered = 0, summed = 0, cancelled_gathers = 0, wrong_sums = 0;
};

}  // namespace dl::sim
