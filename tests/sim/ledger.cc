#include "tests/sim/ledger.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/checksum.h"
#include "master/core/keys.h"
#include "master/recovery.h"

namespace dl::sim {
namespace {

bool Terminal(const std::string& state) {
  master::JobState parsed{};
  return master::ParseJobState(state, parsed) && master::IsTerminal(parsed);
}

}  // namespace

bool Ledger::Has(const std::string& key) {
  auto value = meta_->Get(key);
  return value.ok() && value->has_value();
}

const Reference& Ledger::ReferenceOf(const std::string& job) {
  auto [place, fresh] = references_.try_emplace(job);
  if (fresh) {
    const SimJob definition = JobFromSpec(meta_->Get(master::keys::Spec(job))->value());
    place->second = RunWithoutFaults(definition, jobs_[job].basis);
  }
  return place->second;
}

void Ledger::Written(const storage::MetaBatch& batch) {
  for (auto& [id, facts] : jobs_) facts.reached = facts.committed;
  std::set<std::string> deleted;  // checkpoints
  for (const storage::MetaBatch::Change& change : batch.changes()) {
    const std::string& key = change.key;
    if (key.starts_with("log/")) {
      const size_t slash = key.rfind('/');
      int64_t index = -1;
      if (!change.value || !absl::SimpleAtoi(key.substr(slash + 1), &index)) {
        return breach_(absl::StrCat("the round log shrinks: ", key));
      }
      WrittenRecord(key.substr(4, slash - 4), index, *change.value);
    } else if (key.starts_with(master::keys::kJobPrefix)) {
      if (!change.value) return breach_(absl::StrCat("a job is deleted: ", key));
      WrittenJob(key.substr(4), *change.value);
    } else if (key.starts_with("checkpoint/")) {
      const size_t slash = key.rfind('/');
      int64_t round = -1;
      if (!absl::SimpleAtoi(key.substr(slash + 1), &round))
        return breach_(absl::StrCat("a strange key: ", key));
      JobFacts& facts = jobs_[key.substr(11, slash - 11)];
      if (change.value) {
        if (round > facts.committed)
          return breach_(absl::StrCat("a checkpoint before its commit: ", key));
        facts.checkpoints[round] = true;
        facts.ever_checkpoints.insert(round);
      } else {
        deleted.insert(absl::StrCat(key.substr(11, slash - 11), "@", round));
        facts.checkpoints.erase(round);
        // Behind a rollback none counts.
        if (facts.checkpoints.empty() && round <= facts.committed)
          return breach_(absl::StrCat("the last checkpoint is deleted: ", key));
      }
    } else if (key.starts_with(master::keys::kQuarantinePrefix)) {
      const std::string executor = key.substr(key.find('/') + 1);
      ++quarantines_;
      if (!suspects_.contains(executor))
        return breach_(executor + " is quarantined, and nothing is wrong with it");
    }
  }
  CheckSources(deleted);
}

void Ledger::CheckSources(const std::set<std::string>& deleted) {
  for (const auto& [id, facts] : jobs_) {
    if (facts.ever_checkpoints.empty() && deleted.contains(facts.source))
      breach_(absl::StrCat(facts.source, " is deleted, and ", id, " begins from it"));
  }
}

// The log's first record says under which contract, and of what, the run is.
void Ledger::Begins(const std::string& id, const master::LogRecord& start) {
  JobFacts& facts = jobs_[id];
  const SimJob job = JobFromSpec(meta_->Get(master::keys::Spec(id))->value());
  const std::string isa = facts.isa.empty() ? job.isa : facts.isa;
  if (!isa.empty() && start.contract != ContractOf(isa))
    return breach_(absl::StrCat(id, " begins under ", start.contract, ", isa ", isa, " was asked"));
  facts.basis.trained_under = facts.basis.evaluated_under = {{1, start.contract}};
  const Json record = Json::parse(meta_->Get(master::keys::Job(id))->value());
  const bool all = record["resume_from"] != "";
  if (const auto from = master::ParseCheckpointName(facts.source)) {
    const auto round = static_cast<size_t>(from->round);
    const SimJob source = JobFromSpec(meta_->Get(master::keys::Spec(from->job))->value());
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
  JobFacts& facts = jobs_[id];
  if (!facts.may_rebind)
    return breach_(id + " goes on under another kernel contract, and nobody asked for it");
  if (record.round != facts.committed)
    return breach_(id + " changes its kernel contract elsewhere than behind its last round");
  if (!facts.isa.empty() && record.contract != ContractOf(facts.isa))
    return breach_(absl::StrCat(id, " goes on under ", record.contract, ", not with ", facts.isa));
  const auto from = [&](std::map<int64_t, std::string>& contracts, int64_t round) {
    contracts.erase(contracts.lower_bound(round), contracts.end());
    contracts[round] = record.contract;
  };
  from(facts.basis.trained_under, record.round + 1);
  from(facts.basis.evaluated_under,
       record.round + (facts.evaluated.contains(record.round) ? 1 : 0));
  references_.erase(id);
  ++rebinds_;
}

void Ledger::WrittenRecord(const std::string& id, int64_t index, const std::string& text) {
  JobFacts& facts = jobs_[id];
  const std::string where = absl::StrCat(" (", id, ", record ", index, ")");
  if (index != facts.records) return breach_("the round log is rewritten or has a hole" + where);
  auto record = master::LogRecordFromJson(Json::parse(text), where);
  if (!record.ok()) return breach_(std::string(record.status().message()) + where);
  if (record->previous != facts.last_sha256)
    return breach_("the chain of the round log is broken" + where);
  ++facts.records;
  facts.last_sha256 = Sha256Hex(text);
  if (record->type == master::RecordType::kRebind) return Rebinds(id, *record);
  if (record->type == master::RecordType::kStart) Begins(id, *record);
  if (record->type == master::RecordType::kEvaluation) return WrittenEvaluation(id, *record, where);
  if (record->type == master::RecordType::kRollback) {
    if (!lies_ && !may_go_back_) return breach_("a job goes back though nobody lies" + where);
    if (record->round >= facts.committed) return breach_("a job goes back to where it is" + where);
    facts.committed = record->round;
    facts.evaluated.erase(facts.evaluated.upper_bound(record->round), facts.evaluated.end());
    ++rollbacks_;
    return;
  }
  const Reference& reference = ReferenceOf(id);
  // What lies say of the test set may stop the job at another round.
  if (record->round != facts.committed + 1 || (!lies_ && record->round > reference.last_round)) {
    return breach_("a round is committed out of turn" + where);
  }
  facts.committed = record->round;
  facts.reached = std::max(facts.reached, facts.committed);
  if (lies_) return;
  const auto round = static_cast<size_t>(record->round);
  if (record->names != reference.states[round].names)
    return breach_("a committed state is not the reference run's" + where);
  const auto& expected = reference.units[round];
  bool same = record->units.size() == expected.size();
  for (size_t i = 0; same && i < expected.size(); ++i) {
    same = record->units[i].worker == expected[i].worker &&
           record->units[i].hash == expected[i].hash &&
           record->units[i].examples == expected[i].examples;
  }
  if (!same) breach_("a commit's units are not each worker of the plan once" + where);
  const bool said = record->epoch_train == reference.epoch_train[round] &&
                    record->epoch_hash_sum == reference.epoch_hash_sums[round];
  if (round > 0 && !said)
    breach_("what a commit says of its epoch is not the reference run's" + where);
}

void Ledger::WrittenEvaluation(const std::string& id, const master::LogRecord& record,
                               const std::string& where) {
  jobs_[id].evaluated.insert(record.round);
  if (lies_) return;
  const Reference& reference = ReferenceOf(id);
  const auto test = reference.tests.find(record.round);
  if (test == reference.tests.end() || test->second != record.test)
    return breach_("an evaluation is not the reference run's" + where);
  const bool stops = reference.stops && record.round == reference.last_round;
  if ((record.stop != 0) != stops) breach_("a decision to stop is not the reference run's" + where);
}

void Ledger::WrittenJob(const std::string& id, const std::string& text) {
  const Json json = Json::parse(text);
  JobFacts& facts = jobs_[id];
  const std::string state = json["state"];
  const int64_t attempt = json["attempt"];
  if (attempt < facts.attempt) return breach_(absl::StrCat(id, ": an attempt is taken back"));
  if (attempt == facts.attempt && Terminal(facts.state) && state != facts.state) {
    return breach_(absl::StrCat(id, " leaves the terminal state ", facts.state, " for ", state,
                                " within an attempt"));
  }
  if (state == "FAILED" && (facts.state != state || facts.attempt != attempt))
    CheckFailure(id, json);
  const bool all = json["resume_from"] != "";
  facts.source = json[all ? "resume_from" : "init_from"];
  facts.isa = json.value("isa", "");
  if (state == "SUCCEEDED" && !lies_ && ReferenceOf(id).fate != SimJob::Fate::kNone)
    return breach_(id + " succeeds, and one of its units cannot be computed");
  facts.state = state;
  facts.attempt = attempt;
}

// A job fails for what is wrong with it, and not for what one machine says, or because others
// leave.
void Ledger::CheckFailure(const std::string& id, const Json& record) {
  const std::string reason = record["reason"];
  JobFacts& facts = jobs_[id];
  const auto twice = [](const std::map<UnitId, int64_t>& times) {
    return std::any_of(times.begin(), times.end(), [](const auto& one) { return one.second > 1; });
  };
  not_finite_ += reason == "not_finite" ? 1 : 0;
  unit_failed_ += reason == "unit_failed" ? 1 : 0;
  // Beside one that gives wrong results nobody may be there who decides.
  const bool may = reason == "not_finite"    ? twice(facts.not_finite)
                   : reason == "unit_failed" ? twice(facts.trouble)
                   : reason == "storage"     ? disk_fails_ || facts.may_rebind
                   : reason == "replay_mismatch" || reason == "disagreement" ? lies_ || may_go_back_
                                                                             : false;
  if (!may) breach_(absl::StrCat(id, " failed: ", record["message"].get<std::string>()));
}

void Ledger::NoteTrouble(const UnitId& unit, Trouble what) {
  JobFacts& facts = jobs_[unit.job];
  ++facts.trouble[unit];
  if (what == Trouble::kNotFinite) ++facts.not_finite[unit];
}

void Ledger::Released(const master::Effect& effect) {
  if (const auto* gather = std::get_if<master::ExpectGather>(&effect))
    (gather->sum ? summed_ : gathered_) += static_cast<int64_t>(gather->inputs.size());
  if (std::holds_alternative<master::DropGather>(effect)) ++cancelled_gathers_;
  if (const auto* publish = std::get_if<master::Publish>(&effect)) {
    if (publish->round > jobs_[publish->job].committed + 1)
      breach_(absl::StrCat(publish->job, " publishes more than the one round being written"));
  } else if (const auto* retire = std::get_if<master::Retire>(&effect)) {
    if (retire->round > jobs_[retire->job].reached) {
      breach_(absl::StrCat(retire->job, " lets go of what is before round ", retire->round,
                           " before it is durable"));
    }
  } else if (const auto* gone = std::get_if<master::DeleteCheckpoint>(&effect)) {
    auto record = meta_->Get(master::keys::Checkpoint(gone->job, gone->round));
    if (record.ok() && *record &&
        master::CheckpointInfoFromJson(Json::parse(**record), "record")->manifest ==
            gone->manifest) {
      breach_(absl::StrCat(gone->job, "@", gone->round, " is deleted before its record is"));
    }
  } else if (const auto* emit = std::get_if<master::Emit>(&effect)) {
    const std::string type = emit->event["type"];
    if (emit->sequence <= std::exchange(jobs_[emit->job].told, emit->sequence))
      breach_(absl::StrCat(emit->job, " tells event ", emit->sequence, " twice"));
    const auto told = meta_->Get(master::keys::Told(emit->job));
    if (!told.ok() || !*told || Json::parse(**told).at("last") < emit->sequence)
      breach_(absl::StrCat(emit->job, " tells event ", emit->sequence, " before it is durable"));
    const std::string message = emit->event.value("message", "");
    if (message.find("sent a sum") != std::string::npos) ++wrong_sums_;
    if (type == "checkpoint" &&
        !jobs_[emit->job].ever_checkpoints.contains(emit->event["round"].get<int64_t>())) {
      breach_(absl::StrCat(emit->job, " tells of a checkpoint before it is durable"));
    }
    if (type == "round" && emit->event["round"].get<int64_t>() > jobs_[emit->job].reached) {
      breach_(absl::StrCat(emit->job, " tells of a round before it is durable"));
    }
  } else if (const auto* answer = std::get_if<master::Answer>(&effect)) {
    const auto* submitted = std::get_if<rpc::SubmitReply>(&answer->reply);
    if (submitted == nullptr || !answer->status.ok()) return;
    if (!Has(master::keys::Job(submitted->job)))
      breach_(absl::StrCat(submitted->job, " is acknowledged before it is durable"));
    jobs_[submitted->job].acknowledged = true;
  }
}

void Ledger::CheckLeases(const master::Core& core) {
  std::map<std::string, int64_t> leased, largest;  // bytes
  for (const auto& [id, job] : core.jobs()) {
    for (const auto& [index, unit] : job.units) {
      std::set<std::string> executors;
      for (const master::UnitLease& lease : unit.leases) {
        if (!executors.insert(lease.executor).second)
          return breach_(absl::StrCat(lease.executor, " has two leases of one unit"));
        if (core.quarantined().contains(lease.executor))
          return breach_(lease.executor + " has a lease in quarantine");
        if (!contracts_[lease.executor].contains(job.record.contract))
          return breach_(lease.executor + " has a lease under another kernel contract");
        leased[lease.executor] += job.definition.unit_bytes;
        largest[lease.executor] = std::max(largest[lease.executor], job.definition.unit_bytes);
      }
      if (executors.size() > 2) return breach_("a unit is leased more than twice");
      for (const master::UnitError& error : unit.errors) {
        const bool alone =
            error.not_finite && unit.accepted &&
            std::any_of(unit.results.begin(), unit.results.end(), [&](const auto& r) {
              return job.word.IsAnothers(r, error.executor, unit.id.round);
            });
        if (alone && !core.quarantined().contains(error.executor))
          return breach_(error.executor + " alone saw a loss that is no number, and is believed");
      }
    }
  }
  for (const auto& [executor, memory] : memory_) {
    if (leased[executor] > memory)
      return breach_(executor + " has leases that its memory does not hold");
    if (leased[executor] > 0 && memory - leased[executor] < largest[executor]) ++full_;
  }
}

void Ledger::CheckLeft(const master::Core& core, uint64_t session) {
  for (const auto& [id, job] : core.jobs()) {
    for (const auto& [index, unit] : job.units) {
      for (const master::UnitLease& lease : unit.leases) {
        if (lease.session == session)
          return breach_(lease.executor + " said goodbye and still has a lease");
      }
    }
  }
}

void Ledger::NoteShutdown(const master::Core& core) {
  for (auto& [id, facts] : jobs_) {
    facts.stops_with.reset();
    const auto job = core.jobs().find(id);
    if (job == core.jobs().end() || !job->second.live()) continue;
    const bool there = job->second.phase != master::Phase::kPreparing && !job->second.replaying();
    if (there && job->second.at >= 0) facts.stops_with = job->second.at;
  }
}

void Ledger::CheckStopped(const master::Core& core) {
  for (const auto& [id, facts] : jobs_) {
    const auto job = core.jobs().find(id);
    if (job == core.jobs().end() || !facts.stops_with || facts.committed < *facts.stops_with)
      continue;
    const bool there =
        !facts.checkpoints.empty() && facts.checkpoints.rbegin()->first >= *facts.stops_with;
    if (!there)
      breach_(absl::StrCat(id, " stops without a checkpoint of round ", *facts.stops_with));
  }
}

void Ledger::CheckRecovered(const master::Core& core) {
  for (const auto& [id, facts] : jobs_) {
    const master::Job* job = core.Find(id);
    master::Job ended;
    if (const auto stored = master::FindEnded(*meta_, id, DefinitionOf);
        job == nullptr && stored.ok() && *stored != nullptr) {
      ended = master::Restored(**stored);
      job = &ended;
    }
    if (job == nullptr) {
      if (facts.acknowledged) return breach_(absl::StrCat("the acknowledged job ", id, " is lost"));
      continue;
    }
    if (job->log.committed != facts.committed)
      return breach_(absl::StrCat("a commit of ", id, " is lost: it is at ", job->log.committed,
                                  ", not at ", facts.committed));
    if (job->log.head.length != facts.records)
      return breach_(absl::StrCat("a record of ", id, " is lost"));
    for (const auto& [round, there] : facts.checkpoints) {
      if (!job->checkpoints.contains(round))
        return breach_(absl::StrCat("checkpoint ", id, "@", round, " is lost"));
    }
  }
}

}  // namespace dl::sim
