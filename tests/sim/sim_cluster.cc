#include "tests/sim/sim_cluster.h"

#include <cstdlib>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/log.h"
#include "master/core/machine/unit_progress.h"
#include "tests/sim/checkpoint_rules.h"
#include "tests/sim/series_rules.h"
#include "tests/sim/timeline_rules.h"

namespace dl::sim {

Cluster::Cluster(uint64_t seed)
    : disk(seed),
      network(&time, seed),
      rules({.meta = &disk.meta,
             .tokens = disk.tokens.get(),
             .specs = &disk.specs,
             .blocks = &disk.blocks,
             .report = &report,
             .breach = [this](std::string what) { Breach(std::move(what)); },
             .other_is_able =
                 [this](const std::string& job, const std::set<std::string>& executors) {
                   return OtherIsAble(job, executors);
                 }}),
      master({.time = &time,
              .scheduler = &scheduler,
              .disk = &disk,
              .rules = &rules,
              .report = &report,
              .seed = seed,
              .ends = [this] { jobs.CountFacts(); },
              .breach = rules.audit.breach}),
      users(&disk),
      client(&time, &network, &users, &rules.audit),
      jobs({.client = &client,
            .master = &master,
            .disk = &disk,
            .rules = &rules,
            .report = &report,
            .breach = rules.audit.breach}),
      seed_(seed),
      pauses_({.seed = seed, .a = 14}) {
  network.master = &master.process;
  if (std::getenv("DL_LOG") == nullptr) SetLogLevel(LogLevel::kOff);
}

void Cluster::Breach(std::string what) {
  if (!report.breach.empty()) return;
  const std::string lies =
      report.lies.empty() ? "" : "; lies about " + absl::StrJoin(report.lies, ", ");
  report.breach = absl::StrCat(what, " [at ", Seconds(Duration(time.now().ns)), " s", lies, "]");
}

// Whether it has been able to for so long that the master must know it.
bool Cluster::OtherIsAble(const std::string& id, const std::set<std::string>& but) {
  constexpr Duration kRegistered = std::chrono::seconds(5);
  const master::Job* job = jobs.Find(id);
  if (job == nullptr || !master.process) return false;
  const master::Core& core = master.process->core();
  return std::ranges::any_of(executors, [&](const auto& machine) {
    const std::string& name = machine->name();
    if (but.contains(name) || core.quarantined().contains(name) ||
        !machine->IsAbleFor(*job, kRegistered))
      return false;
    // After a restart the master waits for executors that have not registered again.
    const bool just_started =
        time.now() - master.started < master.core_options.return_grace - std::chrono::seconds(1);
    return just_started || std::ranges::any_of(core.sessions(), [&](const auto& session) {
             return session.second.who.executor == name &&
                    time.now() - session.second.joined >= kRegistered;
           });
  });
}

ExecutorMachine& Cluster::AddExecutor(ExecutorSetup setup) {
  const size_t index = executors.size();
  executors.push_back(
      std::make_unique<ExecutorMachine>(ExecutorMachine::Options{.time = &time,
                                                                 .scheduler = &scheduler,
                                                                 .network = &network,
                                                                 .master = &master,
                                                                 .disk = &disk,
                                                                 .rules = &rules,
                                                                 .report = &report,
                                                                 .pauses = &pauses_,
                                                                 .seed = seed_ + index,
                                                                 .name = absl::StrCat("e", index),
                                                                 .breach = rules.audit.breach},
                                        std::move(setup)));
  return *executors.back();
}

bool Cluster::RunUntil(Instant limit, const std::function<bool()>& done) {
  const auto over = std::make_shared<bool>(
      false);  // shared with the limit's action, which may run after this call
  time.At(limit, [over] { *over = true; });
  while (!*over && report.breach.empty() && !done()) {
    if (!time.RunNext()) break;
  }
  return report.breach.empty() && !*over;
}

int64_t Cluster::Records() {
  int64_t records = 0;
  for (const std::string& id : jobs.ids()) records += rules.ledger.job(id).records;
  return records;
}

Duration Cluster::LongestStandstill() const {
  Duration longest{};
  if (!master.process) return longest;
  for (const auto& [id, job] : master.process->core().jobs()) {
    if (master::IsTerminal(job.record.state)) continue;
    longest = std::max(longest, master::Progress::LongestRestartBound(job));
  }
  return longest;
}

bool Cluster::RunToTheEnd(Duration limit) {
  // A unit is given up after three processes of an executor hung at it.
  constexpr int64_t kStandstills = 3;
  constexpr int64_t kLongestPeace = 10;
  const Instant start = time.now();
  Instant progressed = start;
  int64_t records = 0;
  Duration longest{};
  while (report.breach.empty() && time.now() < start + kLongestPeace * limit &&
         time.now() < progressed + limit + kStandstills * longest) {
    if (jobs.AllDone()) return true;
    if (std::exchange(records, Records()) != Records()) progressed = time.now();
    longest = std::max(longest, LongestStandstill());
    jobs.ResumeThoseThatStopped();
    RunFor(std::chrono::seconds(1));
  }
  Breach("liveness: not every job ended in time:" + jobs.Describe());
  return false;
}

void Cluster::CheckResults() {
  if (!report.breach.empty()) return;
  jobs.CheckResults();
  for (const std::string& id : jobs.ids()) {
    CheckSeries(rules.audit, id);
    CheckTimeline(rules.audit, id);
  }
  rules.blocks.CheckSettled();
  rules.retention.CheckSettled();
  rules.lives.CheckEnded(master.process->core(), master.core_options.ended_kept);
  if (const std::string gone = CheckStoredCheckpoints(disk); !gone.empty()) Breach(gone);
  jobs.CountFacts();
}

}  // namespace dl::sim
