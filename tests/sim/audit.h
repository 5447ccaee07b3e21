// What the rules of a simulation share: where they look, what may happen, and whom they tell.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>

#include "security/token_book.h"
#include "storage/memory_meta_store.h"
#include "tests/sim/schedule_report.h"

namespace dl::sim {

// What a schedule may bring about, and would be a breach in others.
struct Expectations {
  // Executors lie about units that nobody checks: a commit may be wrong, and is compared only when
  // the job is done.
  bool lies = false;
  bool rollbacks = false;          // some result is wrong now and then: a job may go back
  bool disk_trouble = false;       // checkpoints are damaged, or cannot be written
  std::set<std::string> suspects;  // executors; only such may be quarantined
  std::set<std::string> rebinds;   // jobs of which a user asks for another kernel contract
};

struct Audit {
  storage::MemoryMetaStore* meta = nullptr;
  const security::TokenBook* tokens = nullptr;
  const std::map<std::string, std::string>* specs = nullptr;  // Disk::specs
  ScheduleReport* report = nullptr;
  std::function<void(std::string)> breach;
  // Whether an executor other than this one has been able to compute the job for a while.
  std::function<bool(const std::string& job, const std::string& executor)> other_is_able;
  Expectations expected;
};

}  // namespace dl::sim
