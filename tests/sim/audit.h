// Data that the rules of a simulation share: what they read, what is allowed, how to report.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "base/clock.h"
#include "security/token_store.h"
#include "storage/memory_meta_store.h"
#include "tests/sim/schedule_report.h"

namespace dl::sim {

// Allows effects of a schedule that are breaches in other schedules.
struct Expectations {
  // Executors lie about units that are not verified. A commit may be wrong, so commits are compared
  // only when the job has ended.
  bool lies = false;
  bool rollbacks = false;          // some results may be wrong, so a job may roll back
  bool disk_trouble = false;       // checkpoints are damaged or cannot be written
  std::set<std::string> suspects;  // executors that may be quarantined; no others
  std::set<std::string> rebinds;   // jobs for which a user requests another kernel contract
};

struct Audit {
  storage::MemoryMetaStore* meta = nullptr;
  const security::TokenStore* tokens = nullptr;
  const std::map<std::string, std::string>* specs = nullptr;   // Disk::specs
  const std::map<std::string, std::string>* blocks = nullptr;  // Disk::blocks
  ScheduleReport* report = nullptr;
  // The wall clock may be wrong for moments: its current error, and the end of the last moment.
  int64_t wall_clock_error_ms = 0;
  Instant wall_clock_right_since;
  std::function<void(std::string)> breach;
  // Whether an executor other than these has been able to compute the job for some time.
  std::function<bool(const std::string& job, const std::set<std::string>& executors)> other_is_able;
  Expectations expected;
};

}  // namespace dl::sim
