#include "tests/sim/action_rules.h"

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "master/core/record_keys.h"

namespace dl::sim {
namespace {

// Returns the job of a record's key: "job/ID", "spec/ID", "log/ID/NUMBER" and similar. Returns an
// empty string for keys of no job.
std::string JobOf(const std::string& key) {
  for (const char* prefix : {"job/", "spec/", "head/", "log/", "checkpoint/", "told/", "ended/"}) {
    if (!key.starts_with(prefix)) continue;
    const size_t begin = std::string_view(prefix).size();
    return key.substr(begin, key.find('/', begin) - begin);
  }
  return "";
}

}  // namespace

void ActionRules::Asked(const rpc::JobActionRequest& request) {
  if (request.action != rpc::JobAction::kDelete) return;
  deletions_asked_.insert(request.job);
  if (request.round >= 0) deletions_of_pinned_asked_.insert(request.job);
}

void ActionRules::Acknowledged(const rpc::JobActionRequest& request) const {
  const bool gone = deleted_.contains(request.job);
  if (request.action == rpc::JobAction::kDelete) {
    if (!gone) audit_.breach(request.job + ": its deletion is acknowledged before it is durable");
  } else if (gone && ledger_.jobs().contains(request.job) &&
             !done_before_.at(request.job).contains(request.request_id)) {
    audit_.breach(request.job + ": an action on a deleted job is acknowledged");
  }
}

void ActionRules::RecordDone(const std::string& key) {
  if (!key.starts_with(master::keys::kRequestPrefix)) return;
  done_.insert(key.substr(key.rfind('/') + 1));  // "request/NUMBER/OWNER/ID"
}

void ActionRules::Written(const storage::MetaBatch& batch) {
  std::set<std::string> gone;  // deleted records of pinned checkpoints
  for (const storage::MetaBatch::Change& change : batch.changes()) {
    if (change.value) RecordDone(change.key);
    const std::string job = JobOf(change.key);
    if (job.empty()) continue;
    if (!change.value) {
      if (change.key == master::keys::Job(job)) Deleted(job);
      if (pinned_[job].erase(change.key) > 0) gone.insert(change.key);
      continue;
    }
    if (deleted_.contains(job))
      return audit_.breach(absl::StrCat(job, ": a deleted job comes back: ", change.key));
    if (!change.key.starts_with(master::keys::kCheckpointPrefix)) continue;
    // The checkpoint is set aside, not deleted.
    gone.erase(change.key.substr(0, change.key.find('~')));
    if (Json::parse(*change.value).value("pinned", false)) {
      pinned_[job].insert(change.key);
    } else {
      pinned_[job].erase(change.key);
    }
  }
  if (!gone.empty()) audit_.breach("the pinned " + *gone.begin() + " is deleted");
}

void ActionRules::Deleted(const std::string& job) {
  const bool by_user = deletions_asked_.contains(job);
  ++(by_user ? audit_.report->deleted : audit_.report->expired);
  if (!deletions_of_pinned_asked_.contains(job) && !pinned_[job].empty()) {
    audit_.breach(absl::StrCat(job, ": ", by_user ? "a user without a round" : "retention",
                               " deletes the pinned ", *pinned_[job].begin()));
  }
  deleted_.insert(job);
  done_before_[job] = done_;
}

}  // namespace dl::sim
