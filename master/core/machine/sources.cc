#include "master/core/machine/sources.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "master/core/record_keys.h"

namespace dl::master {
namespace {

Status NoSuchCheckpoint(const Job& job) {
  const bool full = !job.record.resume_from.empty();
  const std::string& source = full ? job.record.resume_from : job.record.init_from;
  const std::optional<CheckpointName> name = ParseCheckpointName(source);
  return rpc::AttachRemedy(NotFound({.message = absl::StrCat("there is no checkpoint ", source),
                                     .where = full ? "--resume-from" : "--init-from"}),
                           {.kind = rpc::RemedyKind::kListCheckpoints,
                            .job = name ? name->job : source.substr(0, source.find('@'))});
}

Status SourceIsGone(const Job& job) {
  const bool full = !job.record.resume_from.empty();
  return NotFound(
      {.message = absl::StrCat("checkpoint ", full ? job.record.resume_from : job.record.init_from,
                               ", from which the job starts, was deleted by its owner"),
       .where = full ? "--resume-from" : "--init-from",
       .remedy = "Submit the job again, from another checkpoint"});
}

}  // namespace

Status Sources::TakeSource(Job& job) {
  const bool full = !job.record.resume_from.empty();
  const std::string& source = full ? job.record.resume_from : job.record.init_from;
  if (source.empty()) return absl::OkStatus();
  if (!full && !job.definition.weights_blocks.empty()) {
    return InvalidArgument({.message = "the job spec also states initial_weights",
                            .where = "--init-from",
                            .remedy = "Set initial_weights to \"seed\", or leave --init-from out"});
  }
  const std::optional<CheckpointName> name = ParseCheckpointName(source);
  const Job* other = name ? std::as_const(jobs_).Find(name->job) : nullptr;
  const CheckpointInfo* checkpoint = other == nullptr ? nullptr : other->FindCheckpoint(*name);
  if (checkpoint == nullptr) return NoSuchCheckpoint(job);
  const bool weights_fit = other->definition.weights_layout == job.definition.weights_layout;
  if (!weights_fit || (full && other->definition.state_layout != job.definition.state_layout)) {
    const std::string where = full ? "--resume-from" : "--init-from";
    if (weights_fit) {
      return InvalidArgument(
          {.message = absl::StrCat("checkpoint ", source,
                                   " has another updater, policy of updater state or number of "
                                   "workers than the job"),
           .where = where,
           .remedy = "Use only its weights, with --init-from"});
    }
    return rpc::AttachRemedy(InvalidArgument({.message = absl::StrCat("checkpoint ", source,
                                                                      " belongs to another model"),
                                              .where = where}),
                             {.kind = rpc::RemedyKind::kUseSameModel, .job = name->job});
  }
  job.begins_from_manifest = checkpoint->manifest;
  job.attestations.source_unverified.clear();
  for (const auto& [executor, since] : other->attestations.unverified_since) {
    if (since <= name->round) job.attestations.RecordSourceRestsOn(executor);
  }
  for (const std::string& executor : other->attestations.source_unverified)
    job.attestations.RecordSourceRestsOn(executor);
  job.attestations.unverified_changed = !job.attestations.source_unverified.empty();
  // If the committed state contains no updater state, the updater has seen no updates.
  if (full && other->definition.strategy->layout().Find("updater") != nullptr) {
    job.record.earlier_updates =
        other->record.earlier_updates +
        dataset::LocateRound(other->definition.plan, name->round).first_step;
  }
  return absl::OkStatus();
}

StatusOr<PrepareState> Sources::FirstState(const Job& job) {
  PrepareState first{.job = job.definition.id, .round = 0};
  if (job.record.resume_from.empty() && job.record.init_from.empty()) return first;
  if (job.begins_from_manifest.empty()) return SourceIsGone(job);
  first.source = job.record.resume_from.empty() ? PrepareState::Source::kWeightsOnly
                                                : PrepareState::Source::kOtherCheckpoint;
  first.checkpoint_manifest = job.begins_from_manifest;
  return first;
}

void Sources::UpdateWantedSource(const Job& job) {
  for (const std::string& source : {job.record.resume_from, job.record.init_from}) {
    if (source.empty()) continue;
    if (job.checkpoints.contains(0) || job.record.state == JobState::kSucceeded) {
      wanted_.erase({source, job.definition.id});
    } else {
      wanted_.emplace(source, job.definition.id);
    }
  }
}

bool Sources::IsWantedElsewhere(const std::string& checkpoint) const {
  const auto first = wanted_.lower_bound({checkpoint, ""});
  return first != wanted_.end() && first->first == checkpoint;
}

void Sources::Rename(const std::string& from, const std::string& to) {
  std::vector<std::string> wanted;
  for (auto it = wanted_.lower_bound({from, ""}); it != wanted_.end() && it->first == from;)
    wanted.push_back(wanted_.extract(it++).value().second);
  for (std::string& job : wanted) {
    // The record of an ended job may be only in the store.
    if (std::as_const(jobs_).Find(job) == nullptr) step_.batch().Put(keys::RenamedSource(job), to);
    wanted_.emplace(to, std::move(job));
  }
  for (auto* jobs : {&jobs_.live(), &jobs_.ended()}) {
    for (auto& [id, job] : *jobs) {
      bool renamed = false;
      for (std::string* source : {&job.record.resume_from, &job.record.init_from}) {
        if (*source != from) continue;
        *source = to;
        renamed = true;
      }
      if (renamed) records_.PersistJob(job);
    }
  }
}

const Sources::Wanted* Sources::JobThatKeeps(const Job& job, KeptFor keeps) const {
  const std::string prefix = job.definition.id + "@";
  for (auto it = wanted_.lower_bound({prefix, ""});
       it != wanted_.end() && it->first.starts_with(prefix); ++it) {
    if (keeps == KeptFor::kAllOwners) return &*it;
    const auto other = jobs_.live().find(it->second);
    if (other == jobs_.live().end()) continue;  // it ended before it had a checkpoint
    if (other->second.record.owner == job.record.owner || other->second.active()) return &*it;
  }
  return nullptr;
}

void Sources::Forget(const Job& job) {
  for (const std::string& source : {job.record.resume_from, job.record.init_from})
    wanted_.erase({source, job.definition.id});
  const std::string prefix = job.definition.id + "@";
  auto it = wanted_.lower_bound({prefix, ""});
  while (it != wanted_.end() && it->first.starts_with(prefix)) {
    const auto other = jobs_.live().find(it->second);
    if (other != jobs_.live().end()) other->second.begins_from_manifest.clear();
    it = wanted_.erase(it);
  }
}

}  // namespace dl::master
