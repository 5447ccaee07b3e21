// The cost for the core of the event that ends the largest round or evaluation. All requests wait
// for it.
#include <algorithm>
#include <iostream>
#include <iterator>

#include "base/checksum.h"
#include "base/json.h"
#include "base/limits.h"
#include "bench/core_limits/long_step.h"
#include "gtest/gtest.h"
#include "tests/support/plain_strategy.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/master_core/core_harness.h"

namespace dl::master {
namespace {

constexpr int64_t kWorkers = limits::kMaxWorkers;
constexpr int64_t kSegments = 2048;
constexpr int64_t kRounds = 12;

void ExpectCheap(const char* what, Duration least) {
  std::cout << what << ": " << 1e3 * Seconds(least) << " ms\n";
  EXPECT_LE(least, LongStepHere()) << what;
}

// Leases all units, in as many answers as needed. `least` becomes the time of the cheapest answer.
std::vector<rpc::Lease> LeaseAll(CoreHarness& core, uint64_t session, Duration& least) {
  std::vector<rpc::Lease> leases;
  for (size_t before = 1; leases.size() != before;) {
    before = leases.size();
    std::ranges::move(core.LeaseUnits(session, limits::kMaxSlots), std::back_inserter(leases));
    if (leases.size() > before) least = std::min(least, core.spent);
  }
  return leases;
}

// A job with as many workers, and segments of results, as a job may have.
JobDefinition LargestRounds() {
  JobDefinition definition = CoreHarness::Definition();
  definition.plan = {
      .examples = kWorkers, .workers = kWorkers, .batch_size = 1, .averaging_frequency = 1};
  definition.example_hash_sum = kWorkers;
  definition.strategy = test::PlainStrategy(kSegments);
  return definition;
}

TEST(RoundCost, MaximumNumberOfWorkers) {
  CoreHarness core;
  core.checks_invariants = false;
  JobDefinition definition = LargestRounds();
  definition.epochs = kRounds + 1;
  const uint64_t session = core.Register("e1", {.slots = limits::kMaxSlots});
  const std::string id = core.RunningJob(definition);
  Duration leased = Duration::max(), announced = Duration::max(), staged = Duration::max(),
           merged = Duration::max();
  // The minimum of a few rounds, because other load of the machine is not counted.
  for (int64_t round = 1; round <= kRounds; ++round) {
    const std::vector<rpc::Lease> leases = LeaseAll(core, session, leased);
    ASSERT_EQ(static_cast<int64_t>(leases.size()), kWorkers);
    for (const rpc::Lease& lease : leases) {
      rpc::AnnounceRequest said = core.Announcement(session, lease, 1);
      said.magnitudes.assign(kSegments, 1.0);
      core.Do(Asked<Announcement>{1, ParseAnnouncement(std::move(said))});
    }
    announced = std::min(announced, core.spent);
    for (const rpc::Lease& lease : leases) core.Stage(lease, 1, session);
    ASSERT_EQ(core.job(id).phase, Phase::kMerging);
    staged = std::min(staged, core.spent);
    core.RoundIsMerged(id, round);
    merged = std::min(merged, core.spent);
  }
  ExpectCheap("leases for an executor of 1,024 slots", leased);
  ExpectCheap("the last announcement of a round of 4,096 units", announced);
  ExpectCheap("its last contribution, with 2,048 segments each", staged);
  ExpectCheap("its commit, and the next round's opening", merged);
}

// An executor loses a dispute, so that the results of the round are added again, in several steps.
TEST(RoundCost, ReplacedResultOfLargestRound) {
  CoreHarness core;
  core.checks_invariants = false;
  JobDefinition definition = LargestRounds();
  definition.verify_fraction = 1;
  core.Wait(core.options().return_grace);
  std::vector<uint64_t> sessions;
  for (const char* name : {"e1", "e2", "e3"})
    sessions.push_back(core.Register(name, {.slots = limits::kMaxSlots}));
  const std::string id = core.RunningJob(definition);
  Duration leased = Duration::max();
  const auto announce = [&](uint64_t session, const rpc::Lease& lease, uint64_t bits) {
    rpc::AnnounceRequest said = core.Announcement(session, lease, bits);
    said.magnitudes.assign(kSegments, 1.0);
    core.Do(Asked<Announcement>{1, ParseAnnouncement(std::move(said))});
  };
  announce(sessions[0], core.LeaseUnits(sessions[0]).at(0), 7);
  for (const uint64_t session : {sessions[1], sessions[2]}) {
    for (const rpc::Lease& lease : LeaseAll(core, session, leased)) announce(session, lease, 8);
  }
  ASSERT_TRUE(core.core().quarantined().contains("e1"));
  Duration longest{};
  for (const auto& [worker, unit] : core.job(id).units) {
    core.Stage({.unit = unit.id}, 8, unit.result.holder);
    longest = std::max(longest, core.spent);
  }
  int64_t ticks = 0;
  for (; core.core().NextDeadline() <= core.now; ++ticks) {
    core.Do(Tick{});
    longest = std::max(longest, core.spent);
  }
  ASSERT_EQ(core.job(id).phase, Phase::kMerging);
  EXPECT_GT(ticks, 10);
  ExpectCheap("a replaced result: the longest step that adds 4,096 results again", longest);
}

// `sums` are the result of each of 256 evaluation units.
void ExpectCheapEvaluation(const std::string& what, JobDefinition definition,
                           const nn::MetricSums& sums) {
  constexpr int64_t kUnits = 256, kEpochs = 2;
  const std::string text = JsonText(sums.ToJson());
  CoreHarness core;
  core.checks_invariants = false;
  definition.epochs = kEpochs;
  definition.examples_per_evaluation_unit = sums.examples();
  definition.test_examples = kUnits * sums.examples();
  const uint64_t session = core.Register("e1", {.slots = limits::kMaxSlots});
  const std::string id = core.RunningJob(definition);
  Duration leased = Duration::max(), ended = Duration::max();
  for (int64_t epoch = 1; epoch <= kEpochs; ++epoch) {
    core.CompleteRound(id, session);
    const std::vector<rpc::Lease> leases = LeaseAll(core, session, leased);
    ASSERT_EQ(static_cast<int64_t>(leases.size()), kUnits);
    for (const rpc::Lease& lease : leases) {
      ASSERT_EQ(lease.unit.kind, UnitKind::kEvaluate);
      rpc::AnnounceRequest said = core.Announcement(session, lease, 1);
      said.metrics = text;
      said.hash = Xxh3(text);
      core.Do(Asked<Announcement>{1, ParseAnnouncement(std::move(said))});
    }
    ASSERT_NE(core.job(id).phase, Phase::kEvaluating);
    ended = std::min(ended, core.spent);
  }
  ExpectCheap(what.c_str(), ended);
}

TEST(RoundCost, FullConfusionMatrices) {
  constexpr int64_t kClasses = limits::kMaxAnnouncedClasses;
  nn::MetricSums sums(kClasses);
  sums.EnableWeights();
  for (int64_t cell = 0; cell < kClasses * kClasses; ++cell) {
    sums.AddLoss(1);
    sums.AddPrediction(cell / kClasses, cell % kClasses, 0x1.fffffep-40);
  }
  JobDefinition definition = CoreHarness::Definition();
  definition.evaluated_classes = kClasses;
  ExpectCheapEvaluation(
      "the last announcement of an evaluation of 256 units with 16,384 weighted cells each",
      definition, sums);
}

TEST(RoundCost, MaximumScoresAndNumbers) {
  constexpr int64_t kNumbers = limits::kMaxAnnouncedNumbers;
  for (const int64_t outputs : {int64_t{1}, int64_t{2}, limits::kMaxAnnouncedScoreOutputs}) {
    const int64_t kScores = nn::ScoreCounts::ScoresOf(outputs);
    std::vector<int64_t> scores;
    nn::MetricSums sums;
    sums.EnableNumbers(kNumbers);
    for (int64_t cell = 0; cell < outputs * kScores; ++cell)
      scores.insert(scores.end(), {cell, 1, 1});
    for (int64_t score = 0; score < kScores; ++score) {
      for (int i = 0; i < 2; ++i) sums.AddLoss(1);
      sums.AddNumbers(std::vector<float>(kNumbers, 0x1.fffffep-40f * static_cast<float>(score)),
                      std::vector<float>(kNumbers, 0x1.fffffep30f));
    }
    Json json = sums.ToJson();
    json["scores"] = scores;
    json["score_outputs"] = outputs;
    const auto all = nn::MetricSums::FromJson(json, "metrics");
    DL_ASSERT_OK(all);
    JobDefinition definition = CoreHarness::Definition();
    definition.evaluated_numbers = kNumbers;
    definition.evaluated_scores = outputs;
    definition.early_stopping = {.enabled = true, .metric = "roc_auc", .patience = 9};
    ExpectCheapEvaluation(absl::StrCat("the last announcement of 256 units with ",
                                       scores.size() / 3, " scores and 64 numbers each"),
                          definition, *all);
  }
}

}  // namespace
}  // namespace dl::master
