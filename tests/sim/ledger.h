// What must hold through all lives of the master: the durable record only grows along the reference
// run, and nothing leaves the master that is not in it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "master/core/core.h"
#include "storage/memory_meta_store.h"
#include "tests/sim/reference.h"

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
  void AddContract(const std::string& executor, const std::string& contract) {
    contracts_[executor].insert(contract);
  }
  // After every event: leases only of open units, at most two a unit and never two for one
  // executor, none for executors in quarantine or of another kernel contract, and no more for one
  // than its memory holds.
  void CheckLeases(const master::Core& core);
  // At the start of a master: everything that was durable and acknowledged is there.
  void CheckRecovered(const master::Core& core);
  // A master is about to hear that it has to stop, and has stopped in order: of each job whose
  // state was there a checkpoint is durable, no older than that state.
  void NoteShutdown(const master::Core& core);
  void CheckStopped(const master::Core& core);
  // A unit ended the process that computed it, or failed there; with a loss that is no number or
  // for another reason.
  enum class Trouble { kNotFinite, kOther };
  void NoteTrouble(const UnitId& unit, Trouble what);
  // The master said goodbye to an executor, which holds nothing of its work any more.
  void CheckLeft(const master::Core& core, uint64_t session);

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
  // Checkpoints are damaged, or cannot be written.
  void ExpectDiskTrouble() { disk_fails_ = true; }
  // Only such may be quarantined.
  void Suspect(const std::string& executor) { suspects_.insert(executor); }
  // A user asks for another kernel contract, of executors of that instruction set if one is named.
  void ExpectRebind(const std::string& job) { jobs_[job].may_rebind = true; }
  bool HasRebound(const std::string& job) { return jobs_[job].may_rebind; }
  bool BeganFromAnother(const std::string& job) { return !jobs_[job].source.empty(); }
  int64_t rebinds() const { return rebinds_; }
  int64_t not_finite() const { return not_finite_; }    // jobs that FAILED for it
  int64_t unit_failed() const { return unit_failed_; }  // likewise
  int64_t quarantines() const { return quarantines_; }

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
    int64_t told = 0;  // the last event's sequence number
    bool acknowledged = false;
    std::map<int64_t, bool> checkpoints;
    std::set<int64_t> ever_checkpoints;
    RunBasis basis;
    std::string source;  // the checkpoint that it began from
    std::string isa;     // that a rebind asked for
    bool may_rebind = false;
    std::set<int64_t> evaluated;                    // rounds
    std::optional<int64_t> stops_with;              // the round that has to be in a checkpoint
    std::map<UnitId, int64_t> trouble, not_finite;  // by unit, how often
  };
  void Begins(const std::string& id, const master::LogRecord& start);
  void Rebinds(const std::string& id, const master::LogRecord& record);
  void CheckFailure(const std::string& id, const Json& record);
  void CheckSources(const std::set<std::string>& deleted);
  void WrittenRecord(const std::string& id, int64_t index, const std::string& text);
  void WrittenEvaluation(const std::string& id, const master::LogRecord& record,
                         const std::string& where);
  void WrittenJob(const std::string& id, const std::string& text);
  bool Has(const std::string& key);

  storage::MemoryMetaStore* meta_;
  std::function<void(std::string)> breach_;
  std::map<std::string, JobFacts> jobs_;
  std::map<std::string, Reference> references_;
  std::map<std::string, int64_t> memory_;
  std::map<std::string, std::set<std::string>> contracts_;  // that executors compute under
  int64_t rollbacks_ = 0, full_ = 0;
  int64_t gathered_ = 0, summed_ = 0, cancelled_gathers_ = 0, wrong_sums_ = 0;
  int64_t rebinds_ = 0, not_finite_ = 0, unit_failed_ = 0, quarantines_ = 0;
  bool lies_ = false, may_go_back_ = false, disk_fails_ = false;
  std::set<std::string> suspects_;
};

}  // namespace dl::sim
