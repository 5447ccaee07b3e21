#include "tests/sim/saboteur.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "master/core/record_keys.h"

namespace dl::sim {
namespace {

// A merge takes a few milliseconds.
constexpr Duration kLook = std::chrono::milliseconds(1);
// Shorter than the time between two looks of retention (Expiry::Period).
constexpr Duration kWrongClock = std::chrono::milliseconds(90);

void GoOn(ExecutorMachine& machine) {
  ExecutorProcess* executor = machine.process();
  if (executor != nullptr && executor->paused()) executor->Continue();
}

}  // namespace

Duration Saboteur::UpTo(Duration longest) {
  return Duration(
      static_cast<int64_t>(options_.random.Bounded(static_cast<uint64_t>(longest.count()))));
}

void Saboteur::Begin(Instant peace, Duration pause) {
  peace_ = peace;
  pause_ = pause;
  Next();
}

void Saboteur::AskForCheckpoints() {
  Soon(std::chrono::milliseconds(500), [this] {
    if (cluster_.time.now() >= peace_) return;
    for (const std::string& id : cluster_.jobs.ids())
      cluster_.client.ActOnce(id, rpc::JobAction::kCheckpoint, std::chrono::seconds(2));
    AskForCheckpoints();
  });
}

void Saboteur::KillMasterWhileJobsStop() {
  cluster_.time.After(std::chrono::milliseconds(20), [this] {
    if (cluster_.time.now() >= peace_) return;
    const bool stops = std::ranges::any_of(cluster_.jobs.ids(), [this](const std::string& id) {
      const master::Job* job = cluster_.jobs.Find(id);
      return job != nullptr && job->stops();
    });
    if (stops) {
      cluster_.master.Kill();
      cluster_.time.After(std::chrono::milliseconds(500), [this] { cluster_.master.Start(); });
    }
    KillMasterWhileJobsStop();
  });
}

void Saboteur::ShutDownWhileRoundsMerge(Instant from) {
  cluster_.time.At(from, [this] {
    const Instant now = cluster_.time.now();
    if (now >= peace_) return;
    const auto merges = [](const auto& entry) {
      return entry.second.phase == master::Phase::kMerging;
    };
    const bool any = cluster_.master.process &&
                     std::ranges::any_of(cluster_.master.process->core().jobs(), merges);
    if (any) cluster_.master.ShutDown(std::chrono::milliseconds(500));
    ShutDownWhileRoundsMerge(now + (any ? Duration(std::chrono::seconds(2)) : kLook));
  });
}

void Saboteur::MakePeace() {
  cluster_.network.faults = {};
  cluster_.master.death_at_write = 0;
  cluster_.master.slow_write = 0;
  if (OneIn(2)) cluster_.disk.shortage = 0;
  cluster_.disk.checkpoint_failure = 0;
  cluster_.master.Kill();
  cluster_.master.Start();
  for (const auto& machine : cluster_.executors) {
    machine->Start();
    machine->Heal();
    machine->process()->CutOff(false);
    GoOn(*machine);
  }
}

void Saboteur::Next() {
  Soon(pause_, [this] {
    if (cluster_.time.now() >= peace_) return;
    BreakSomething();
    Next();
  });
}

void Saboteur::BreakSomething() {
  ExecutorMachine& victim = AnExecutor();
  if (OneIn(20)) SetClock();
  switch (options_.random.Bounded(15)) {
    default:
      return BreakAnExecutor(victim);
    case 6:
    case 7:
      cluster_.master.Kill();
      return Soon(std::chrono::seconds(2), [this] { cluster_.master.Start(); });
    case 8:
      return cluster_.master.ShutDown(UpTo(std::chrono::seconds(2)));
    case 9:
    case 10:
      return ActOnAJob();
    case 11:
    case 12:
      return DamageACheckpoint();
    case 13:
      return BeginAnother();
    case 14:
      cluster_.network.faults.loss = options_.random.NextDouble() * 0.1;
      cluster_.network.faults.longest_delay =
          std::chrono::milliseconds(1 + options_.random.Bounded(300));
      return Soon(std::chrono::seconds(3), [this] {
        if (cluster_.time.now() >= peace_) return;
        cluster_.network.faults = {.duplicate = 0.01,
                                   .late = 0.01,
                                   .longest_stream = cluster_.network.faults.longest_stream};
      });
  }
}

// The wall clock jumps, which only records for people may show. If the master deletes what is old
// by this clock, the clock is wrong only for a moment.
void Saboteur::SetClock() {
  // Two looks of retention in a row must not see wrong clocks.
  constexpr Duration kRightClock = std::chrono::seconds(5);
  const Instant right_since = cluster_.rules.audit.wall_clock_right_since;
  if (options_.clock_is_set_right && cluster_.time.now() < right_since + kRightClock) return;
  constexpr uint64_t kHours = 5'000;  // longer than any bound
  const auto hours = static_cast<int64_t>(options_.random.Bounded(2 * kHours));
  const int64_t error_ms = (hours - static_cast<int64_t>(kHours)) * 3'600'000;
  cluster_.scheduler.wall_clock_ahead_ms = error_ms;
  if (!options_.clock_is_set_right) return;
  cluster_.rules.audit.wall_clock_error_ms = error_ms;
  cluster_.rules.audit.wall_clock_right_since = cluster_.time.now() + kWrongClock;
  cluster_.time.After(kWrongClock, [this] {
    cluster_.scheduler.wall_clock_ahead_ms = cluster_.rules.audit.wall_clock_error_ms = 0;
  });
}

void Saboteur::BreakAnExecutor(ExecutorMachine& victim) {
  ExecutorProcess* executor = victim.process();
  if (executor == nullptr) return;
  switch (options_.random.Bounded(6)) {
    case 0:
    case 1:
      ++cluster_.report.executor_kills;
      victim.Kill(!OneIn(4));
      return Soon(std::chrono::seconds(4), [&victim] { victim.Start(); });
    case 2:
      if (executor->paused()) return;
      ++cluster_.report.pauses;
      executor->Pause();
      return Soon(std::chrono::seconds(15), [&victim] { GoOn(victim); });
    case 3:
      executor->CutOff(true);
      return Soon(std::chrono::seconds(12), [&victim] {
        if (victim.process() != nullptr) victim.process()->CutOff(false);
      });
    case 4:
      if (cluster_.master.process && executor->session() != 0)
        cluster_.master.process->Disconnect(executor->session());
      return;
    case 5:
      if (OneIn(2)) return executor->Crash();
      return victim.LetLeave(OneIn(2) ? UpTo(std::chrono::seconds(3)) : std::chrono::seconds(20));
  }
}

void Saboteur::ActOnAJob() {
  if (cluster_.jobs.ids().empty()) return;
  const std::string& id = cluster_.jobs.ids()[options_.random.Bounded(cluster_.jobs.ids().size())];
  const master::Job* job = cluster_.jobs.Find(id);
  if (job == nullptr) return;
  switch (options_.mixed && OneIn(2) ? 0 : options_.random.Bounded(5)) {
    case 0:
      if (options_.mixed && OneIn(2)) return RebindBehindABack(id);
      cluster_.client.Act(id, OneIn(3) ? rpc::JobAction::kPause : rpc::JobAction::kCancel);
      // No other action may resume the job before peace.
      if (options_.mixed || OneIn(2)) Soon(std::chrono::seconds(4), [this, id] { ResumeAJob(id); });
      return;
    case 1:
      return ResumeAJob(id);
    case 2:
      return cluster_.client.Act(id, rpc::JobAction::kCheckpoint);
    default:
      if (job->checkpoints.empty()) return;
      cluster_.client.Act(id, OneIn(2) ? rpc::JobAction::kPin : rpc::JobAction::kUnpin,
                          job->checkpoints.begin()->first);
  }
}

void Saboteur::ResumeAJob(const std::string& id) {
  ++cluster_.report.resumed;
  if (!options_.rebinds || OneIn(3)) return cluster_.client.Act(id, rpc::JobAction::kResume);
  cluster_.rules.audit.expected.rebinds.insert(id);
  const bool any = !options_.mixed || OneIn(3);
  cluster_.client.Rebind(id, any ? "" : AnIsaFor(id));
}

std::string Saboteur::AnIsaFor(const std::string& id) {
  const std::string isa = OneIn(2) ? "avx2" : "avx512";
  const auto spec = cluster_.disk.specs.find(id);
  return spec != cluster_.disk.specs.end() && JobFromSpec(spec->second).portable ? "" : isa;
}

// A job continues under another kernel contract while one of its executors is stopped. The executor
// then delivers what it computed under the earlier contract.
void Saboteur::RebindBehindABack(const std::string& id) {
  ExecutorMachine& victim = AnExecutor();
  ExecutorProcess* executor = victim.process();
  if (executor != nullptr && !executor->paused()) {
    ++cluster_.report.pauses;
    executor->Pause();
    const Duration pause = std::chrono::seconds(3) + UpTo(std::chrono::seconds(5));
    cluster_.time.After(pause, [&victim] { GoOn(victim); });
  }
  cluster_.client.Act(id, rpc::JobAction::kCancel);
  const std::string isa = AnIsaFor(id);
  cluster_.time.After(std::chrono::milliseconds(1500), [this, id, isa] {
    ++cluster_.report.resumed;
    cluster_.rules.audit.expected.rebinds.insert(id);
    cluster_.client.Rebind(id, isa);
  });
}

void Saboteur::DamageACheckpoint() {
  const auto files = cluster_.disk.bulk.Files();
  if (files->empty()) return;
  const std::string key = (*files)[options_.random.Bounded(files->size())].smallest_key;
  const std::string checkpoint = Disk::CheckpointOf(key);
  const std::string job = checkpoint.substr(0, checkpoint.rfind('@'));
  // A job that began from another job's checkpoint starts again from its own round 0.
  const bool began_elsewhere = !cluster_.rules.ledger.job(job).source.empty();
  if (begun_from_.contains(checkpoint) || (began_elsewhere && checkpoint.ends_with("@0"))) return;
  if (cluster_.disk.bulk.Damage(key) == 0) return;
  cluster_.disk.damaged.insert(checkpoint);
  cluster_.rules.audit.expected.disk_trouble = true;
  ++cluster_.report.damaged;
}

void Saboteur::BeginAnother() {
  constexpr int64_t kMost = 2;
  if (!options_.another || cluster_.report.begun == kMost || cluster_.jobs.ids().empty()) return;
  const std::string& id = cluster_.jobs.ids()[options_.random.Bounded(cluster_.jobs.ids().size())];
  const master::Job* job = cluster_.jobs.Find(id);
  if (job == nullptr || job->checkpoints.empty()) return;
  auto from = job->checkpoints.begin();
  std::advance(from, static_cast<int64_t>(options_.random.Bounded(job->checkpoints.size())));
  const std::string checkpoint = absl::StrCat(id, "@", from->first);
  if (cluster_.disk.damaged.contains(checkpoint)) return;
  const SimJob source = JobFromSpec(cluster_.disk.meta.Get(master::keys::Spec(id))->value());
  const TakenOver what = OneIn(2) ? TakenOver::kAll : TakenOver::kWeights;
  SimJob next = options_.another(source, what);
  (what == TakenOver::kAll ? next.resume_from : next.init_from) = checkpoint;
  begun_from_.insert(checkpoint);
  ++cluster_.report.begun;
  cluster_.jobs.Submit(next);
}

}  // namespace dl::sim
