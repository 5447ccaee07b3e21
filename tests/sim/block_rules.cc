#include "tests/sim/block_rules.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "master/core/record_keys.h"
#include "master/job_definition.h"

namespace dl::sim {

void BlockRules::Acknowledged(const std::vector<std::string>& names, Instant began) {
  for (const std::string& name : names) {
    // A job that named the block during the upload may be deleted together with it. With a wrong
    // clock, the master records another time in place of an earlier one.
    const auto named = named_at_.find(name);
    const bool named_since = named != named_at_.end() && named->second >= began;
    if (!named_since && began > audit_.wall_clock_right_since)
      brought_[name] = began;
    else
      brought_.erase(name);
    if (!blocks_.contains(name))
      audit_.breach(absl::StrCat("the upload ", name, " is acknowledged and not stored"));
  }
}

void BlockRules::Submitted(const std::vector<std::string>& names) {
  for (const std::string& name : names) RecordNamed(name);
}

void BlockRules::RecordNamed(const std::string& name) {
  named_at_[name] = Clock::Real().Now();
  brought_.erase(name);
}

void BlockRules::Written(const storage::MetaBatch& batch) {
  for (const storage::MetaBatch::Change& change : batch.changes()) {
    const std::string& key = change.key;
    if (!change.value || !key.starts_with(master::keys::kManifestPrefix)) continue;
    const size_t begin = std::string_view(master::keys::kManifestPrefix).size();
    const std::string job = key.substr(begin, key.rfind('/') - begin);
    const auto names = master::BlocksOf(*change.value, "");
    if (!names.ok()) return audit_.breach("a manifest cannot be read: " + key);
    for (const std::string& name : *names) {
      named_[job].insert(name);
      RecordNamed(name);
      if (!blocks_.contains(name))
        return audit_.breach(absl::StrCat(job, " is accepted without its block ", name));
    }
  }
}

void BlockRules::Deleted(const std::string& name) const {
  for (const auto& [job, names] : named_) {
    if (names.contains(name) && !ledger_.jobs().at(job).deleted)
      return audit_.breach(absl::StrCat("block ", name, " of ", job, " is deleted"));
  }
  const auto brought = brought_.find(name);
  constexpr Duration kRounding = std::chrono::milliseconds(10);
  if (brought != brought_.end() && Clock::Real().Now() - brought->second < kept - kRounding)
    audit_.breach(absl::StrCat("the upload ", name, " is deleted after ",
                               Seconds(Clock::Real().Now() - brought->second), " s"));
}

void BlockRules::CheckSettled() const {
  for (const auto& [job, names] : named_) {
    if (kept > Duration::zero() && ledger_.Has(master::keys::Deleted(job)))
      return audit_.breach(absl::StrCat("the space of the deleted ", job, " is not given back"));
  }
  for (const auto& [name, content] : blocks_) {
    const bool is_needed = std::ranges::any_of(named_, [&](const auto& entry) {
      return entry.second.contains(name) && (!ledger_.jobs().at(entry.first).deleted ||
                                             ledger_.Has(master::keys::Deleted(entry.first)));
    });
    if (!is_needed && !ledger_.Has(master::keys::Uploaded(name)))
      return audit_.breach(absl::StrCat("block ", name, " is never deleted"));
  }
}

}  // namespace dl::sim
