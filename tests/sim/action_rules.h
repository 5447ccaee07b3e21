// No acknowledged action is undone, a deleted job never reappears, and a pinned checkpoint is kept
// as long as its job.
#pragma once

#include <map>
#include <set>
#include <string>

#include "master/core/master_events.h"
#include "tests/sim/audit.h"
#include "tests/sim/ledger.h"

namespace dl::sim {

class ActionRules {
 public:
  ActionRules(Audit& audit, const Ledger& ledger) : audit_(audit), ledger_(ledger) {}

  // An action of a user reached the master.
  void Asked(const rpc::JobActionRequest& request);
  // The action was acknowledged.
  void Acknowledged(const rpc::JobActionRequest& request) const;
  bool WasDeletedByUser(const std::string& job) const { return deletions_asked_.contains(job); }
  bool HasPinned(const std::string& job) const {
    const auto pinned = pinned_.find(job);
    return pinned != pinned_.end() && !pinned->second.empty();
  }
  // A batch became durable. Must be called before the ledger is updated.
  void Written(const storage::MetaBatch& batch);

 private:
  void Deleted(const std::string& job);
  void RecordDone(const std::string& key);

  Audit& audit_;
  const Ledger& ledger_;
  std::set<std::string> deletions_asked_;            // by users
  std::set<std::string> deletions_of_pinned_asked_;  // with a round
  std::set<std::string> deleted_;                    // jobs whose deletion is durable
  // Ids of requests whose actions are durable, and by job those that were durable before its
  // deletion. The master repeats their answers.
  std::set<std::string> done_;
  std::map<std::string, std::set<std::string>> done_before_;
  std::map<std::string, std::set<std::string>> pinned_;  // keys of checkpoint records, by job
};

}  // namespace dl::sim
