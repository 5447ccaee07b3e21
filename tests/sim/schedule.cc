// Random jobs and random faults, then peace until all jobs are done.
#include <algorithm>
#include <utility>

#include "base/limits.h"
#include "tests/sim/deletions.h"
#include "tests/sim/intruders.h"
#include "tests/sim/job_readers.h"
#include "tests/sim/saboteur.h"

namespace dl::sim {
namespace {

constexpr char kLabel[] = "kind=b";
constexpr char kContract[] = "RegisterRequest.contracts.contract";
// In peace, a job commits a round or ends within this time. Includes 10 minutes in which an
// executor may be backed off or held off.
constexpr Duration kLongestWait = std::chrono::seconds(900);
// Size of a chunk if connections are cut. A contribution has at least 44 bytes.
constexpr int64_t kCutChunkBytes = 15;

Duration UpTo(RandomStream& random, Duration longest) {
  return Duration(static_cast<int64_t>(random.Bounded(static_cast<uint64_t>(longest.count()))));
}

void GiveFate(RandomStream& random, SimJob& job) {
  const int64_t rounds = dataset::RoundsPerEpoch(job.plan) * job.epochs;
  job.fate = random.Bounded(2) == 0 ? SimJob::Fate::kNotFinite : SimJob::Fate::kCrash;
  job.fate_round = 1 + static_cast<int64_t>(random.Bounded(static_cast<uint64_t>(rounds)));
  job.fate_worker = static_cast<int32_t>(random.Bounded(static_cast<uint64_t>(job.plan.workers)));
}

// Many workers, for many executors.
void MakeLarge(RandomStream& random, SimJob& job) {
  job.plan.workers = static_cast<int64_t>(64 + random.Bounded(193));
  job.plan.examples = job.plan.workers + static_cast<int64_t>(random.Bounded(256));
  job.plan.batch_size = 1;
  job.plan.averaging_frequency = 2;
  job.epochs = 1;
}

// A few units, each of which takes long.
void MakeShort(SimJob& job) {
  job.plan.examples = std::min<int64_t>(job.plan.examples, 8);
  job.epochs = 1;
}

ExecutorFaults RuinOf(RandomStream& random) {
  switch (random.Bounded(5)) {
    case 0:
      return {.failing = 1};
    case 3:
      return {.absurd = 1};
    case 1:
      return {.crashing = 1};
    case 2:
      return {.killed = 1};
    default:
      return {.hanging = 1};
  }
}

// Chooses a message, all with equal probability, and then one of its fields.
std::string AFieldOf(RandomStream& random, const std::set<std::string>& spared) {
  std::map<std::string, std::vector<std::string>> fields;  // by message
  for (const std::string& field : FieldsOfExecutors()) {
    if (!spared.contains(field)) fields[field.substr(0, field.find('.'))].push_back(field);
  }
  const auto message =
      std::next(fields.begin(), static_cast<int64_t>(random.Bounded(fields.size())));
  return message->second[random.Bounded(message->second.size())];
}

enum class Contributions { kStaged, kGathered };

// Returns an executor that alters any field of some of its messages, or always the same field. All
// units are computed twice, or none.
ExecutorFaults LiarOf(RandomStream& random, std::vector<SimJob>& jobs, Contributions come) {
  constexpr double kShares[] = {0.02, 0.2, 1};
  const bool checked = random.Bounded(2) == 0;
  for (SimJob& job : jobs) job.verify_fraction = checked ? 1 : 0;
  Lies lies{.share = kShares[random.Bounded(3)]};
  // Only a second computation reveals lies about these fields.
  if (!checked) lies.spared = {"AnnounceRequest.metrics", "AnnounceRequest.example_hash_sum"};
  // Contributions that come as a sum are not compared with these fields, and no sum is opened.
  if (!checked && come == Contributions::kGathered)
    lies.spared.merge(std::set<std::string>{"AnnounceRequest.hash", "AnnounceRequest.magnitudes",
                                            "AnnounceRequest.magnitudes[]"});
  if (random.Bounded(3) > 0) {
    lies.field = AFieldOf(random, lies.spared);
    lies.share = 1;
  }
  // The executor has failures and crashes about which it can lie.
  const bool of_crashes = lies.field.starts_with("RegisterRequest.crashed");
  return {.failing = 0.2, .crashing = of_crashes ? 0.5 : 0.05, .lies = lies};
}

master::RetentionPolicy PolicyOf(RandomStream& random) {
  const auto seconds = [&](uint64_t from, uint64_t most) {
    return std::chrono::seconds(from + random.Bounded(most));
  };
  master::RetentionPolicy kept{.uploads = seconds(20, 40)};
  switch (random.Bounded(3)) {
    case 0:
      kept.time = seconds(10, 30);
      break;
    case 1:
      kept.jobs = static_cast<int64_t>(1 + random.Bounded(4));
      break;
    default:
      break;
  }
  return kept;
}

}  // namespace

ScheduleReport RunSchedule(uint64_t seed) {
  RandomStream random({.seed = seed, .a = 9});
  Cluster cluster(seed);
  Expectations& expected = cluster.rules.audit.expected;
  const int64_t jobs = 1 + static_cast<int64_t>(random.Bounded(3));
  cluster.master.core_options.max_running_jobs = 1 + static_cast<int64_t>(random.Bounded(3));
  // Small enough to be exceeded by jobs, or large enough for all.
  cluster.master.core_options.commits_kept =
      random.Bounded(2) == 0 ? 64 : 1 + static_cast<int64_t>(random.Bounded(3));
  // Either every round is gathered or none, because the limit is 0 or far above these few bytes.
  RandomStream staging({.seed = seed, .a = 11});
  if (staging.Bounded(2) == 0) cluster.master.core_options.staging_bytes = 0;
  std::vector<SimJob> plans;
  for (int64_t i = 0; i < jobs; ++i) plans.push_back(RandomJob(random));
  // A few clusters are large. In some others, units take longer than executors often live.
  RandomStream sizes({.seed = seed, .a = 23});
  const bool large = sizes.Bounded(250) == 0;
  const bool long_units = !large && sizes.Bounded(25) == 0;
  if (large) MakeLarge(sizes, plans.front());
  if (long_units) std::ranges::for_each(plans, MakeShort);
  // Bad memory is detected only if every unit is computed twice.
  const bool bad_memory = random.Bounded(6) == 0;
  if (bad_memory) {
    for (SimJob& job : plans) job.verify_fraction = 1;
    expected.rollbacks = true;
  }
  // An executor that always lies, while half or a tenth of the units are verified. It is caught at
  // some time, and its earlier results do not count.
  const bool lies = !bad_memory && random.Bounded(6) == 0;
  if (lies) {
    RandomStream checks({.seed = seed, .a = 13});
    for (SimJob& job : plans) job.verify_fraction = checks.Bounded(2) == 0 ? 0.5 : 0.1;
    expected.lies = true;
  }
  // Otherwise, one executor may report losses that are not finite where none are; or executors have
  // two instruction sets, whose bits differ; or a job ends because of its own data or one of its
  // units.
  RandomStream kinds({.seed = seed, .a = 15});
  const bool honest = !bad_memory && !lies;
  const bool sick = honest && kinds.Bounded(6) == 0;
  if (sick) expected.rollbacks = true;  // its earlier results do not count either
  const bool mixed = honest && !sick && kinds.Bounded(3) == 0;
  RandomStream portables({.seed = seed, .a = 32});
  const auto choose_kernels = [&](SimJob& job) {
    if (!mixed) return;
    if (kinds.Bounded(3) == 0) job.isa = kinds.Bounded(2) == 0 ? "avx2" : "avx512";
    job.portable = portables.Bounded(4) == 0;
    if (job.portable) job.isa = "";
  };
  for (SimJob& job : plans) {
    choose_kernels(job);
    if (honest && kinds.Bounded(8) == 0) GiveFate(kinds, job);
  }
  const bool crashing = kinds.Bounded(8) == 0;
  if (!honest || sick) expected.suspects.insert("e0");
  const bool of_sums = lies && staging.Bounded(2) == 0;  // it lies about nothing else
  if (of_sums) cluster.master.core_options.staging_bytes = 0;
  const bool failing = random.Bounded(6) == 0;
  // Some executors hang in a kernel while they send heartbeats.
  RandomStream hangs({.seed = seed, .a = 19});
  const bool hanging = honest && !sick && hangs.Bounded(3) == 0;
  // Executors with different amounts of memory, of which the first is large enough for any unit. If
  // a third executor may have to decide, all are, but not for as many units as they have slots.
  RandomStream memories({.seed = seed, .a = 12});
  const bool bounded = memories.Bounded(3) == 0;
  constexpr int64_t kLargestUnit = 4;
  for (SimJob& job : plans) {
    if (bounded) job.unit_bytes = static_cast<int64_t>(1 + memories.Bounded(kLargestUnit));
  }
  // Jobs of two owners. Some are for a few executors, or only for those with a label.
  RandomStream sharing({.seed = seed, .a = 17});
  const bool shared = sharing.Bounded(3) == 0;
  const auto share = [&](SimJob& job) {
    if (!shared) return;
    job.owner = sharing.Bounded(2) == 0 ? "ada" : "bob";
    job.scheduling.priority = static_cast<int32_t>(sharing.Bounded(3)) - 1;
    job.scheduling.max_executors = static_cast<int32_t>(sharing.Bounded(4));
    if (sharing.Bounded(3) == 0) job.scheduling.needs = {kLabel};
  };
  for (SimJob& job : plans) share(job);
  // Contributions come in chunks, over connections that are cut during the transfer.
  RandomStream streams({.seed = seed, .a = 22});
  const int64_t longest_stream = streams.Bounded(3) == 0 ? 700 : 0;
  // In some schedules the path to the master cuts each connection during a contribution. In some
  // others, gathered contributions are not sent.
  RandomStream paths({.seed = seed, .a = 24});
  const bool cuts = honest && !sick && paths.Bounded(12) == 0;
  const bool stuck = honest && !sick && !cuts && paths.Bounded(6) == 0;
  // An executor with bad memory may contradict itself and is then quarantined, so another exists.
  const size_t few = (lies ? 3 : mixed || bad_memory ? 2 : 1) + random.Bounded(4);
  // A machine that fails at each unit forever, beside another one that can compute all units.
  RandomStream ruins({.seed = seed, .a = 23});
  const bool ruined = honest && !sick && !mixed && (large || few > 1) && ruins.Bounded(3) == 0;
  // Otherwise an executor may alter its messages to the master, beside two executors that do not.
  RandomStream words({.seed = seed, .a = 25});
  const bool liar = honest && !sick && !mixed && !ruined && words.Bounded(2) == 0;
  const size_t executors = large ? 16 + sizes.Bounded(49) : std::max<size_t>(few, liar ? 3 : 1);
  const ExecutorFaults ruin = RuinOf(ruins);
  // A unit that no executor can compute, and an executor that is killed before it can report it.
  if (ruined && ruin.killed > 0 && ruins.Bounded(2) == 0) GiveFate(ruins, plans.front());
  if (ruined && ruin.absurd > 0) {
    // A late announcement contradicts the commit, and its executor is quarantined.
    expected.suspects.insert("e1");
    expected.rollbacks = true;
  }
  const Contributions come = cluster.master.core_options.staging_bytes == 0
                                 ? Contributions::kGathered
                                 : Contributions::kStaged;
  ExecutorFaults lying = liar ? LiarOf(words, plans, come) : ExecutorFaults{};
  // Some liars register first and state a kernel contract that they do not have.
  const bool names_contract = liar && RandomStream({.seed = seed, .a = 29}).Bounded(8) == 0;
  if (names_contract) lying.lies = {.share = 1, .field = kContract};
  if (liar) {
    expected.suspects.insert("e1");
    expected.rollbacks = true;
  }
  const bool named = words.Bounded(2) == 0;  // their tokens contain names
  // Without names in tokens, the name of an executor that is absent for a moment is free.
  if (!named) lying.lies.spared.insert("RegisterRequest.executor");
  // An executor and a user that send many requests at once, also in peace, beside other peers.
  const bool flooded = executors > 1 && RandomStream({.seed = seed, .a = 30}).Bounded(25) == 0;
  for (size_t i = 0; i < executors; ++i) {
    // In a mixed cluster, the first two executors have one instruction set each.
    const bool avx512 = mixed && (i == 0 ? false : i == 1 || kinds.Bounded(2) == 0);
    const bool any = i == 0 || !honest || sick || (mixed && i == 1);
    const int64_t least = any ? kLargestUnit : 1;
    const int64_t memory = least + static_cast<int64_t>(memories.Bounded(kLargestUnit));
    const auto slots = static_cast<int32_t>(1 + random.Bounded(2));
    const uint64_t unit_ms = random.Bounded(8) == 0 ? 4000 : 50 + random.Bounded(1500);
    cluster.AddExecutor({.slots = slots,
                         .unit_memory = bounded ? memory : 0,
                         .labels = any || sharing.Bounded(2) == 0 ? std::vector<std::string>{kLabel}
                                                                  : std::vector<std::string>{},
                         .isa = avx512 ? "avx512" : "avx2",
                         .also_isa = avx512 && i > 1 && kinds.Bounded(2) == 0 ? "avx2" : "",
                         .has_portable = i < 2 || portables.Bounded(4) > 0,
                         .unit_time = std::chrono::milliseconds(long_units ? 40'000 : unit_ms),
                         .chunk_bytes = cuts ? kCutChunkBytes
                                        : streams.Bounded(3) == 0
                                            ? limits::kChunkBytes
                                            : static_cast<int64_t>(20 + streams.Bounded(100)),
                         .cut_after = cuts ? 2 * kCutChunkBytes + 5 : 0,
                         .has_name_alone = named,
                         .faults = {.wrong = i != 0       ? 0
                                             : bad_memory ? 0.2
                                             : of_sums    ? 0
                                             : lies       ? 1
                                                          : 0,
                                    .wrong_sums = i == 0 && of_sums ? 1.0 : 0.0,
                                    .stuck_gathers = stuck ? 0.1 : 0,
                                    .failing = failing ? 0.1 : 0,
                                    .not_finite = i == 0 && sick ? 0.3 : 0,
                                    .crashing = crashing ? 0.03 : 0,
                                    .hanging = hanging && hangs.Bounded(2) == 0 ? 0.2 : 0,
                                    .flood = flooded && i + 1 == executors ? 30 : 0}});
    if (ruined && i == 1) cluster.executors.back()->Ruin(ruin);
    if (liar && i == 1) cluster.executors.back()->Ruin(lying);
  }
  // In some schedules the limits of a batch are small, so that the core waits for the writer.
  RandomStream shells({.seed = seed, .a = 29});
  if (shells.Bounded(4) == 0) {
    cluster.master.bounds.batch_bytes = 200 + shells.Bounded(3000);
    cluster.master.bounds.effects = 1 + shells.Bounded(20);
  }
  if (flooded) {
    // A session has at most one waiting request for units, however often it asks.
    cluster.master.bounds.requests = 30 + 4 * static_cast<int64_t>(executors);
    cluster.master.bounds.request_bytes = 4000 + static_cast<int64_t>(shells.Bounded(30'000));
  }
  cluster.master.death_at_write = random.Bounded(3) == 0 ? 0.01 : 0;
  cluster.master.slow_write = random.Bounded(3) == 0 ? 0.1 : 0;
  // Masters must stop while rounds are merged. Slow writes leave time for a merge during the last
  // write.
  const bool stopped = RandomStream({.seed = seed, .a = 31}).Bounded(10) == 0;
  if (stopped) cluster.master.slow_write = 0.5;
  RandomStream masters({.seed = seed, .a = 41});
  cluster.disk.shortage = masters.Bounded(4) == 0 ? 0.05 : 0;
  // Small enough to be exceeded by ended jobs, or large enough for all.
  if (masters.Bounded(2) == 0)
    cluster.master.core_options.ended_kept = 1 + static_cast<int64_t>(masters.Bounded(3));
  cluster.disk.checkpoint_failure = random.Bounded(4) == 0 ? 0.1 : 0;
  if (cluster.disk.checkpoint_failure > 0) expected.disk_trouble = true;
  const bool retains = honest && !sick && masters.Bounded(2) == 0;
  if (retains) cluster.Retain(PolicyOf(masters));
  // Users ask about jobs. Pages and the events in memory are so small that answers are cut.
  RandomStream readings({.seed = seed, .a = 42});
  const bool asks = readings.Bounded(6) == 0;
  if (asks && readings.Bounded(2) == 0) {
    cluster.rules.queries.pages = {.bytes = static_cast<int64_t>(1000 + readings.Bounded(3000)),
                                   .jobs = 1 + readings.Bounded(4),
                                   .numbers = 1 + readings.Bounded(6)};
    cluster.rules.queries.feed = {
        .events_of_job = static_cast<int64_t>(1 + readings.Bounded(readings.Bounded(2) ? 2 : 20)),
        .events_of_reply = static_cast<int64_t>(2 + readings.Bounded(10))};
  }
  cluster.network.faults = {.longest_delay = std::chrono::milliseconds(1 + random.Bounded(20)),
                            .loss = random.Bounded(2) == 0 ? 0.01 : 0,
                            .duplicate = 0.01,
                            .late = random.Bounded(2) == 0 ? 0.01 : 0,
                            .longest_stream = longest_stream};
  cluster.master.Start();
  for (size_t i = 0; i < executors; ++i) {
    const Duration late = names_contract && i != 1 ? std::chrono::seconds(8) : Duration{};
    cluster.time.After(late + UpTo(random, std::chrono::seconds(i == 0 ? 1 : 8)),
                       [&cluster, i] { cluster.executors[i]->Start(); });
  }
  for (const SimJob& job : plans) {
    const Duration when = UpTo(random, std::chrono::seconds(3));
    cluster.time.After(when, [&cluster, job] { cluster.jobs.Submit(job); });
    if (random.Bounded(8) != 0) continue;
    // The master is killed when it may have written the job but not answered.
    const Duration dies = when + UpTo(random, std::chrono::milliseconds(40));
    cluster.time.After(dies, [&cluster] { cluster.master.Kill(); });
    cluster.time.After(dies + std::chrono::seconds(1), [&cluster] { cluster.master.Start(); });
  }
  const auto another = [&](const SimJob& source, TakenOver what) {
    SimJob job = RandomJob(kinds);
    if (long_units) MakeShort(job);
    if (what == TakenOver::kAll) {
      job.policy = source.policy;
      job.outer = source.outer;
      job.ema = source.ema;
    }
    if (what == TakenOver::kAll) job.plan.workers = source.plan.workers;
    if (bounded) job.unit_bytes = static_cast<int64_t>(1 + kinds.Bounded(kLargestUnit));
    share(job);
    choose_kernels(job);
    return job;
  };
  Saboteur saboteur(
      {.cluster = &cluster,
       .random = RandomStream({.seed = seed, .a = 10}),
       .rebinds = honest && !sick,
       .mixed = mixed,
       .clock_is_set_right = retains,
       // A source could be revoked.
       .another = honest && !sick ? another : std::function<SimJob(const SimJob&, TakenOver)>()});
  const Instant peace = cluster.time.now() + std::chrono::seconds(5 + random.Bounded(20));
  saboteur.Begin(peace, std::chrono::milliseconds(400 + random.Bounded(2500)));
  if (RandomStream({.seed = seed, .a = 26}).Bounded(10) == 0) saboteur.AskForCheckpoints();
  if (RandomStream({.seed = seed, .a = 28}).Bounded(10) == 0) saboteur.KillMasterWhileJobsStop();
  if (stopped) saboteur.ShutDownWhileRoundsMerge(cluster.time.now());
  Deletions deletions({.cluster = &cluster, .random = RandomStream({.seed = seed, .a = 21})});
  if (honest && !sick && RandomStream({.seed = seed, .a = 22}).Bounded(3) == 0)
    deletions.Begin(peace);
  Intruders intruders({.cluster = &cluster,
                       .at_once = flooded ? 40 : 1,
                       .random = RandomStream({.seed = seed, .a = 27})});
  if (shared || flooded) intruders.Begin(peace);
  JobReaders readers({.cluster = &cluster, .random = readings});
  if (asks) readers.Begin(peace);
  cluster.RunUntil(peace, [] { return false; });
  saboteur.MakePeace();
  cluster.RunFor(std::chrono::seconds(4));  // for submissions that are in progress
  deletions.CancelAll();
  cluster.RunToTheEnd(kLongestWait);
  // For the last batches, their effects, and retention, which reads again after an error.
  cluster.disk.shortage = 0;
  cluster.RunFor(cluster.master.kept.time + std::chrono::seconds(retains ? 25 : 2));
  if (asks) {
    readers.Stop();
    readers.FollowAll();
    if (!cluster.RunUntil(cluster.time.now() + std::chrono::minutes(5),
                          [&] { return readers.AllAreFollowed(); }))
      cluster.rules.audit.breach("a follower does not see the end of a job");
  }
  cluster.CheckResults();

  ScheduleReport report = std::move(cluster.report);
  report.jobs = static_cast<int64_t>(cluster.jobs.ids().size());
  for (const std::string& id : cluster.jobs.ids())
    report.rounds += cluster.rules.ledger.job(id).committed;
  report.virtual_seconds = Seconds(cluster.time.now() - Instant{});
  return report;
}

}  // namespace dl::sim
