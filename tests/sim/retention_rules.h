// Retention deletes only jobs and uploads that are due, and all of them.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "master/gateway/retention.h"
#include "tests/sim/action_rules.h"
#include "tests/sim/audit.h"
#include "tests/sim/ledger.h"

namespace dl::sim {

class RetentionRules {
 public:
  RetentionRules(Audit& audit, const Ledger& ledger, const ActionRules& actions)
      : audit_(audit), ledger_(ledger), actions_(actions) {}

  master::RetentionPolicy kept;

  // A batch became durable.
  void Written(const storage::MetaBatch& batch);
  // When nothing has happened for longer than jobs are kept.
  void CheckSettled() const;

 private:
  struct Job {
    bool has_ended = false;
    int64_t ended_unix_ms = 0;
    Instant changed;  // time of the last record of the job or of one of its checkpoints
  };

  void Written(const std::string& id, const std::string& record);
  void Deleted(const std::string& id);
  // Jobs that retention could delete as well, and that ended earlier, are deleted before this job.
  void CheckOrder(const std::string& id, const Job& deleted) const;
  // Whether retention may delete the job if it is due.
  bool MayGo(const std::string& id) const;

  Audit& audit_;
  const Ledger& ledger_;
  const ActionRules& actions_;
  std::map<std::string, Job> jobs_;  // not deleted
};

}  // namespace dl::sim
