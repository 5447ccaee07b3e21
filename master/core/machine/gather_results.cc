#include "master/core/machine/gather_results.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace dl::master {

void GatherResults::On(const Gathered& event) {
  Job* job = jobs_.Find(event.job);
  if (job == nullptr || job->phase != Phase::kGathering || event.round != job->at + 1) return;
  const PendingGather* gather = Gathering::FindPending(*job, event.number, event.session);
  if (gather == nullptr) return;
  if (Session* session = fleet_.Find(event.session)) {
    uses_.progress.RecordArrival(*session, job->units.at(gather->workers.front()).result.asked_for);
    uses_.backoffs.RecordDelivery(*session);
  }
  uses_.gathering.TakeGathered(*job, event.number);
}

// The sender announced other results than those in its sum.
void GatherResults::On(const SumContradicted& event) {
  Job* job = jobs_.Find(event.job);
  const Session* session = fleet_.Find(event.session);
  if (job == nullptr || session == nullptr || job->phase != Phase::kGathering ||
      event.round != job->at + 1) {
    return;
  }
  const bool open =
      std::any_of(job->gathering.asked.begin(), job->gathering.asked.end(), [&](const auto& entry) {
        return entry.second.opens == event.number && entry.second.session == event.session;
      });
  if (!open) return;
  const auto [executor, token] = std::pair(session->who.executor, session->accountable_token);
  step_.Warn(*job, absl::StrCat("executor ", executor, " sent a sum in round ", event.round,
                                " that differs from the sum of its results; it gets no more work"));
  uses_.trust.Quarantine(executor, token);
  uses_.gathering.ReopenRound(*job);  // also if nothing of the executor had to be withdrawn
}

void GatherResults::On(const GatherRefused& event) {
  Job* job = jobs_.Find(event.job);
  const Session* session = fleet_.Find(event.session);
  if (job == nullptr || session == nullptr || job->phase != Phase::kGathering) return;
  const PendingGather* gather = Gathering::FindPending(*job, event.number, event.session);
  if (gather == nullptr) return;
  for (const int32_t worker : gather->workers) {
    jobs_.TouchUnit(*job, worker);
    job->units.at(worker).GiveUpDelivery();
  }
  uses_.failures.RecordRefusal(*job, job->units.at(gather->workers.front()), *session,
                               event.status);
}

}  // namespace dl::master
