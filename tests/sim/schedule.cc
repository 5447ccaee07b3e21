// Random jobs, random faults, then peace until everything is done.
#include <algorithm>

#include "tests/sim/cluster.h"

namespace dl::sim {
namespace {

Duration UpTo(RandomStream& random, Duration longest) {
  return Duration(static_cast<int64_t>(random.Bounded(static_cast<uint64_t>(longest.count()))));
}

// The one who breaks things, one at a time, until the point of time when peace begins.
class Saboteur {
 public:
  Saboteur(Cluster* cluster, RandomStream random, ScheduleReport* report)
      : cluster_(*cluster), random_(random), report_(*report) {}

  void Begin(Instant peace, Duration pause) {
    peace_ = peace;
    pause_ = pause;
    Next();
  }

  // Everything that was broken is whole again, but for what executors and master remember.
  void MakePeace() {
    cluster_.network.faults = {};
    cluster_.death_at_write = 0;
    cluster_.slow_write = 0;
    cluster_.disk.checkpoint_failure = 0;
    cluster_.KillMaster();
    cluster_.StartMaster();
    for (size_t i = 0; i < cluster_.executors.size(); ++i) {
      cluster_.StartExecutor(i);
      ExecutorProcess& executor = *cluster_.executors[i];
      cluster_.Heal(i);
      executor.CutOff(false);
      if (executor.paused()) executor.Continue();
    }
  }

 private:
  void Next() {
    cluster_.time.After(UpTo(random_, pause_), [this] {
      if (cluster_.time.now() >= peace_) return;
      BreakSomething();
      Next();
    });
  }

  void BreakSomething() {
    const size_t victim = random_.Bounded(cluster_.executors.size());
    ExecutorProcess* executor = cluster_.executors[victim].get();
    const auto soon = [&](Duration longest, std::function<void()> action) {
      cluster_.time.After(UpTo(random_, longest), std::move(action));
    };
    switch (random_.Bounded(10)) {
      case 0:
      case 1:
        ++report_.executor_kills;
        if (executor != nullptr && random_.Bounded(4) == 0) {
          // Told to stop: it may be through with its work, and gone, before it is killed.
          executor->Drain();
          soon(std::chrono::seconds(6), [this, victim] {
            cluster_.KillExecutor(victim, true);
            cluster_.StartExecutor(victim);
          });
          break;
        }
        cluster_.KillExecutor(victim, random_.Bounded(4) != 0);
        soon(std::chrono::seconds(4), [this, victim] { cluster_.StartExecutor(victim); });
        break;
      case 2:
      case 3:
        if (executor == nullptr || executor->paused()) break;
        ++report_.pauses;
        executor->Pause();
        soon(std::chrono::seconds(15), [this, victim] {
          ExecutorProcess* again = cluster_.executors[victim].get();
          if (again != nullptr && again->paused()) again->Continue();
        });
        break;
      case 4:
        cluster_.KillMaster();
        soon(std::chrono::seconds(2), [this] { cluster_.StartMaster(); });
        break;
      case 5:
        if (executor == nullptr) break;
        executor->CutOff(true);
        soon(std::chrono::seconds(12), [this, victim] {
          if (cluster_.executors[victim]) cluster_.executors[victim]->CutOff(false);
        });
        break;
      case 6:
        if (cluster_.master && executor != nullptr && executor->session() != 0) {
          cluster_.master->Enqueue(master::SessionDisconnected{executor->session()});
        }
        break;
      case 7:
        ActOnAJob();
        break;
      case 8:
        DamageACheckpoint();
        break;
      case 9:
        cluster_.network.faults.loss = random_.NextDouble() * 0.1;
        cluster_.network.faults.longest_delay = std::chrono::milliseconds(1 + random_.Bounded(300));
        soon(std::chrono::seconds(3),
             [this] { cluster_.network.faults = {.duplicate = 0.01, .late = 0.01}; });
        break;
    }
  }

  void ActOnAJob() {
    if (cluster_.jobs().empty()) return;
    const std::string& id = cluster_.jobs()[random_.Bounded(cluster_.jobs().size())];
    const master::Job* job = cluster_.JobOf(id);
    if (job == nullptr) return;
    switch (random_.Bounded(5)) {
      case 0:
        return cluster_.client().Act(id, rpc::JobAction::kCancel);
      case 1:
        ++report_.resumed;
        return cluster_.client().Act(id, rpc::JobAction::kResume);
      case 2:
        return cluster_.client().Act(id, rpc::JobAction::kCheckpoint);
      default:
        if (job->checkpoints.empty()) return;
        cluster_.client().Act(
            id, random_.Bounded(2) == 0 ? rpc::JobAction::kPin : rpc::JobAction::kUnpin,
            job->checkpoints.begin()->first);
    }
  }

  void DamageACheckpoint() {
    auto& stored = cluster_.disk.checkpoints;
    if (stored.empty()) return;
    auto victim = stored.begin();
    std::advance(victim, static_cast<int64_t>(random_.Bounded(stored.size())));
    victim->second.damaged = true;
    ++report_.damaged;
  }

  Cluster& cluster_;
  RandomStream random_;
  ScheduleReport& report_;
  Instant peace_;
  Duration pause_{};
};

}  // namespace

ScheduleReport RunSchedule(uint64_t seed) {
  RandomStream random({.seed = seed, .a = 9});
  Cluster cluster(seed);
  ScheduleReport report;
  const int64_t jobs = 1 + static_cast<int64_t>(random.Bounded(3));
  cluster.core_options.max_running_jobs = 1 + static_cast<int64_t>(random.Bounded(3));
  // Small enough that jobs outgrow it, or large enough that none does.
  cluster.core_options.commits_kept =
      random.Bounded(2) == 0 ? 64 : 1 + static_cast<int64_t>(random.Bounded(3));
  // Every round is gathered, or none is: the master stages any number of these few bytes.
  RandomStream staging({.seed = seed, .a = 11});
  if (staging.Bounded(2) == 0) cluster.core_options.staging_bytes = 0;
  std::vector<SimJob> plans;
  for (int64_t i = 0; i < jobs; ++i) plans.push_back(RandomJob(random));
  // A machine with bad memory only where every unit is computed twice: elsewhere nobody could know.
  const bool bad_memory = random.Bounded(6) == 0;
  if (bad_memory) {
    for (SimJob& job : plans) job.verify_fraction = 1;
    cluster.ledger().ExpectRollbacks();
  }
  // One that lies all the time, where half of the units are checked, or a tenth: it is caught some
  // time, and what it gave before does not count.
  const bool lies = !bad_memory && random.Bounded(6) == 0;
  if (lies) {
    RandomStream checks({.seed = seed, .a = 13});
    for (SimJob& job : plans) job.verify_fraction = checks.Bounded(2) == 0 ? 0.5 : 0.1;
    cluster.ledger().ExpectLies();
  }
  const bool of_sums = lies && staging.Bounded(2) == 0;  // that is all it lies about
  if (of_sums) cluster.core_options.staging_bytes = 0;
  const bool failing = random.Bounded(6) == 0;
  // Executors of different memory, the first of which holds any unit. Where a third executor has to
  // decide, all do, though not as many as they have slots.
  RandomStream memories({.seed = seed, .a = 12});
  const bool bounded = memories.Bounded(3) == 0;
  constexpr int64_t kLargestUnit = 4;
  for (SimJob& job : plans) {
    if (bounded) job.unit_bytes = static_cast<int64_t>(1 + memories.Bounded(kLargestUnit));
  }
  const size_t executors = (lies ? 3 : 1) + random.Bounded(4);
  for (size_t i = 0; i < executors; ++i) {
    const int64_t least = i == 0 || lies || bad_memory ? kLargestUnit : 1;
    const int64_t memory = least + static_cast<int64_t>(memories.Bounded(kLargestUnit));
    cluster.AddExecutor({.slots = static_cast<int32_t>(1 + random.Bounded(2)),
                         .unit_memory = bounded ? memory : 0,
                         .unit_time = std::chrono::milliseconds(
                             random.Bounded(8) == 0 ? 4000 : 50 + random.Bounded(1500)),
                         .wrong = i != 0       ? 0
                                  : bad_memory ? 0.2
                                  : of_sums    ? 0
                                  : lies       ? 1
                                               : 0,
                         .wrong_sums = i == 0 && of_sums ? 1.0 : 0.0,
                         .failing = failing ? 0.1 : 0});
  }
  cluster.death_at_write = random.Bounded(3) == 0 ? 0.01 : 0;
  cluster.slow_write = random.Bounded(3) == 0 ? 0.1 : 0;
  cluster.disk.checkpoint_failure = random.Bounded(4) == 0 ? 0.1 : 0;
  cluster.network.faults = {.longest_delay = std::chrono::milliseconds(1 + random.Bounded(20)),
                            .loss = random.Bounded(2) == 0 ? 0.01 : 0,
                            .duplicate = 0.01,
                            .late = random.Bounded(2) == 0 ? 0.01 : 0};
  cluster.StartMaster();
  for (size_t i = 0; i < executors; ++i) {
    cluster.time.After(UpTo(random, std::chrono::seconds(i == 0 ? 1 : 8)),
                       [&cluster, i] { cluster.StartExecutor(i); });
  }
  for (const SimJob& job : plans) {
    const Duration when = UpTo(random, std::chrono::seconds(3));
    cluster.time.After(when, [&cluster, job] { cluster.Submit(job); });
    if (random.Bounded(8) != 0) continue;
    // The master dies when it may have written the job, but not answered.
    const Duration dies = when + UpTo(random, std::chrono::milliseconds(40));
    cluster.time.After(dies, [&cluster] { cluster.KillMaster(); });
    cluster.time.After(dies + std::chrono::seconds(1), [&cluster] { cluster.StartMaster(); });
  }
  Saboteur saboteur(&cluster, RandomStream({.seed = seed, .a = 10}), &report);
  const Instant peace = cluster.time.now() + std::chrono::seconds(5 + random.Bounded(20));
  saboteur.Begin(peace, std::chrono::milliseconds(400 + random.Bounded(2500)));
  cluster.RunUntil(peace, [] { return false; });
  saboteur.MakePeace();
  cluster.RunFor(std::chrono::seconds(4));  // submissions that are still on their way
  cluster.RunToTheEnd(std::chrono::seconds(1800));
  cluster.CheckResults();

  report.breach = cluster.breach();
  report.jobs = jobs;
  for (const std::string& id : cluster.jobs()) report.rounds += cluster.ledger().committed(id);
  report.master_starts = cluster.master_starts();
  report.second_leases = cluster.second_leases;
  report.expired_leases = cluster.expired_leases;
  report.duplicates = cluster.duplicates;
  report.replayed = cluster.replayed;
  report.taken_back = cluster.taken_back;
  report.rollbacks = cluster.ledger().rollbacks();
  report.gathered = cluster.ledger().gathered();
  report.summed = cluster.ledger().summed();
  report.cancelled_gathers = cluster.ledger().cancelled_gathers();
  report.wrong_sums = cluster.ledger().wrong_sums();
  report.long_steps = cluster.long_steps;
  report.full = cluster.ledger().full();
  report.virtual_seconds = Seconds(cluster.time.now() - Instant{});
  return report;
}

}  // namespace dl::sim
