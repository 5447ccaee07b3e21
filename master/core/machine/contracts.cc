#include "master/core/machine/contracts.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace dl::master {

std::string Contracts::BoundHow(Job& job) {
  if (!job.record.contract.empty()) return "";
  if (Bind(job))
    return absl::StrCat("; its rounds are computed under ", job.record.contract, " from here on");
  if (!job.WantedIsa().empty())
    return absl::StrCat("; it waits for executors that compute with isa ", job.WantedIsa());
  return "; its kernel contract is decided when executors are there";
}

bool Contracts::Bind(Job& job) {
  if (!job.record.contract.empty()) return true;
  std::optional<std::string> contract = eligibility_.ContractFor(job);
  if (!contract) return false;
  job.record.contract = *std::move(contract);
  records_.PersistJob(job);
  ReportExcluded(job);
  ReportLowestIsa(job);
  return true;
}

bool Contracts::MayLeave(const Job& job) const {
  constexpr size_t kEnough = 2;  // executors with the same contract
  return job.phase == Phase::kTraining && job.log.committed <= 0 &&
         fleet_.EligibleExecutors(job) < kEnough;
}

void Contracts::LeaveIfOutvoted(Job& job) {
  std::optional<std::string> other;
  if (MayLeave(job)) other = eligibility_.PreferredContract(job);
  if (!other || *other == job.record.contract ||
      eligibility_.ExecutorsOffering(*other, job) <= fleet_.EligibleExecutors(job)) {
    job.outvoted_since.reset();
    return;
  }
  if (!job.outvoted_since) job.outvoted_since = step_.now;
  if (step_.came >= *job.outvoted_since + incarnation_.options.return_grace)
    Leave(job, *std::move(other));
}

void Contracts::Settle(const FailureRequest& request) {
  Job* job = jobs_.Find(request.unit.job);
  if (job == nullptr || open_units_.Find(*job, request.unit) == nullptr) return;
  FailForUnit(*job, request.reason, request.error);
}

void Contracts::FailForUnit(Job& job, Reason reason, const Status& error) {
  if (!LeaveToGoOn(job)) uses_.endings.Fail(job, reason, error);
}

bool Contracts::LeaveToGoOn(Job& job) {
  if (!MayLeave(job)) return false;
  job.failed_under.insert(job.record.contract);
  std::optional<std::string> other = eligibility_.PreferredContract(job);
  if (!other) return false;
  Leave(job, *std::move(other));
  return true;
}

void Contracts::Leave(Job& job, std::string other) {
  const bool offered = fleet_.EligibleExecutors(job) > 0;
  step_.Warn(job, absl::StrCat(offered ? "only one executor offers" : "no executor offers",
                               " its kernel contract ", job.record.contract,
                               ", and no round is committed yet: it restarts under ", other));
  job.outvoted_since.reset();
  job.record.contract = std::move(other);
  uses_.recovery.BeginRecovery(job);
  ReportExcluded(job);
  ReportLowestIsa(job);
}

// Warns that the job keeps the lowest instruction set, even if the executor without a higher one
// leaves. Executors that could use a higher one are not excluded, so no other message mentions it.
void Contracts::ReportLowestIsa(Job& job) {
  if (!job.WantedIsa().empty()) return;
  const Eligibility::InstructionSets offered = eligibility_.InstructionSetsFor(job);
  if (offered.higher == 0 || eligibility_.IsaOf(job) != offered.lowest) return;
  step_.Warn(
      job,
      absl::StrCat("it is computed with ", offered.lowest,
                   ", the lowest instruction set of the registered executors: ",
                   absl::StrJoin(offered.limiting, ", "),
                   offered.limited > offered.limiting.size() ? ", ..." : "", ". ", offered.higher,
                   offered.higher == 1 ? " executor has " : " executors have ", offered.highest),
      {.kind = rpc::RemedyKind::kChooseIsa, .job = job.definition.id, .isa = offered.highest});
}

// Warns about executors that get none of the job's units. If all are excluded, the waiting reason
// says so.
void Contracts::ReportExcluded(Job& job) {
  const auto report = [&](const std::vector<std::string>& executors, const std::string& why,
                          const std::string& hint, const rpc::Remedy& remedy) {
    if (executors.empty()) return;
    constexpr size_t kMostNamed = 5;
    const std::vector<std::string> named(
        executors.begin(),
        executors.begin() + static_cast<int64_t>(std::min(executors.size(), kMostNamed)));
    step_.Warn(
        job,
        absl::StrCat(executors.size(), executors.size() == 1 ? " executor is" : " executors are",
                     " registered ", why, ", and get no units of it: ", absl::StrJoin(named, ", "),
                     executors.size() > kMostNamed ? ", ..." : "", hint),
        remedy);
  };
  const ExcludedView excluded = eligibility_.ExcludedFrom(job);
  report(excluded.for_contract,
         absl::StrCat("under another kernel contract than the job's, ", job.record.contract),
         job.definition.kernels == nn::KernelSet::kPortable
             ? "; executors of other versions do not offer it"
             : "; training.isa chooses another one",
         {});
  const int64_t mebibytes = (job.definition.unit_bytes >> 20) + 1;
  report(excluded.for_memory,
         absl::StrCat("without the ", mebibytes, " MiB of memory that a unit of the job needs"), "",
         {.kind = rpc::RemedyKind::kLargerExecutor, .mebibytes = 2 * mebibytes});
  report(excluded.for_labels, "without the labels that the job needs", "", {});
}

}  // namespace dl::master
