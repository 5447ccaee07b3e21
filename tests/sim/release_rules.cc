#include "tests/sim/release_rules.h"

#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "master/core/job/job.h"
#include "master/core/record_keys.h"
#include "master/core/records/checkpoint_record.h"

namespace dl::sim {

void ReleaseRules::Check(const master::Effect& effect) {
  std::visit(
      [this](const auto& e) {
        if constexpr (requires { Do(e); }) Do(e);
      },
      effect);
}

void ReleaseRules::Do(const master::ExpectGather& effect) {
  ScheduleReport& report = *audit_.report;
  (effect.sum ? report.summed : report.gathered) += static_cast<int64_t>(effect.inputs.size());
}

void ReleaseRules::Do(const master::DropGather&) { ++audit_.report->cancelled_gathers; }

void ReleaseRules::Do(const master::Publish& effect) {
  if (effect.round > ledger_.job(effect.job).committed + 1)
    audit_.breach(absl::StrCat(effect.job, " publishes more than the one round being written"));
}

void ReleaseRules::Do(const master::Retire& effect) {
  if (effect.round > ledger_.job(effect.job).reached) {
    audit_.breach(absl::StrCat(effect.job, " lets go of what is before round ", effect.round,
                               " before it is durable"));
  }
}

void ReleaseRules::Do(const master::DeleteCheckpoint& effect) {
  const auto record = audit_.meta->Get(master::keys::Checkpoint(effect.job, effect.round));
  if (record.ok() && *record &&
      master::CheckpointInfoFromJson(Json::parse(**record), "record")->manifest ==
          effect.manifest) {
    audit_.breach(absl::StrCat(effect.job, "@", effect.round, " is deleted before its record is"));
  }
}

void ReleaseRules::Do(const master::Emit& effect) {
  if (ledger_.job(effect.job).deleted) return;  // its records were deleted with it
  if (effect.sequence <= std::exchange(told_[effect.job], effect.sequence))
    audit_.breach(absl::StrCat(effect.job, " tells event ", effect.sequence, " twice"));
  const auto told = audit_.meta->Get(master::keys::EventSequence(effect.job));
  if (!told.ok() || !*told || Json::parse(**told).at("last") < effect.sequence)
    audit_.breach(
        absl::StrCat(effect.job, " tells event ", effect.sequence, " before it is durable"));
  const auto* warning = std::get_if<master::WarningEvent>(&effect.content);
  if (warning != nullptr && warning->message.find("sent a sum") != std::string::npos)
    ++audit_.report->wrong_sums;
  const DurableJob& job = ledger_.job(effect.job);
  const auto* checkpoint = std::get_if<master::CheckpointEvent>(&effect.content);
  if (checkpoint != nullptr && !job.ever_checkpoints.contains(checkpoint->round))
    audit_.breach(absl::StrCat(effect.job, " tells of a checkpoint before it is durable"));
  const auto* round = std::get_if<master::RoundEvent>(&effect.content);
  if (round != nullptr && round->round > job.reached)
    audit_.breach(absl::StrCat(effect.job, " tells of a round before it is durable"));
}

void ReleaseRules::Do(const master::Answer& effect) {
  const auto* submitted = std::get_if<rpc::SubmitReply>(&effect.reply);
  if (submitted == nullptr || !effect.status.ok()) return;
  if (!ledger_.Has(master::keys::Job(submitted->job)) && !ledger_.job(submitted->job).deleted)
    audit_.breach(absl::StrCat(submitted->job, " is acknowledged before it is durable"));
  acknowledged_.insert(submitted->job);
}

}  // namespace dl::sim
