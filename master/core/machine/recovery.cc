#include "master/core/machine/recovery.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace dl::master {
namespace {

constexpr char kReadingLog[] = "reading the round log";

}  // namespace

void Recovery::BeginRecovery(Job& job) {
  job.at = -1;
  open_units_.Drop(job);
  job.preparation.wanted.clear();
  job.preparation.began_again = false;
  for (auto& [round, checkpoint] : job.checkpoints)
    checkpoint.unusable = false;  // each attempt tries them again
  records_.SetState(job, JobState::kRecovering, Reason::kLoadingState,
                    absl::StrCat("continuing after committed round ", job.log.committed));
  LoadNextCheckpoint(job);
}

void Recovery::LoadNextCheckpoint(Job& job) {
  for (auto it = job.checkpoints.rbegin(); it != job.checkpoints.rend(); ++it) {
    if (it->second.unusable || it->first > job.log.committed) continue;
    job.preparation.next = {.job = job.definition.id,
                            .round = it->first,
                            .source = PrepareState::Source::kCheckpoint,
                            .checkpoint_manifest = it->second.manifest};
    uses_.preparations.Survey(job, it->first);
    return;
  }
  // No checkpoint is left. The job can start from its source again; its records verify every round.
  StatusOr<PrepareState> first = uses_.sources.FirstState(job);
  if (!job.preparation.began_again && first.ok()) {
    job.preparation.began_again = true;
    job.preparation.next = *std::move(first);
    uses_.preparations.Survey(job, 0);
    return;
  }
  uses_.endings.Fail(
      job, Reason::kStorage,
      rpc::AttachRemedy(DataLoss({.message = absl::StrCat("no usable checkpoint of ",
                                                          job.definition.id, " exists"),
                                  .where = job.definition.id}),
                        {.kind = rpc::RemedyKind::kSubmitAgain, .job = job.definition.id}));
}

// Executors may still have the last committed state. It is not requested if the checkpoint of an
// epoch's end is missing, because the previous master did not finish writing it. Only computing
// that round again restores it.
void Recovery::BeginReplay(Job& job) {
  const int64_t rounds = job.definition.RoundsPerEpoch();
  const int64_t first_end = (job.at / rounds + 1) * rounds;
  for (int64_t end = first_end; MayReplay(job) && end < job.log.committed; end += rounds) {
    if (job.LacksEpochEnd(end) && !job.checkpoints.contains(end)) {
      EndOffers(job);
      return;
    }
  }
  // Executors that end during their transfer may make it longer, but not without end.
  constexpr int kMostTransfers = 3;
  const Duration transfer = TransferTime(job);
  Preparation& offers = job.preparation;
  job.phase = Phase::kOffers;
  offers.offers_until = step_.now + incarnation_.options.recovery_grace;
  offers.offers_limit = offers.offers_until + transfer;
  offers.offers_latest = offers.offers_until + kMostTransfers * transfer;
  AskForParts(job);
}

Duration Recovery::TransferTime(const Job& job) {
  constexpr double kBytesPerSecond = 100e6;  // bandwidth of a slow network
  const auto parts = static_cast<double>(job.log.commits.at(job.log.committed).names.parts.size());
  return Duration(static_cast<int64_t>(
      parts * static_cast<double>(job.definition.contribution_bytes) / kBytesPerSecond * 1e9));
}

bool Recovery::AllParts(const Job& job, bool (WantedPart::*holds)() const) {
  return std::ranges::all_of(
      job.log.commits.at(job.log.committed).names.parts, [&](const auto& part) {
        const auto found = job.preparation.wanted.find(part.second);
        return found != job.preparation.wanted.end() && (found->second.*holds)();
      });
}

void Recovery::CloseOffers(Job& job) {
  if (job.phase != Phase::kOffers || step_.came < job.preparation.offers_until) return;
  if (AllParts(job, &WantedPart::IsUnderWay) && step_.came < job.preparation.offers_limit) {
    job.preparation.offers_until = job.preparation.offers_limit;
  } else {
    EndOffers(job);
  }
}

void Recovery::AskForParts(Job& job) {
  const StateNames& names = job.log.commits.at(job.log.committed).names;
  for (const auto& [key, part] : names.parts) {
    WantedPart& wanted = job.preparation.wanted[part];
    if (wanted.IsUnderWay()) continue;
    for (auto& [id, session] : fleet_.sessions()) {
      const auto& held = session.who.held_parts;
      if (std::find(held.begin(), held.end(), part) == held.end()) continue;
      session.notices.Offer(absl::StrCat(job.definition.id, "/", part));
      step_.Do(ExpectPart{job.definition.id, part});
      wanted.session = id;
      break;
    }
  }
}

void Recovery::SessionEnded(Job& job, uint64_t session) {
  if (job.phase != Phase::kOffers) return;
  bool lost = false;
  for (auto& [part, wanted] : job.preparation.wanted) {
    if (wanted.session != session) continue;
    wanted.session = 0;
    lost = lost || !wanted.arrived;
  }
  if (!lost) return;
  jobs_.Touch(job);
  AskForParts(job);
  Preparation& offers = job.preparation;
  // A process that restarts may hold the parts again.
  const Instant grace = step_.now + incarnation_.options.recovery_grace;
  offers.offers_limit =
      std::min(std::max(offers.offers_limit, grace + TransferTime(job)), offers.offers_latest);
  offers.offers_until = AllParts(job, &WantedPart::IsUnderWay)
                            ? offers.offers_limit
                            : std::min(grace, offers.offers_limit);
}

void Recovery::On(const PartArrived& event) {
  Job* job = jobs_.Find(event.job);
  if (job == nullptr || job->phase != Phase::kOffers) return;
  auto found = job->preparation.wanted.find(event.sha256);
  if (found == job->preparation.wanted.end()) return;
  found->second.arrived = true;
  const StateNames& names = job->log.commits.at(job->log.committed).names;
  if (!AllParts(*job, &WantedPart::HasArrived)) return;
  uses_.preparations.Prepare(*job, {.job = job->definition.id,
                                    .round = job->log.committed,
                                    .source = PrepareState::Source::kParts,
                                    .parts = names});
}

// Whether the rounds after the loaded state were committed under the job's contract.
bool Recovery::MayReplay(const Job& job) {
  return job.log.head.AreUnder(job.record.contract, job.at + 1, job.log.committed);
}

void Recovery::EndOffers(Job& job) {
  job.preparation.wanted.clear();
  if (!MayReplay(job)) return FailReplay(job);
  records_.SetState(job, JobState::kRecovering, Reason::kReplaying, ReplayText(job));
  uses_.lifecycle.Advance(job);
}

void Recovery::FailReplay(Job& job) {
  const std::string& id = job.definition.id;
  uses_.endings.Fail(
      job, Reason::kStorage,
      rpc::AttachRemedy(
          FailedPrecondition(
              {.message = absl::StrCat("the state of round ", job.log.committed,
                                       " is missing, and earlier rounds cannot be recomputed under "
                                       "another kernel contract"),
               .where = id}),
          job.HasCheckpoint(job.at)
              ? rpc::Remedy{.kind = rpc::RemedyKind::kBeginFrom, .job = id, .round = job.at}
              : rpc::Remedy{.kind = rpc::RemedyKind::kSubmitAgain, .job = id}));
}

std::string Recovery::ReplayText(const Job& job) {
  return absl::StrCat("recomputing rounds ", job.at + 1, " to ", job.log.committed);
}

void Recovery::On(const StatePrepared& event) {
  Job* job = jobs_.Find(event.job);
  if (job == nullptr || job->phase != Phase::kPreparing || event.number != job->preparation.number)
    return;
  if (job->stops()) {
    uses_.endings.Stop(*job);
    return;
  }
  if (uses_.lifecycle.LacksResources(*job, event.status, "loading a state")) {
    if (!incarnation_.stopping) uses_.preparations.PrepareAgain(*job);
    return;
  }
  job->preparation.asked = {};
  if (!event.status.ok()) {
    PreparationFailed(*job, event.round, event.status);
    return;
  }
  if (job->log.committed < 0) {
    LogRecord record{.type = RecordType::kStart,
                     .round = 0,
                     .contract = job->record.contract,
                     .names = event.names};
    record.place = uses_.logs.AppendRecord(*job, record);
    job->log.commits.emplace(0, record);
    job->log.committed = 0;
    // Keep a checkpoint, because the source of the job may be deleted later.
    if (job->preparation.source != PrepareState::Source::kInitial)
      uses_.checkpoints.RequestCheckpoint(*job);
  } else if (job->log.commits.at(event.round).names != event.names) {
    PreparationFailed(*job, event.round,
                      DataLoss({.message = absl::StrCat("it differs from the state that round ",
                                                        event.round, " committed")}));
    return;
  }
  const LogRecord& commit = job->log.commits.at(event.round);
  job->at = event.round;
  job->names = event.names;
  job->epoch_hash_sum = commit.epoch_hash_sum;
  job->epoch_train = commit.epoch_train;
  uses_.lifecycle.PublishState(*job);
  if (job->replaying()) {
    BeginReplay(*job);
    return;
  }
  if (job->record.contract != job->log.head.contract) Rebind(*job);
  records_.SetState(*job, JobState::kRunning, Reason::kNone, "");
  uses_.lifecycle.Advance(*job);
}

// Tries the next source, with a warning.
void Recovery::PreparationFailed(Job& job, int64_t round, const Status& why) {
  const std::string name = absl::StrCat(job.definition.id, "@", round);
  if (job.log.committed < 0) {
    uses_.endings.Fail(job, Reason::kStorage, WithContext(why, "making the first state"));
    return;
  }
  if (job.preparation.source == PrepareState::Source::kParts) {
    EndOffers(job);
    return;
  }
  step_.Warn(job,
             absl::StrCat("checkpoint ", name, " cannot be used: ", std::string(why.message())));
  if (auto found = job.checkpoints.find(round);
      found != job.checkpoints.end() &&
      job.preparation.source == PrepareState::Source::kCheckpoint) {
    found->second.unusable = true;
  }
  LoadNextCheckpoint(job);
}

// The following rounds are computed under another kernel contract.
void Recovery::Rebind(Job& job) {
  uses_.logs.AppendRecord(
      job,
      {.type = RecordType::kRebind, .round = job.log.committed, .contract = job.record.contract});
}

void Recovery::On(const LogSurveyed& event) {
  Job* job = jobs_.Find(event.job);
  if (job == nullptr || job->phase != Phase::kPreparing || event.number != job->preparation.number)
    return;
  const Status taken = event.status.ok() ? uses_.logs.Restore(*job, event.stretch) : event.status;
  if (job->stops()) {
    uses_.endings.Stop(*job);
  } else if (uses_.lifecycle.LacksResources(*job, taken, kReadingLog)) {
    if (!incarnation_.stopping) uses_.preparations.Survey(*job, job->preparation.next->round);
  } else if (!taken.ok()) {
    uses_.endings.Fail(*job, Reason::kStorage, WithContext(taken, kReadingLog));
  } else {
    DL_CHECK(job->preparation.next.has_value());
    uses_.preparations.Prepare(*job, *std::exchange(job->preparation.next, std::nullopt));
  }
}

void Recovery::On(const CommitsRead& event) {
  Job* job = jobs_.Find(event.job);
  if (job == nullptr || job->phase != Phase::kPreparing || event.number != job->preparation.number)
    return;
  for (const LogRecord& commit : event.commits)
    job->log.commits.insert_or_assign(commit.round, commit);
  if (job->stops()) {
    uses_.lifecycle.Finish(*job);
  } else if (uses_.lifecycle.LacksResources(*job, event.status, kReadingLog)) {
    if (!incarnation_.stopping) uses_.preparations.ReadAhead(*job);
  } else if (!event.status.ok()) {
    uses_.endings.Fail(*job, Reason::kStorage, WithContext(event.status, kReadingLog));
  } else {
    uses_.opening.OpenNextRound(*job);
  }
}

}  // namespace dl::master
