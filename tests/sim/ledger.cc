#include "tests/sim/ledger.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/checksum.h"
#include "master/core/record_keys.h"
#include "master/core/records/checkpoint_record.h"
#include "master/core/records/log_record.h"
#include "master/store_recovery.h"

namespace dl::sim {
namespace {

bool Terminal(const std::string& state) {
  master::JobState parsed{};
  return master::ParseJobState(state, parsed) && master::IsTerminal(parsed);
}

// Returns the job and the number of a key with that prefix: "log/JOB/NUMBER".
std::optional<std::pair<std::string, int64_t>> NumberedKey(const std::string& key,
                                                           const std::string& prefix) {
  const size_t slash = key.rfind('/');
  int64_t number = -1;
  if (slash < prefix.size() || !absl::SimpleAtoi(key.substr(slash + 1), &number))
    return std::nullopt;
  return std::pair(key.substr(prefix.size(), slash - prefix.size()), number);
}

}  // namespace

bool Ledger::Has(const std::string& key) const {
  auto value = audit_.meta->Get(key);
  return value.ok() && value->has_value();
}

const Reference& Ledger::ReferenceOf(const std::string& job) {
  auto [place, fresh] = references_.try_emplace(job);
  if (fresh) {
    const SimJob definition = JobFromSpec(audit_.specs->at(job));
    place->second = RunWithoutFaults(definition, jobs_[job].basis);
  }
  return place->second;
}

void Ledger::Written(const storage::MetaBatch& batch) {
  for (auto& [id, job] : jobs_) job.reached = job.committed;
  std::set<std::string> deleted, gone, set_aside;  // keys of checkpoints
  for (const storage::MetaBatch::Change& change : batch.changes()) {
    const std::string& key = change.key;
    if (change.prefix) {
      DeletedPrefix(key, deleted);
    } else if (key.starts_with("log/")) {
      const auto record = NumberedKey(key, "log/");
      if (!change.value || !record)
        return audit_.breach(absl::StrCat("the round log shrinks: ", key));
      WrittenRecord(record->first, record->second, *change.value);
    } else if (key.starts_with(master::keys::kJobPrefix)) {
      if (change.value) {
        WrittenJob(key.substr(4), *change.value);
      } else {
        jobs_[key.substr(4)].deleted = true;
      }
    } else if (key.starts_with("checkpoint/") && key.find('~') != std::string::npos) {
      // No schedule lasts until one is old enough to be deleted.
      if (!change.value) return audit_.breach("what was set aside is deleted: " + key);
      set_aside.insert(key.substr(0, key.find('~')));
      ++audit_.report->set_aside;
    } else if (key.starts_with("checkpoint/")) {
      const auto checkpoint = NumberedKey(key, "checkpoint/");
      if (!checkpoint) return audit_.breach(absl::StrCat("a strange key: ", key));
      const auto& [id, round] = *checkpoint;
      if (change.value) {
        WrittenCheckpoint(id, round, *change.value);
      } else {
        if (round > jobs_[id].committed)
          gone.insert(key);
        else
          deleted.insert(absl::StrCat(id, "@", round));
        DeletedCheckpoint(id, round);
      }
    } else if (key.starts_with(master::keys::kQuarantinePrefix)) {
      const std::string executor = key.substr(key.find('/') + 1);
      ++audit_.report->quarantines;
      if (!audit_.expected.suspects.contains(executor))
        return audit_.breach(executor + " is quarantined, and nothing is wrong with it");
    }
  }
  CheckSources(deleted);
  // A rollback deletes no checkpoint; it sets checkpoints aside.
  for (const std::string& key : gone) {
    if (!set_aside.contains(key)) return audit_.breach(key + " is deleted by going back");
  }
}

void Ledger::DeletedPrefix(const std::string& key, std::set<std::string>& deleted_checkpoints) {
  const size_t slash = key.find('/');
  const std::string id = key.substr(slash + 1, key.rfind('/') - slash - 1);
  if (key.starts_with("log/") && !jobs_[id].deleted)
    return audit_.breach(absl::StrCat("the round log shrinks: ", key));
  if (!key.starts_with(master::keys::kCheckpointPrefix)) return;
  if (!jobs_[id].deleted)
    return audit_.breach(absl::StrCat("all checkpoints of a job are deleted: ", key));
  for (const int64_t round : std::exchange(jobs_[id].checkpoints, {}))
    deleted_checkpoints.insert(absl::StrCat(id, "@", round));
}

void Ledger::WrittenCheckpoint(const std::string& id, int64_t round, const std::string& text) {
  DurableJob& job = jobs_[id];
  if (round > job.committed)
    return audit_.breach(absl::StrCat("a checkpoint before its commit: ", id, "@", round));
  job.checkpoints.insert(round);
  job.ever_checkpoints.insert(round);
  if (audit_.expected.lies) return;
  const auto info = master::CheckpointInfoFromJson(Json::parse(text), id);
  const std::string state = Json::parse(info->manifest).at("state_sha256");
  if (state != ReferenceOf(id).states.at(static_cast<size_t>(round)).names.state_sha256)
    audit_.breach(absl::StrCat(id, "@", round, " is a checkpoint of another round's state"));
}

void Ledger::DeletedCheckpoint(const std::string& id, int64_t round) {
  DurableJob& job = jobs_[id];
  job.checkpoints.erase(round);
  // After a rollback, no checkpoint may count.
  if (job.checkpoints.empty() && round <= job.committed)
    audit_.breach(absl::StrCat("the last checkpoint is deleted: ", id, "@", round));
}

void Ledger::CheckSources(const std::set<std::string>& deleted) const {
  for (const auto& [id, job] : jobs_) {
    if (job.deleted || job.source.empty() || job.state == "SUCCEEDED") continue;
    const bool has_first = job.checkpoints.contains(0);
    if (!has_first && deleted.contains(job.source))
      audit_.breach(absl::StrCat(job.source, " is deleted, and ", id, " begins from it"));
    if (!has_first && deleted.contains(absl::StrCat(id, "@0")))
      audit_.breach(absl::StrCat(id, "@0 is deleted, and ", id, " has no seed"));
  }
}

void Ledger::WrittenRecord(const std::string& id, int64_t index, const std::string& text) {
  DurableJob& job = jobs_[id];
  const std::string where = absl::StrCat(" (", id, ", record ", index, ")");
  if (index != job.records)
    return audit_.breach("the round log is rewritten or has a hole" + where);
  auto record = master::LogRecordFromJson(Json::parse(text), where);
  if (!record.ok()) return audit_.breach(std::string(record.status().message()) + where);
  if (record->previous != job.last_sha256)
    return audit_.breach("the chain of the round log is broken" + where);
  ++job.records;
  job.last_sha256 = Sha256Hex(text);
  switch (record->type) {
    case master::RecordType::kRebind:
      return Rebinds(id, *record);
    case master::RecordType::kEvaluation:
      return Evaluates(id, *record, where);
    case master::RecordType::kRollback:
      return GoesBack(id, *record, where);
    case master::RecordType::kStart:
      Begins(id, *record);
      return Commits(id, *record, where);
    case master::RecordType::kCommit:
      return Commits(id, *record, where);
  }
}

// The log's first record defines the contract and the source of the run.
void Ledger::Begins(const std::string& id, const master::LogRecord& start) {
  DurableJob& facts = jobs_[id];
  const SimJob job = JobFromSpec(audit_.specs->at(id));
  const std::string isa = facts.isa.empty() ? job.isa : facts.isa;
  if (job.portable != (start.contract == nn::PortableContract()))
    return audit_.breach(absl::StrCat(id, " begins under ", start.contract, ", of other kernels"));
  if (!isa.empty() && start.contract != ContractOf(isa))
    return audit_.breach(
        absl::StrCat(id, " begins under ", start.contract, ", isa ", isa, " was asked"));
  facts.basis.trained_under = facts.basis.evaluated_under = {{1, start.contract}};
  const bool all = facts.takes_all;
  if (const auto from = master::ParseCheckpointName(facts.source)) {
    const auto round = static_cast<size_t>(from->round);
    const SimJob source = JobFromSpec(audit_.specs->at(from->job));
    facts.basis.first = StateFrom(job, ReferenceOf(from->job).states.at(round),
                                  all ? TakenOver::kAll : TakenOver::kWeights);
    const int64_t rounds = dataset::RoundsPerEpoch(source.plan);
    if (all && source.policy != averaging::UpdaterStatePolicy::kReset) {
      facts.basis.earlier_updates = jobs_[from->job].basis.earlier_updates;
      for (int64_t r = 0; r < from->round; ++r)
        facts.basis.earlier_updates += dataset::PlanRound(source.plan, r % rounds).steps;
    }
  }
  references_.erase(id);
}

void Ledger::Rebinds(const std::string& id, const master::LogRecord& record) {
  DurableJob& job = jobs_[id];
  // A job without a committed round may leave a contract that few executors have.
  if (!audit_.expected.rebinds.contains(id) && record.round > 0)
    return audit_.breach(id + " goes on under another kernel contract, and nobody asked for it");
  if (record.round != job.committed)
    return audit_.breach(id + " changes its kernel contract elsewhere than behind its last round");
  if (JobFromSpec(audit_.specs->at(id)).portable != (record.contract == nn::PortableContract()))
    return audit_.breach(
        absl::StrCat(id, " goes on under ", record.contract, ", of other kernels"));
  if (!job.isa.empty() && record.contract != ContractOf(job.isa))
    return audit_.breach(
        absl::StrCat(id, " goes on under ", record.contract, ", not with ", job.isa));
  const auto from = [&](std::map<int64_t, std::string>& contracts, int64_t round) {
    contracts.erase(contracts.lower_bound(round), contracts.end());
    contracts[round] = record.contract;
  };
  from(job.basis.trained_under, record.round + 1);
  from(job.basis.evaluated_under, record.round + (job.evaluated.contains(record.round) ? 1 : 0));
  references_.erase(id);
  ++audit_.report->rebinds;
}

void Ledger::GoesBack(const std::string& id, const master::LogRecord& record,
                      const std::string& where) {
  DurableJob& job = jobs_[id];
  if (!audit_.expected.lies && !audit_.expected.rollbacks)
    return audit_.breach("a job goes back though nobody lies" + where);
  if (record.round >= job.committed) return audit_.breach("a job goes back to where it is" + where);
  job.committed = record.round;
  job.evaluated.erase(job.evaluated.upper_bound(record.round), job.evaluated.end());
  ++audit_.report->rollbacks;
}

void Ledger::Commits(const std::string& id, const master::LogRecord& record,
                     const std::string& where) {
  DurableJob& job = jobs_[id];
  const Reference& reference = ReferenceOf(id);
  const bool lies = audit_.expected.lies;
  // A lie about the test set may stop the job at another round.
  if (record.round != job.committed + 1 || (!lies && record.round > reference.last_round)) {
    return audit_.breach("a round is committed out of turn" + where);
  }
  job.committed = record.round;
  job.reached = std::max(job.reached, job.committed);
  if (lies) return;
  const auto round = static_cast<size_t>(record.round);
  if (record.names != reference.states[round].names)
    return audit_.breach("a committed state is not the reference run's" + where);
  const bool same = std::ranges::equal(
      record.units, reference.units[round],
      [](const master::CommittedUnit& one, const master::CommittedUnit& expected) {
        return one.worker == expected.worker && one.hash == expected.hash &&
               one.examples == expected.examples;
      });
  if (!same) audit_.breach("a commit's units are not each worker of the plan once" + where);
  const bool said = record.epoch_train == reference.epoch_train[round] &&
                    record.epoch_hash_sum == reference.epoch_hash_sums[round];
  if (round > 0 && !said)
    audit_.breach("what a commit says of its epoch is not the reference run's" + where);
}

void Ledger::Evaluates(const std::string& id, const master::LogRecord& record,
                       const std::string& where) {
  jobs_[id].evaluated.insert(record.round);
  if (audit_.expected.lies) return;
  const Reference& reference = ReferenceOf(id);
  const auto test = reference.tests.find(record.round);
  if (test == reference.tests.end() || test->second != record.test)
    return audit_.breach("an evaluation is not the reference run's" + where);
  const bool stops = reference.stops && record.round == reference.last_round;
  if ((record.stop != 0) != stops)
    audit_.breach("a decision to stop is not the reference run's" + where);
}

void Ledger::WrittenJob(const std::string& id, const std::string& text) {
  const Json json = Json::parse(text);
  DurableJob& job = jobs_[id];
  const std::string state = json["state"];
  const int64_t attempt = json["attempt"];
  if (attempt < job.attempt) return audit_.breach(absl::StrCat(id, ": an attempt is taken back"));
  if (attempt == job.attempt && Terminal(job.state) && state != job.state) {
    return audit_.breach(absl::StrCat(id, " leaves the terminal state ", job.state, " for ", state,
                                      " within an attempt"));
  }
  if (state == "FAILED" && (job.state != state || job.attempt != attempt))
    failures_.Check(id, json);
  job.takes_all = json["resume_from"] != "";
  job.source = json[job.takes_all ? "resume_from" : "init_from"];
  job.isa = json.value("isa", "");
  job.owner = json.value("owner", "");
  if (state == "SUCCEEDED" && !audit_.expected.lies && ReferenceOf(id).fate != SimJob::Fate::kNone)
    return audit_.breach(id + " succeeds, and one of its units cannot be computed");
  job.state = state;
  job.attempt = attempt;
}

}  // namespace dl::sim
