// The durable data of each job: the record only grows, along the reference run.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "master/core/job/round_log.h"
#include "tests/sim/audit.h"
#include "tests/sim/failure_rules.h"
#include "tests/sim/reference.h"

namespace dl::sim {

struct DurableJob {
  int64_t records = 0;
  int64_t committed = -1;
  // Maximum of `committed` since the last batch began. A commit and a later rollback may be in one
  // batch, whose effects leave together.
  int64_t reached = -1;
  std::string last_sha256;
  std::string state;
  int64_t attempt = 0;
  std::set<int64_t> checkpoints;  // rounds
  std::set<int64_t> ever_checkpoints;
  std::set<int64_t> evaluated;  // rounds
  RunBasis basis;
  bool deleted = false;
  std::string source;      // checkpoint from which it began
  bool takes_all = false;  // took over the complete state, not only the weights
  std::string isa;         // requested by a rebind
  std::string owner;
};

class Ledger {
 public:
  Ledger(Audit& audit, FailureRules& failures) : audit_(audit), failures_(failures) {}

  // A batch became durable.
  void Written(const storage::MetaBatch& batch);

  const DurableJob& job(const std::string& id) { return jobs_[id]; }
  const std::map<std::string, DurableJob>& jobs() const { return jobs_; }
  const Reference& ReferenceOf(const std::string& job);
  bool Has(const std::string& key) const;

 private:
  void WrittenRecord(const std::string& id, int64_t index, const std::string& text);
  void Begins(const std::string& id, const master::LogRecord& start);
  void Rebinds(const std::string& id, const master::LogRecord& record);
  void GoesBack(const std::string& id, const master::LogRecord& record, const std::string& where);
  void Commits(const std::string& id, const master::LogRecord& record, const std::string& where);
  void Evaluates(const std::string& id, const master::LogRecord& record, const std::string& where);
  void WrittenJob(const std::string& id, const std::string& text);
  // Deletes keys together with their job.
  void DeletedPrefix(const std::string& key, std::set<std::string>& deleted_checkpoints);
  void WrittenCheckpoint(const std::string& id, int64_t round, const std::string& text);
  void DeletedCheckpoint(const std::string& id, int64_t round);
  // The source of a job is not deleted before the job has a checkpoint of its round 0. That
  // checkpoint stays until the job has SUCCEEDED.
  void CheckSources(const std::set<std::string>& deleted) const;

  Audit& audit_;
  FailureRules& failures_;
  std::map<std::string, DurableJob> jobs_;
  std::map<std::string, Reference> references_;
};

}  // namespace dl::sim
