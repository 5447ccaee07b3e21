#include "master/core/machine/queue.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "master/core/machine/machine.h"

namespace dl::master {

void Queue::Add(const Job& job) {
  waiting_.push_back(job.definition.id);
  changed = true;
}

void Queue::Remove(const Job& job) {
  std::erase(waiting_, job.definition.id);
  changed = true;
}

Status Queue::FitsAlone(const JobDefinition& definition) const {
  const int64_t needed = definition.MasterBytes(life_.options.staging_bytes);
  if (needed <= life_.options.memory_bytes) return absl::OkStatus();
  return InvalidArgument(
      {.message = absl::StrCat("the job needs ", needed >> 20,
                               " MiB in the master, which has a budget of ",
                               life_.options.memory_bytes >> 20, " MiB"),
       .where = "training.workers",
       .remedy = "Use fewer workers or a smaller model, or start the master with a larger "
                 "--memory"});
}

void Queue::StartQueuedJobs() {
  due = Instant::Max();
  if (life_.stopping || waiting_.empty()) return;
  // Oldest first; a job that waits for its executors does not hold up the ones behind it.
  int64_t running = 0, memory = 0;
  const auto count = [&](const Job& job) {
    if (!job.live()) return;
    if (!machine_.waiting.LacksExecutors(job)) ++running;
    memory += job.definition.MasterBytes(life_.options.staging_bytes);
  };
  for (const auto& [id, job] : jobs_.live()) count(job);
  for (const std::string& id : std::exchange(waiting_, {})) {
    Job& job = jobs_.At(id);
    const Status fits = FitsAlone(job.definition);
    if (!fits.ok() && job.log.committed < 0) {
      machine_.lifecycle.End(job, JobState::kRejected, Reason::kTooLarge, fits);
      continue;
    }
    Lack lack;
    if (!fits.ok()) {
      lack = {Reason::kWaitingForMemory,
              absl::StrCat(std::string(fits.message()),
                           ": it goes on under a master with a larger --memory")};
    } else if (running >= life_.options.max_running_jobs) {
      lack = {Reason::kWaitingForJobs,
              absl::StrCat("this one starts when one of the ", running, " before it ends")};
    } else if (memory > 0 && memory + job.definition.MasterBytes(life_.options.staging_bytes) >
                                 life_.options.memory_bytes) {
      lack = {Reason::kWaitingForMemory, "the running jobs use the master's memory budget"};
    } else if (!machine_.contracts.Bind(job)) {
      lack = offers_.WhyUnbound(job);
      for (const auto& [session_id, session] : fleet_.sessions()) {
        const Instant decided = offers_.ContractDecidedAt(session.joined);
        if (decided > step_.came) due = std::min(due, decided);
      }
    }
    if (lack.reason != Reason::kNone) {
      const bool told =
          job.record.reason == lack.reason && lack.reason != Reason::kWaitingForLargerExecutors;
      if (!told) machine_.waiting.WaitFor(job, JobState::kQueued, lack);
      waiting_.push_back(id);
      continue;
    }
    machine_.lifecycle.StartJob(job);
    count(job);
  }
}

}  // namespace dl::master
