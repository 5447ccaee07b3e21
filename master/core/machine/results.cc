#include "master/core/machine/results.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "averaging/grid.h"
#include "base/lower_hex.h"
#include "job/measured_unit.h"
#include "master/core/job/ticket.h"

namespace dl::master {
namespace {

constexpr size_t kDurationsKept = 64;

// Whether these are the parts that a worker keeps, in the layout's order.
bool AreTheWorkersOwn(const std::vector<rpc::NamedPart>& parts,
                      const averaging::StateLayout& layout) {
  return std::ranges::equal(parts, layout.PartsWith(averaging::PartScope::kWorker),
                            [](const rpc::NamedPart& said, const averaging::PartLayout* part) {
                              return said.name == part->name && IsSha256Hex(said.sha256);
                            });
}

Status Misfit(std::string what, const UnitId& unit) {
  return InvalidArgument({.message = "an announcement does not fit its unit's plan: " + what,
                          .where = ToString(unit),
                          .remedy = "Check the memory of the executor's machine"});
}

// Checks the metrics: they must count all examples of the unit, and the classes of the job.
Status CheckMetrics(const JobDefinition& definition, const Unit& unit,
                    const StatusOr<Shared<nn::MetricSums>>& metrics) {
  if (!metrics.ok()) return Misfit(std::string(metrics.status().message()), unit.id);
  const nn::MetricSums& sums = **metrics;
  const bool train = unit.id.kind == UnitKind::kTrain;
  if (sums.examples() < unit.examples * definition.least_counted_per_example ||
      sums.examples() > unit.examples * definition.counted_per_example)
    return Misfit(absl::StrCat("metrics of ", sums.examples(), " examples"), unit.id);
  if (sums.classes() != (train ? 0 : definition.evaluated_classes))
    return Misfit(absl::StrCat("metrics of ", sums.classes(), " classes"), unit.id);
  const int64_t numbers = sums.numbers() ? sums.numbers()->outputs() : 0;
  if (numbers != (train ? 0 : definition.evaluated_numbers))
    return Misfit(absl::StrCat("metrics of ", numbers, " predicted numbers"), unit.id);
  const int64_t scores = sums.scores() ? sums.scores()->outputs() : 0;
  if (scores != (train ? 0 : definition.evaluated_scores))
    return Misfit(absl::StrCat("counts of scores for ", scores, " outputs"), unit.id);
  if (train && sums.non_finite() > 0) return Misfit("losses that are not finite", unit.id);
  if (!sums.HasPossibleLoss()) return Misfit("a sum of losses that is not possible", unit.id);
  return absl::OkStatus();
}

// Checks everything in the announcement that the plan determines, independently of the computed
// values.
Status CheckFits(const JobDefinition& definition, const Unit& unit,
                 const Announcement& announcement) {
  const rpc::AnnounceRequest& said = announcement.said;
  DL_RETURN_IF_ERROR(CheckMetrics(definition, unit, announcement.metrics));
  if (said.examples != unit.examples)
    return Misfit(absl::StrCat(said.examples, " examples"), unit.id);
  if (said.unit.kind == UnitKind::kEvaluate) {
    if (announcement.magnitudes->empty() && said.bytes == 0 && said.parts.empty())
      return absl::OkStatus();
    return Misfit("bytes with the result of an evaluation", unit.id);
  }
  const averaging::StateLayout& layout = definition.strategy->layout();
  if (said.steps != unit.steps) return Misfit(absl::StrCat(said.steps, " steps"), unit.id);
  if (said.bytes != definition.contribution_bytes)
    return Misfit(absl::StrCat(said.bytes, " bytes"), unit.id);
  if (!AreTheWorkersOwn(said.parts, layout))
    return Misfit("parts that differ from the parts that a worker keeps", unit.id);
  const Status magnitudes = averaging::CheckMagnitudes(layout.merged, *announcement.magnitudes);
  return magnitudes.ok() ? magnitudes : Misfit(std::string(magnitudes.message()), unit.id);
}

// Whether the histograms name layers of the model, each at most once and in its order, and count at
// most the values of one minibatch.
bool ArePossible(const AnnouncedHistograms& announced, const JobDefinition& definition,
                 const Unit& unit) {
  if (announced.malformed) return false;
  const int64_t examples = std::min(unit.examples, definition.plan.batch_size);
  auto next = definition.layer_outputs.begin();
  for (const AnnouncedHistograms::Layer& layer : announced.layers) {
    next = std::find_if(next, definition.layer_outputs.end(),
                        [&](const LayerOutput& output) { return output.layer == layer.name; });
    if (next == definition.layer_outputs.end() ||
        layer.values > examples * next->values_per_example)
      return false;
    ++next;
  }
  return true;
}

// Returns what happens to the bytes of a training unit's accepted result.
rpc::Verdict VerdictOn(const Unit& unit) {
  return unit.result.held ? rpc::Verdict::kHold : rpc::Verdict::kSend;
}

}  // namespace

void Results::On(const Asked<Announcement>& event) {
  const rpc::AnnounceRequest& said = event.request.said;
  Session* session = fleet_.Find(said.session);
  if (session == nullptr) {
    step_.AnswerWith(event.token, Aborted({.message = "the executor's session has ended",
                                           .remedy = "Register again"}));
    return;
  }
  Job* job = jobs_.Find(said.unit.job);
  if (job != nullptr && said.spec_sha256 != job->definition.spec_sha256) {
    // The job had this name in another data folder, or before it rolled back.
    step_.AnswerWith(event.token, absl::OkStatus(), rpc::AnnounceReply{rpc::Verdict::kUnwanted});
    return;
  }
  if (job != nullptr && (job->phase == Phase::kPreparing || job->phase == Phase::kOffers)) {
    step_.AnswerWith(event.token, Unavailable({.message = "the job's state is being loaded",
                                               .remedy = "Announce it again"}));
    return;
  }
  Unit* unit = job == nullptr ? nullptr : open_units_.Find(*job, said.unit);
  // It matters that the unit was leased, not whether the lease still exists: a result of the open
  // round from the right base is accepted however late it comes.
  const bool leased = job != nullptr && WasLeased(*job, *session, said);
  if (unit == nullptr || !leased || said.base_sha256 != job->names.state_sha256 ||
      fleet_.IsQuarantined(session->who.executor)) {
    if (unit == nullptr && leased) uses_.trust.CompareWithCommit(*job, *session, event.request);
    step_.AnswerWith(event.token, absl::OkStatus(), rpc::AnnounceReply{rpc::Verdict::kUnwanted});
    return;
  }
  if (const Status error = CheckFits(job->definition, *unit, event.request); !error.ok()) {
    step_.AnswerWith(event.token, error);
    uses_.failures.RecordFailure(*job, *unit, *session,
                                 {.lease = said.lease,
                                  .code = std::string(ErrorCodeName(error.code())),
                                  .message = std::string(error.message()),
                                  .where = ErrorWhere(error),
                                  .fault = rpc::Fault::kExecutor});
    return;
  }
  const rpc::Verdict verdict = Accept(*job, *unit, *session, event.request);
  step_.AnswerWith(event.token, absl::OkStatus(), rpc::AnnounceReply{verdict});
}

// Whether the unit was leased to this executor with the announced base, under the job's contract:
// in any session, and by any process of the master.
bool Results::WasLeased(const Job& job, const Session& session,
                        const rpc::AnnounceRequest& said) const {
  return said.ticket == TicketFor(incarnation_.secret, job,
                                  {.executor = session.who.executor,
                                   .unit = said.unit,
                                   .base_sha256 = said.base_sha256,
                                   .lease = said.lease});
}

// The round may rest on this executor alone, which kept its result and announces it again without
// computing.
bool Results::MayRepeatThePast(const Job& job, const Session& session,
                               const rpc::AnnounceRequest& said) const {
  if (!job.attestations.MayRestOn(session.who.executor, said.unit.round)) return false;
  if (said.lease >> 32 != incarnation_.start) return true;  // of an earlier process of the master
  if (session.forgot_held) return true;
  const auto& held = session.who.held_contributions;
  return std::any_of(held.begin(), held.end(),
                     [&](const rpc::HeldContribution& c) { return c.unit == said.unit; });
}

rpc::Verdict Results::Accept(Job& job, Unit& unit, Session& session,
                             const Announcement& announcement) {
  const rpc::AnnounceRequest& said = announcement.said;
  for (const UnitLease& lease : unit.leases) {
    if (lease.lease == said.lease) RecordDuration(job, step_.now - lease.granted);
  }
  unit.RecordRun(announcement, session.who.executor, job.series.opened, step_.came);
  unit.EndLeasesOf(session.who.executor);
  if (job.kills.erase(session.who.executor) > 0) ready_.changed = true;
  const bool disputed_before = unit.disputed();
  const Unit::Meaning meaning =
      unit.Record({.session = said.session,
                   .lease = said.lease,
                   .executor = session.who.executor,
                   .token = session.accountable_token,
                   .digest = announcement.digest,
                   .alone = !eligibility_.AnyIsAble(job, unit, session.who.executor),
                   .may_repeat_the_past = MayRepeatThePast(job, session, said)});
  const bool evaluation = unit.id.kind == UnitKind::kEvaluate;
  rpc::Verdict verdict = rpc::Verdict::kUnwanted;
  switch (meaning) {
    case Unit::Meaning::kFirst:
      verdict = TakeResult(job, unit, session, announcement);
      break;
    case Unit::Meaning::kRepeated:
      if (evaluation) {
        verdict = rpc::Verdict::kDone;
      } else if (!unit.result.staged || unit.result.held) {
        verdict = VerdictOn(unit);
      }
      break;
    case Unit::Meaning::kSame:
      if (unit.IsOverdue()) {
        verdict = ReplaceOverdue(job, unit, session, announcement);
        break;
      }
      ++job.counts.duplicate_results;
      uses_.backoffs.RecordDelivery(session);
      break;
    case Unit::Meaning::kDifferent: {
      if (!disputed_before) uses_.trust.OpenDispute(job, unit);
      const std::optional<uint64_t> majority = uses_.trust.SettleDispute(job, unit);
      if (requests_.RemoveUnitsOf(job)) return rpc::Verdict::kUnwanted;
      if (majority == announcement.digest && !unit.accepted &&
          !fleet_.IsQuarantined(session.who.executor)) {
        verdict = TakeResult(job, unit, session, announcement);
      } else if (unit.Undelivered() && unit.result.holder == said.session &&
                 unit.result.digest == announcement.digest) {
        verdict = VerdictOn(unit);  // repeated by the holder; a third result may prove it right
      }
      break;
    }
    case Unit::Meaning::kContradictory:
      uses_.trust.QuarantineForContradiction(job, unit.id, session);
      break;
  }
  uses_.trust.QuarantineSoleNanReporter(job, unit);
  if (requests_.RemoveUnitsOf(job)) return rpc::Verdict::kUnwanted;
  // Other executors need not continue if no more results are needed. Their next heartbeats tell
  // them.
  if (!unit.WantsResult()) uses_.backoffs.EndOvertakenLeases(unit);
  return verdict;
}

// Returns the histograms of activations; none if the unit does not measure them, or if they are not
// possible.
Shared<std::string> Results::ActivationsOf(const JobDefinition& definition, const Unit& unit,
                                           const Session& session,
                                           const Announcement& announcement) {
  const AnnouncedHistograms& announced = announcement.activations;
  if (!announced.malformed && announced.layers.empty()) return {};
  if (job::MeasuresActivations(definition.histograms_every, unit.id) &&
      ArePossible(announced, definition, unit))
    return announced.encoded;
  step_.WriteLog(absl::StrCat("executor ", session.who.executor, ": impossible histograms with ",
                              ToString(unit.id), " are not recorded"));
  return {};
}

rpc::Verdict Results::TakeResult(Job& job, Unit& unit, Session& session,
                                 const Announcement& announcement) {
  const rpc::AnnounceRequest& said = announcement.said;
  const bool evaluation = unit.id.kind == UnitKind::kEvaluate;
  const JobDefinition& definition = job.definition;
  const bool held = !evaluation && definition.IsGathered(incarnation_.options.staging_bytes);
  if (unit.AwaitsBytes()) step_.Do(DropContribution{unit.id, unit.result.expected});
  unit.accepted = true;
  unit.result = {.hash = said.hash,
                 .digest = announcement.digest,
                 .expected = evaluation ? 0 : next_expected_++,
                 .holder = said.session,
                 .lease = said.lease,
                 .at = step_.now,
                 .staged = evaluation,
                 .held = held,
                 .deliver_by = step_.now + definition.lease,
                 .asked_for = step_.now,
                 .progressed = step_.now,
                 .turn = step_.now,
                 .parts = said.parts,
                 .example_hash_sum = said.example_hash_sum,
                 .metrics = *announcement.metrics,
                 .magnitudes = announcement.magnitudes,
                 .activations = ActivationsOf(definition, unit, session, announcement)};
  job.totals.Count(*definition.strategy, unit);
  uses_.failures.RecordComputed(job, unit, session.who.executor);
  if (evaluation) {
    uses_.backoffs.RecordDelivery(session);
    return rpc::Verdict::kDone;
  }
  session.delivering.emplace(unit.id.job, unit.id.index);
  if (held) return rpc::Verdict::kHold;
  step_.Do(ExpectContribution{.unit = unit.id,
                              .number = unit.result.expected,
                              .session = said.session,
                              .hash = said.hash,
                              .bytes = said.bytes,
                              .magnitudes = announcement.magnitudes,
                              .parts = said.parts});
  return rpc::Verdict::kSend;
}

// The result of another executor has the same bytes. Its session delivers them instead.
rpc::Verdict Results::ReplaceOverdue(Job& job, Unit& unit, Session& session,
                                     const Announcement& announcement) {
  const int32_t replaced = unit.result.replaced + 1;
  if (Session* slow = fleet_.Find(unit.result.holder)) uses_.backoffs.RecordOvertaken(job, *slow);
  open_units_.TakeBack(unit);
  const rpc::Verdict verdict = TakeResult(job, unit, session, announcement);
  unit.result.replaced = replaced;
  return verdict;
}

// Stragglers and stalls are determined by the median of recent units.
void Results::RecordDuration(Job& job, Duration duration) {
  if (job.duration_stats.durations.size() >= kDurationsKept)
    job.duration_stats.durations.erase(job.duration_stats.durations.begin());
  job.duration_stats.durations.push_back(duration);
  std::vector<Duration> sorted = job.duration_stats.durations;
  std::nth_element(sorted.begin(), sorted.begin() + sorted.size() / 2, sorted.end());
  const Duration median = sorted[sorted.size() / 2];
  // Update units only if the median changed noticeably.
  const Duration change = median - job.duration_stats.judged_by;
  if (8 * std::max(change, -change) <= job.duration_stats.judged_by) return;
  const Duration bound = uses_.progress.ProgressBound(job);
  const bool first = job.duration_stats.judged_by == Duration{};
  job.duration_stats.judged_by = median;
  ready_.changed = true;
  if (first || uses_.progress.ProgressBound(job) != bound) jobs_.TouchUnits(job);
}

void Results::On(const ContributionStaged& event) {
  Job* job = jobs_.Find(event.unit.job);
  if (job == nullptr || job->phase != Phase::kTraining) return;
  Unit* unit = open_units_.Find(*job, event.unit);
  if (unit == nullptr || !unit->AwaitsBytes() || unit->result.expected != event.expected) return;
  // Data of a lost session was dropped with it; the same bytes are now expected from another one.
  if (event.session != unit->result.holder) return;
  unit->RecordArrival(step_.came);
  if (Session* session = fleet_.Find(event.session)) {
    uses_.progress.RecordArrival(*session, unit->result.asked_for);
    uses_.progress.RecordDelivered(*job, *session, unit->result);
    uses_.backoffs.RecordDelivery(*session);
  }
  // The delivery was overdue, and other executors computed the unit meanwhile. They are not slower,
  // so they are not overtaken.
  if (unit->WantsResult()) return;
  for (const UnitLease& lease : std::exchange(unit->leases, {}))
    unit->RecordEnd(lease, storage::LeaseEnd::kOvertaken, step_.came);
}

void Results::On(const ContributionRefused& event) {
  Job* job = jobs_.Find(event.unit.job);
  const Session* session = fleet_.Find(event.session);
  if (job == nullptr || session == nullptr || job->phase != Phase::kTraining) return;
  Unit* unit = open_units_.Find(*job, event.unit);
  if (unit == nullptr || !unit->AwaitsBytes() || unit->result.expected != event.expected ||
      unit->result.holder != session->id) {
    return;
  }
  open_units_.TakeBack(*unit);
  uses_.failures.RecordRefusal(*job, *unit, *session, event.status);
}

}  // namespace dl::master
