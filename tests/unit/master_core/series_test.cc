// The core records the figures of each round and evaluation.
#include "base/checksum.h"
#include "base/value_histogram.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "master/core/job/class_series.h"
#include "storage/series/histogram_records.h"
#include "storage/series/series_reader.h"
#include "storage/series/series_records.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/master_core/rounds_of_one.h"

namespace dl::master {
namespace {

using storage::SeriesReader;
using testing::ElementsAre;

class RecordedSeries : public RoundsOfOne {
 protected:
  SeriesReader Reader() {
    auto reader = SeriesReader::Open(core_.store, id_);
    DL_CHECK(reader.ok());
    return *std::move(reader);
  }
  // Returns the values of a series in all rounds that count.
  std::vector<float> Values(std::string_view name) {
    const SeriesReader reader = Reader();
    const auto series = reader.columns().Find(name);
    if (!series) return {};
    const auto curve = reader.Read(*series, 1, INT64_MAX, 1 << 20);
    DL_CHECK(curve.ok());
    std::vector<float> values;
    for (const storage::ValueSummary& entry : curve->entries) values.push_back(entry.mean);
    return values;
  }
  // Computes a round whose unit is announced 2 s after its lease, and delivered 0.75 s later.
  void RoundWithTimes(const rpc::AnnounceRequest& times) {
    const rpc::Lease lease = LeaseTo(1);
    core_.Wait(std::chrono::seconds(2));
    rpc::AnnounceRequest said = core_.Announcement(e_[0], lease, 5);
    said.unit_us = times.unit_us;
    said.computing_us = times.computing_us;
    said.data_wait_us = times.data_wait_us;
    said.state_wait_us = times.state_wait_us;
    ASSERT_TRUE(core_.Ask<rpc::AnnounceReply>(ParseAnnouncement(said)).ok());
    core_.Wait(std::chrono::milliseconds(750));
    core_.Stage(lease, 5, e_[0]);
    core_.RoundIsMerged(id_, 1, State(1, 5));
  }
};

TEST_F(RecordedSeries, HaveAValueForEachRound) {
  Begin(1, Long());
  core_.CheckpointIsWritten(id_, 0);
  for (uint64_t round = 1; round <= 3; ++round) {
    core_.Wait(std::chrono::seconds(2));
    Round(1, round);
  }
  EXPECT_EQ(Reader().rounds(), 3);
  EXPECT_EQ(Values("train/loss").size(), 3);
  EXPECT_THAT(Values("round_seconds"), ElementsAre(2, 2, 2));
  EXPECT_THAT(Values("examples_per_second"), ElementsAre(2, 2, 2));
}

// Only a benchmark switches the history off.
TEST_F(RecordedSeries, AreAbsentWithoutHistory) {
  core_.options().records_history = false;
  core_.Restart();
  Begin(1, Long());
  core_.CheckpointIsWritten(id_, 0);
  Round(1, 1);
  EXPECT_EQ(job().log.committed, 1);
  EXPECT_TRUE(Reader().columns().columns.empty());
  EXPECT_EQ(Reader().rounds(), 0);
}

TEST_F(RecordedSeries, HaveTheFiguresOfLayersThatWereMeasured) {
  Begin(1, Long());
  core_.CheckpointIsWritten(id_, 0);
  const rpc::Lease lease = LeaseTo(1);
  Announce(1, lease, 5);
  core_.Stage(lease, 5, e_[0]);
  const auto layers = averaging::LayersOf(job().definition.strategy->layout().model().table);
  ASSERT_FALSE(layers.empty());
  RoundMerged merged{.job = id_, .round = 1, .merge = job().merge};
  merged.names.state_sha256 = State(1, 5);
  merged.names.parts = job().names.parts;
  for (size_t i = 0; i < layers.size(); ++i)
    merged.layers.push_back({.size = 0.5, .change = 0.25, .change_norm = 2});
  core_.Do(merged);
  ASSERT_EQ(job().log.committed, 1);
  const std::string layer = "layer/" + layers[0].name;
  EXPECT_THAT(Values(layer + "/size"), ElementsAre(0.5F));
  EXPECT_THAT(Values(layer + "/change"), ElementsAre(0.25F));
  EXPECT_THAT(Values(layer + "/change_norm"), ElementsAre(2));
  ASSERT_EQ(Values(layer + "/drift").size(), 1);
  EXPECT_FALSE(storage::HasValue(Values(layer + "/drift")[0]));  // not measured
}

// Histograms of the given layer with one bucket.
std::string HistogramsOf(const std::string& layer, int64_t count) {
  const std::vector<LayerHistogram> histograms = {
      {.layer = layer, .values = {.buckets = {{.index = 1, .count = count}}}}};
  return EncodeHistograms(histograms);
}

class RecordedHistograms : public RecordedSeries {
 protected:
  static JobDefinition WithHistograms(int64_t every) {
    JobDefinition definition = Long();
    definition.histograms_every = every;
    definition.layer_outputs = {{"a", 10}, {"b", 5}};
    return definition;
  }
  // Computes a round whose announcement has these activations.
  void RoundWith(const std::string& activations) {
    const rpc::Lease lease = LeaseTo(1);
    rpc::AnnounceRequest said = core_.Announcement(e_[0], lease, 5);
    said.activations = activations;
    const auto reply = core_.Ask<rpc::AnnounceReply>(ParseAnnouncement(said));
    ASSERT_TRUE(reply.ok()) << reply.status();
    EXPECT_EQ(reply->verdict, rpc::Verdict::kSend) << "the result counts, whatever comes with it";
    logged_ = core_.EffectsOf<Log>().size();
    core_.Stage(lease, 5, e_[0]);
    const int64_t round = job().at + 1;
    RoundMerged merged{.job = id_, .round = round, .merge = job().merge};
    merged.names.state_sha256 = State(round, 5);
    merged.names.parts = job().names.parts;
    merged.parameter_histograms = HistogramsOf("a", 100 + round);
    merged.change_histograms = HistogramsOf("a", 200 + round);
    core_.Do(merged);
    ASSERT_EQ(job().log.committed, round);
  }
  std::vector<LayerHistogram> Stored(int64_t round, std::string_view kind) {
    const auto layers = storage::StoredHistograms(core_.store, id_).Read(round, kind);
    EXPECT_TRUE(layers.ok()) << layers.status();
    return layers.value_or(std::vector<LayerHistogram>());
  }

  size_t logged_ = 0;
};

TEST_F(RecordedHistograms, AreStoredWithEachRoundThatIsDue) {
  Begin(1, WithHistograms(2));
  core_.CheckpointIsWritten(id_, 0);
  for (int64_t round = 1; round <= 4; ++round)
    RoundWith(round % 2 == 1 ? HistogramsOf("b", round) : "");
  EXPECT_EQ(storage::StoredHistograms(core_.store, id_).Rounds()->last, 3);
  for (const int64_t round : {1, 3}) {
    ASSERT_EQ(Stored(round, "parameters").size(), 1);
    EXPECT_EQ(ValuesOf(Stored(round, "parameters")[0].values), 100 + round);
    EXPECT_EQ(ValuesOf(Stored(round, "changes")[0].values), 200 + round);
    ASSERT_EQ(Stored(round, "activations").size(), 1);
    EXPECT_EQ(ValuesOf(Stored(round, "activations")[0].values), round);
    EXPECT_TRUE(Stored(round + 1, "parameters").empty());
  }
}

TEST_F(RecordedHistograms, AreAbsentUnlessTheJobAsksForThem) {
  Begin(1, Long());
  core_.CheckpointIsWritten(id_, 0);
  RoundWith(HistogramsOf("b", 1));
  EXPECT_EQ(storage::StoredHistograms(core_.store, id_).Rounds()->every, 0);
  EXPECT_TRUE(Stored(1, "parameters").empty());
  EXPECT_TRUE(Stored(1, "activations").empty());
}

// A minibatch has 4 examples.
TEST_F(RecordedHistograms, ImpossibleActivationsAreDropped) {
  const std::string both = HistogramsOf("b", 1) + HistogramsOf("a", 1).substr(1);
  const std::string twice = HistogramsOf("b", 1) + HistogramsOf("b", 1).substr(1);
  Begin(1, WithHistograms(1));
  core_.CheckpointIsWritten(id_, 0);
  for (const std::string& lie : {HistogramsOf("b", 4 * 5 + 1), HistogramsOf("c", 1), both, twice,
                                 std::string("\x01\x01"), std::string("x")}) {
    RoundWith(lie);
    EXPECT_EQ(logged_, 1) << "the reason is logged";
    EXPECT_TRUE(Stored(job().at, "activations").empty());
    EXPECT_FALSE(Stored(job().at, "parameters").empty());
  }
  RoundWith(HistogramsOf("b", 2 * 5));
  EXPECT_EQ(logged_, 0);
  EXPECT_FALSE(Stored(job().at, "activations").empty());
}

TEST_F(RecordedSeries, HaveTheFiguresOfClasses) {
  JobDefinition definition = OneWorker();
  definition.evaluated_classes = 3;
  definition.class_series = ClassSeriesNames({"cat", "a,b", "fox"}, 3);
  definition.test_examples = definition.examples_per_evaluation_unit = 4;
  Begin(1, definition);
  core_.CompleteRound(id_, e_[0]);
  const rpc::Lease lease = LeaseTo(1);
  ASSERT_EQ(lease.unit.kind, UnitKind::kEvaluate);
  rpc::AnnounceRequest request = core_.Announcement(e_[0], lease, 4);
  nn::MetricSums sums(3);
  for (const auto& [label, predicted] : {std::pair(0, 0), {0, 0}, {0, 1}, {1, 1}}) {
    sums.AddLoss(1);
    sums.AddPrediction(label, predicted);
  }
  request.metrics = sums.ToJson().dump();
  request.hash = Xxh3(request.metrics);
  core_.Do(Asked<Announcement>{999, ParseAnnouncement(request)});
  EXPECT_THAT(Values("class/cat/recall"), ElementsAre(2.0F / 3));
  EXPECT_THAT(Values("class/cat/precision"), ElementsAre(1));
  EXPECT_THAT(Values("class/a_b/precision"), ElementsAre(0.5F));
  EXPECT_THAT(Values("class/a_b/f1"), ElementsAre(2.0F / 3));
  for (const float value : Values("class/fox/recall")) EXPECT_FALSE(storage::HasValue(value));
}

TEST(ClassSeriesNames, AreDifferentAndSelectable) {
  EXPECT_THAT(ClassSeriesNames({"a/b", "a*b", "", "x\ny", "a_b"}, 5),
              ElementsAre("a_b", "a_b#1", "2", "x_y", "a_b#4"));
  EXPECT_THAT(ClassSeriesNames({"1", "", "1#1"}, 3), ElementsAre("1", "1#1", "1#1#2"));
  EXPECT_THAT(ClassSeriesNames({}, 2), ElementsAre("0", "1"));
  EXPECT_EQ(ClassSeriesNames({std::string(59, 'x') + "\xC3\xA4"}, 1)[0], std::string(59, 'x'));
  EXPECT_EQ(ClassSeriesNames({}, kMostClassesInSeries).size(), kMostClassesInSeries);
  EXPECT_TRUE(ClassSeriesNames({}, kMostClassesInSeries + 1).empty());
}

TEST_F(RecordedSeries, HaveTheTimesOfUnits) {
  Begin(1, Long());
  core_.CheckpointIsWritten(id_, 0);
  RoundWithTimes({.unit_us = 1'875'000,
                  .computing_us = 1'000'000,
                  .data_wait_us = 500'000,
                  .state_wait_us = 250'000});
  EXPECT_THAT(Values("unit_seconds/total"), ElementsAre(2));
  EXPECT_THAT(Values("unit_seconds/computing"), ElementsAre(1));
  EXPECT_THAT(Values("unit_seconds/data_wait"), ElementsAre(0.5F));
  EXPECT_THAT(Values("unit_seconds/state_wait"), ElementsAre(0.25F));
  EXPECT_THAT(Values("unit_seconds/sending"), ElementsAre(0.75F));
}

TEST_F(RecordedSeries, LiesAboutTimesStayWithinTheLease) {
  Begin(1, Long());
  core_.CheckpointIsWritten(id_, 0);
  RoundWithTimes({.unit_us = INT64_MAX,
                  .computing_us = INT64_MAX,
                  .data_wait_us = INT64_MIN,
                  .state_wait_us = 1'500'000});
  ASSERT_EQ(job().log.committed, 1);
  EXPECT_THAT(Values("unit_seconds/total"), ElementsAre(2));
  EXPECT_THAT(Values("unit_seconds/computing"), ElementsAre(0.5F));
  EXPECT_THAT(Values("unit_seconds/data_wait"), ElementsAre(0));
  EXPECT_THAT(Values("unit_seconds/state_wait"), ElementsAre(1.5F));
}

TEST_F(RecordedSeries, RepeatedAnnouncementCountsOnce) {
  Begin(1, Long());
  core_.CheckpointIsWritten(id_, 0);
  const rpc::Lease lease = LeaseTo(1);
  core_.Wait(std::chrono::seconds(1));
  Announce(1, lease, 5);
  core_.Wait(std::chrono::seconds(1));
  EXPECT_EQ(Announce(1, lease, 5), rpc::Verdict::kSend);
  core_.Stage(lease, 5, e_[0]);
  core_.RoundIsMerged(id_, 1, State(1, 5));
  EXPECT_THAT(Values("unit_seconds/total"), ElementsAre(1));
  EXPECT_THAT(Values("unit_seconds/sending"), ElementsAre(1));
}

// The lease belongs to the process of the master before.
TEST_F(RecordedSeries, ResultFromBeforeARestartHasNoTimeBeforeIt) {
  Begin(1, Long());
  core_.CheckpointIsWritten(id_, 0);
  const rpc::Lease lease = LeaseTo(1);
  core_.Wait(std::chrono::seconds(2));
  core_.Restart();
  e_ = {core_.Register("e1", {.incarnation = 2})};
  core_.StateIsPrepared(id_, 0);
  core_.Wait(std::chrono::seconds(1));
  rpc::AnnounceRequest said = core_.Announcement(e_[0], lease, 5);
  said.unit_us = said.computing_us = 9'000'000;
  ASSERT_TRUE(core_.Ask<rpc::AnnounceReply>(ParseAnnouncement(said)).ok());
  core_.Stage(lease, 5, e_[0]);
  core_.RoundIsMerged(id_, 1, State(1, 5));
  EXPECT_THAT(Values("unit_seconds/total"), ElementsAre(1));
  EXPECT_THAT(Values("unit_seconds/computing"), ElementsAre(1));
}

TEST_F(RecordedSeries, RollbackRemovesRoundsAndKeepsThemAsABranch) {
  Begin(3, Long());
  core_.CheckpointIsWritten(id_, 0);
  Round(2, 1);
  Round(1, 66);
  Round(2, 3);
  Catch(1, 2, 3);  // the job returns to round 1
  core_.StateIsPrepared(id_, 0);
  core_.Wait(std::chrono::seconds(1));
  for (const uint64_t session : e_) core_.Heartbeat(session);
  Round(2, 1);
  Round(2, 4);
  ASSERT_EQ(job().log.committed, 2);
  const SeriesReader reader = Reader();
  EXPECT_EQ(reader.rounds(), 2);
  ASSERT_EQ(reader.branches().size(), 1);
  EXPECT_EQ(reader.branches()[0].first, 2);
  EXPECT_EQ(reader.branches()[0].last, 3);
}

TEST_F(RecordedSeries, AreContinuedAfterARestartOfTheMaster) {
  Begin(1, Long());
  core_.CheckpointIsWritten(id_, 0);
  Round(1, 1);
  const auto columns = Reader().columns().columns;
  core_.Restart();
  e_ = {core_.Register("e1", {.incarnation = 2})};
  core_.StateIsPrepared(id_, 0);
  core_.Wait(std::chrono::seconds(1));
  Round(1, 1);  // computed again
  Round(1, 2);
  EXPECT_EQ(Reader().columns().columns, columns);
  EXPECT_EQ(Reader().rounds(), 2);
  EXPECT_TRUE(Reader().branches().empty());
}

TEST_F(RecordedSeries, DamageEndsTheRecordingAndNotTheJob) {
  Begin(1, Long());
  core_.CheckpointIsWritten(id_, 0);
  Round(1, 1);
  storage::MetaBatch damage;
  damage.Put(storage::series_keys::Folded(id_), "{");
  DL_ASSERT_OK(core_.store.Write(damage));
  core_.Restart();
  e_ = {core_.Register("e1", {.incarnation = 2})};
  core_.StateIsPrepared(id_, 0);
  core_.Wait(std::chrono::seconds(1));
  Round(1, 1);
  Round(1, 2);
  Round(1, 3);
  EXPECT_EQ(job().log.committed, 3);
  EXPECT_TRUE(job().series.failed);
  EXPECT_TRUE(absl::IsDataLoss(SeriesReader::Open(core_.store, id_).status()));
}

}  // namespace
}  // namespace dl::master
