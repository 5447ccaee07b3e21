// What must hold through all lives of the master: the durable record only grows along the reference
// run, and nothing leaves the master that is not in it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "master/core/core.h"
#include "storage/memory_meta_store.h"
#include "tests/sim/sim_job.h"

namespace dl::sim {

class Ledger {
 public:
  Ledger(storage::MemoryMetaStore* meta, std::function<void(std::string)> breach)
      : meta_(meta), breach_(std::move(breach)) {}

  // A batch became durable.
  void Written(const storage::MetaBatch& batch);
  // Effects are released: whatever they tell must be durable.
  void Released(const master::Effect& effect);
  // What an executor has for the units that it computes at once.
  void SetMemory(const std::string& executor, int64_t bytes) { memory_[executor] = bytes; }
  // After every event: leases only of open units, at most two a unit and never two for one
  // executor, none for executors in quarantine, and no more for one than its memory holds.
  void CheckLeases(const master::Core& core);
  // At the start of a master: everything that was durable and acknowledged is there.
  void CheckRecovered(const master::Core& core);

  const Reference& ReferenceOf(const std::string& job);
  int64_t committed(const std::string& job) { return jobs_[job].committed; }
  int64_t rollbacks() const { return rollbacks_; }
  // Contributions of gathered rounds that were asked for each by itself, those that were asked for
  // as sums, and times that what was asked for was not wanted any more.
  int64_t gathered() const { return gathered_; }
  int64_t summed() const { return summed_; }
  int64_t cancelled_gathers() const { return cancelled_gathers_; }
  int64_t wrong_sums() const { return wrong_sums_; }  // that were found
  // Events behind which an executor had leases and no room for another unit like those.
  int64_t full() const { return full_; }
  // Executors lie about units that nobody checks: a commit may be wrong, and is compared only when
  // the job is done.
  void ExpectLies() { lies_ = true; }
  // Some result is wrong now and then: a job may go back.
  void ExpectRollbacks() { may_go_back_ = true; }
  bool expects_lies() const { return lies_; }

 private:
  struct JobFacts {
    int64_t records = 0;
    int64_t committed = -1;
    // The most that it was since the last batch began: a commit and a rollback behind it may be of
    // one, whose effects leave together.
    int64_t reached = -1;
    std::string last_sha256;
    std::string state;
    int64_t attempt = 0;
    bool acknowledged = false;
    std::map<int64_t, bool> checkpoints;
    std::set<int64_t> ever_checkpoints;
  };
  void WrittenRecord(const std::string& id, int64_t index, const std::string& text);
  void WrittenJob(const std::string& id, const std::string& text);
  bool Has(const std::string& key);

  storage::MemoryMetaStore* meta_;
  std::function<void(std::string)> breach_;
  std::map<std::string, JobFacts> jobs_;
  std::map<std::string, Reference> references_;
  std::map<std::string, int64_t> memory_;
  int64_t rollbacks_ = 0, full_ = 0;
  int64_t gathered_ = 0, summed_ = 0, cancelled_gathers_ = 0, wrong_sums_ = 0;
  bool lies_ = false, may_go_back_ = false;
};

}  // namespace dl::sim
