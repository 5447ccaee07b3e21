#include "master/core/machine/trust.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "master/core/record_keys.h"
#include "master/core/records/unverified_record.h"

namespace dl::master {

void Trust::OpenDispute(Job& job, const Unit& unit) {
  job.attestations.dispute_since = step_.now;
  // The round is being merged from a result that may be wrong. It is merged again after the
  // dispute.
  uses_.gathering.ReopenRound(job);
  step_.Warn(job, absl::StrCat("two different results of unit ", ToString(unit.id),
                               job.replaying() ? ", one of which is committed" : "",
                               "; a third executor decides"));
}

// Voters against the majority are not trusted any more, and their results of the unit are removed.
std::optional<uint64_t> Trust::SettleDispute(Job& job, Unit& unit) {
  uint64_t majority = 0;
  if (!unit.Majority(majority)) return std::nullopt;
  const std::map<std::string, std::string> odd = unit.OddOnesOut(majority);
  std::erase_if(unit.results, [&](const UnitResult& r) { return r.digest != majority; });
  if (unit.accepted && unit.result.digest != majority) open_units_.TakeBack(unit);
  const auto is_one = [](const std::string& voter) {
    return voter != kCommitted && voter != kUnknownExecutor;
  };
  for (const auto& [executor, token] : odd) {
    if (!is_one(executor)) continue;
    step_.Warn(job, absl::StrCat("executor ", executor, " computed a wrong result of unit ",
                                 ToString(unit.id), " and gets no more work"));
  }
  const std::vector<UnitResult> votes = unit.results;  // a quarantine removes some of them
  for (const auto& [executor, token] : odd) {
    if (is_one(executor)) Quarantine(executor, token);
  }
  if (!odd.contains(std::string(kCommitted))) return majority;
  // The executors agree against the commit, so this round and all later ones are computed again.
  requests_.RollBack(job, {.to = unit.id.round - 1, .votes = {{unit.id, votes}}});
  return std::nullopt;
}

void Trust::QuarantineForContradiction(Job& job, const UnitId& unit, const Session& session) {
  job.attestations.dispute_since = step_.now;
  step_.Warn(job,
             absl::StrCat("executor ", session.who.executor, " gave two different results of unit ",
                          ToString(unit), " and gets no more work"));
  Quarantine(session.who.executor, session.accountable_token);
}

// If another executor computed the unit without the value that is not finite, the machine is at
// fault and not the unit.
void Trust::QuarantineSoleNanReporter(Job& job, const Unit& unit) {
  std::map<std::string, std::string> alone;  // with their tokens
  for (const UnitError& error : unit.errors) {
    const bool contradicted =
        error.not_finite && unit.accepted &&
        std::any_of(unit.results.begin(), unit.results.end(), [&](const UnitResult& r) {
          return job.attestations.IsIndependentEvidence(r, error.executor, unit.id.round);
        });
    if (contradicted) alone.emplace(error.executor, error.token);
  }
  for (const auto& [executor, token] : alone) {
    if (fleet_.IsQuarantined(executor)) continue;
    step_.Warn(job,
               absl::StrCat("executor ", executor, " reported values that are not finite in unit ",
                            ToString(unit.id),
                            ", but another executor computed finite values; it gets no more work"));
    Quarantine(executor, token);
  }
}

// Results in open rounds are computed again by others, unless another executor gave the same.
// Committed rounds that rest on this executor alone no longer count.
void Trust::Quarantine(const std::string& executor, const std::string& token) {
  if (!fleet_.PutInQuarantine(executor, token)) return;
  fleet_changes_.Record();
  step_.WriteLog(absl::StrCat("executor ", executor, " is quarantined: it gets no more work"));
  for (auto& [id, job] : jobs_.live()) {
    for (auto& [index, unit] : job.units) {
      const uint64_t expected = unit.result.expected;
      jobs_.TouchUnit(job, index);
      unit.RecordEndsOf(executor, storage::LeaseEnd::kDistrusted, step_.came);
      if (!unit.Distrust(executor, job.gathering.summed_by.contains(executor))) continue;
      if (unit.id.kind == UnitKind::kTrain) step_.Do(DropContribution{unit.id, expected});
    }
    if (!job.AllSettled()) uses_.gathering.ReopenRound(job);
    const auto since = job.attestations.unverified_since.find(executor);
    const bool counts =
        since != job.attestations.unverified_since.end() && since->second <= job.log.committed;
    WarnOfSource(job, executor);
    if (!counts || !job.active()) continue;
    if (job.RollsBackOnQuarantine())
      requests_.RollBack(job, {.to = since->second - 1});
    else
      WarnOfRounds(job, executor, since->second);
  }
  // Ended jobs mention it when a user asks for their result (ResultView::distrust).
  for (auto& [id, job] : jobs_.ended()) {
    WarnOfSource(job, executor);
    const auto since = job.attestations.unverified_since.find(executor);
    if (since == job.attestations.unverified_since.end() || since->second > job.log.committed)
      continue;
    WarnOfRounds(job, executor, since->second);
  }
}

void Trust::WarnOfRounds(Job& job, const std::string& executor, int64_t since) {
  step_.Warn(job,
             absl::StrCat("its rounds from ", since, " on contain results of executor ", executor,
                          " that no other executor confirmed, and that executor "
                          "computed a wrong result"));
}

// A job also rests on its source.
void Trust::WarnOfSource(Job& job, const std::string& executor) {
  if (!job.attestations.source_unverified.contains(executor)) return;
  const std::string& source =
      job.record.resume_from.empty() ? job.record.init_from : job.record.resume_from;
  step_.Warn(job, absl::StrCat("it started from checkpoint ", source,
                               ", which contains results of executor ", executor,
                               " that no other executor confirmed, and that executor "
                               "computed a wrong result"));
}

void Trust::RecordSource(Job& job) {
  PersistUnverified(job);
  for (const std::string& executor : job.attestations.source_unverified) {
    if (fleet_.IsQuarantined(executor)) WarnOfSource(job, executor);
  }
  for (const std::string& source : {job.record.resume_from, job.record.init_from}) {
    const std::optional<CheckpointName> name = ParseCheckpointName(source);
    if (!name || name->set_aside == 0) continue;
    step_.Warn(
        job, absl::StrCat("it starts from checkpoint ", source,
                          ", which was set aside because its round depends on untrusted results"));
  }
}

void Trust::RecordConfirmations(Job& job, int64_t round) {
  const std::set<std::string>& deciders = job.definition.verify_executors;
  struct Given {
    bool alone = false;  // a result that no other executor gave
    int confirmed = 0;
  };
  std::map<std::string_view, Given> given;  // by executor
  for (const auto& [worker, unit] : job.units) {
    std::vector<std::string_view> same;  // executors that gave the committed result
    for (const UnitResult& r : unit.results) {
      if (r.digest == unit.result.digest && std::ranges::find(same, r.executor) == same.end())
        same.push_back(r.executor);
    }
    if (same.size() == 1 && !deciders.contains(std::string(same[0]))) given[same[0]].alone = true;
    if (same.size() < 2) continue;
    for (const std::string_view executor : same) ++given[executor].confirmed;
  }
  // A sum that was not opened rests on its sender alone, even if its units are confirmed.
  for (const std::string& executor : job.gathering.summed_by) {
    if (!deciders.contains(executor)) given[executor] = {.alone = true};
  }
  for (const auto& [name, results] : given) {
    const std::string executor(name);
    if (results.alone) job.attestations.RecordUnconfirmed(executor, round);
    if (results.confirmed > 0) job.attestations.RecordConfirmed(executor, results.confirmed);
  }
  job.attestations.ForgetAbsent(
      [&](const std::string& executor) { return fleet_.FindNamed(executor) != nullptr; });
  PersistUnverified(job);
}

// No round that counts, or is about to, rests on unconfirmed results of a quarantined executor.
Status Trust::CheckTrust(const Job& job) const {
  const auto breach = [&](std::string_view what) {
    return Internal({.message = std::string(what), .where = job.definition.id});
  };
  for (const std::string& executor : fleet_.quarantined()) {
    const bool gathers = job.phase == Phase::kGathering || job.phase == Phase::kMerging;
    if (gathers && job.gathering.summed_by.contains(executor))
      return breach("a round contains a sum of a quarantined executor");
    const auto since = job.attestations.unverified_since.find(executor);
    if (job.active() && job.RollsBackOnQuarantine() &&
        since != job.attestations.unverified_since.end() && since->second <= job.log.committed)
      return breach("committed rounds depend on unconfirmed results of a quarantined executor");
  }
  return absl::OkStatus();
}

void Trust::PersistUnverified(Job& job) {
  if (!std::exchange(job.attestations.unverified_changed, false)) return;
  step_.batch().Put(keys::Unverified(job.definition.id), RecordText(job.attestations));
}

// A result that comes after its round's commit is not used, but shows whether two executors agree.
// Only results of one kernel contract are compared, because the job may have had this contract
// before and the contract of the commit in between.
void Trust::CompareWithCommit(Job& job, Session& session, const Announcement& announcement) {
  const rpc::AnnounceRequest& said = announcement.said;
  const auto commit = job.log.commits.find(said.unit.round);
  const auto base = job.log.commits.find(said.unit.round - 1);
  if (said.unit.kind != UnitKind::kTrain || commit == job.log.commits.end() ||
      base == job.log.commits.end() || base->second.names.state_sha256 != said.base_sha256 ||
      job.log.head.ContractOf(said.unit.round) != job.record.contract ||
      fleet_.IsQuarantined(session.who.executor)) {
    return;
  }
  for (const CommittedUnit& unit : commit->second.units) {
    if (unit.worker != said.unit.index) continue;
    if (unit.hash == announcement.digest) {
      ++job.counts.duplicate_results;
      uses_.backoffs.RecordDelivery(session);
    } else {
      Contradict(job, session, announcement, unit);
    }
    return;
  }
}

void Trust::Contradict(Job& job, const Session& session, const Announcement& announcement,
                       const CommittedUnit& committed) {
  const UnitId& unit = announcement.said.unit;
  const std::string& late = session.who.executor;
  step_.Warn(job, absl::StrCat("the late result of executor ", late, " for unit ", ToString(unit),
                               " differs from the committed result"));
  const auto round = job.attestations.voters.find(unit.round);
  std::set<std::string> voters;
  if (round != job.attestations.voters.end()) {
    const auto& votes = round->second;  // by worker
    auto vote =
        std::ranges::lower_bound(votes, unit.index, {}, [](const auto& v) { return v.first; });
    for (; vote != votes.end() && vote->first == unit.index; ++vote) voters.insert(vote->second);
  }
  if (voters.erase(late) > 0) {
    QuarantineForContradiction(job, unit, session);
    if (!voters.empty()) return;  // the committed result is another executor's too
    requests_.RollBack(job, {.to = unit.round - 1,
                             .why = absl::StrCat("the only executor of unit ", ToString(unit),
                                                 " gave two different results of it")});
    return;
  }
  const auto decides = [&](const std::string& executor) {
    return job.definition.verify_executors.contains(executor);
  };
  const bool settled = voters.size() >= 2 || std::any_of(voters.begin(), voters.end(), decides);
  if (settled && !decides(late)) {
    Quarantine(late, session.accountable_token);
    return;
  }
  if (!job.active()) return;
  // The two results contradict each other. The round is reopened, and another executor decides.
  std::vector<UnitResult> votes;
  if (voters.empty()) voters = {std::string(kUnknownExecutor)};
  for (const std::string& voter : voters)
    votes.push_back(
        {.executor = voter, .digest = committed.hash, .of_the_past = voter == kUnknownExecutor});
  votes.push_back(
      {.executor = late, .token = session.accountable_token, .digest = announcement.digest});
  requests_.RollBack(job, {.to = unit.round - 1, .votes = {{unit, std::move(votes)}}});
}

}  // namespace dl::master
