// The engine accepts exactly the announced bytes from executors, and accepts them once.
#include "master/merge/merge_engine.h"

#include <gtest/gtest.h>

#include "averaging/average.h"
#include "base/checksum.h"
#include "base/part_name.h"
#include "base/value_histogram.h"
#include "storage/bulk_database.h"
#include "tests/support/merge_contributions.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/master/event_inbox.h"

namespace dl::master {
namespace {

constexpr int64_t kFloats = 12;
constexpr uint64_t kSender = 7;  // the session that announces and sends

class MergeEngineTest : public testing::Test {
 protected:
  MergeEngineTest() {
    SegmentTable table;
    table.Add("w", SegmentKind::kParameter, {kFloats});
    strategy_ = std::make_shared<averaging::Average>(
        *averaging::StateLayout::Create(table, averaging::UpdaterStatePolicy::kAverage));
    engine_ = std::make_unique<MergeEngine>(MergeEngine::Options{
        .checkpoints = &checkpoints_,
        .term = 1,
        .material = [this](const std::string&) -> StatusOr<JobMaterial> {
          return JobMaterial{
              .strategy = strategy_, .workers = 2, .histograms_every = 1, .initial_state = [] {
                return std::vector<float>(kFloats, 0.5f);
              }};
        },
        .post = [this](Event event) { events_.Post(std::move(event)); }});
    engine_->Do(PrepareState{.job = "j", .round = 0});
    events_.WaitFor<StatePrepared>();
    engine_->Do(OpenRound{.job = "j", .round = 1, .weights = {3, 1}});
  }

  static UnitId UnitOf(int32_t worker) { return {"j", UnitKind::kTrain, 1, worker}; }
  static std::vector<float> VectorOf(int32_t worker) {
    std::vector<float> vector(kFloats);
    for (int64_t i = 0; i < kFloats; ++i)
      vector[static_cast<size_t>(i)] = 0.25f * static_cast<float>(i + 1 + worker);
    return vector;
  }
  static uint64_t HashOf(std::span<const float> vector) { return Xxh3(std::as_bytes(vector)); }
  averaging::Magnitudes MagnitudesOf(std::span<const float> vector) const {
    return *strategy_->Measure(vector);
  }
  // The contribution was accepted. `number` identifies the acceptance.
  void Expect(int32_t worker, uint64_t number, const averaging::Magnitudes& magnitudes) {
    const std::vector<float> vector = VectorOf(worker);
    engine_->Do(ExpectContribution{.unit = UnitOf(worker),
                                   .number = number,
                                   .session = kSender,
                                   .hash = HashOf(vector),
                                   .bytes = kFloats * 4,
                                   .magnitudes = magnitudes});
  }
  // Sends a range of floats of the contribution, with the announced hash.
  StatusOr<rpc::ContributionReply> Send(int32_t worker, const std::vector<float>& vector,
                                        int64_t from = 0, int64_t count = kFloats,
                                        uint64_t session = kSender) {
    const std::string bytes(reinterpret_cast<const char*>(vector.data() + from),
                            static_cast<size_t>(count) * 4);
    return engine_->Contribute({.session = session,
                                .unit = UnitOf(worker),
                                .hash = HashOf(VectorOf(worker)),
                                .total = kFloats * 4,
                                .offset = from * 4,
                                .chunk_xxh3 = Xxh3(bytes),
                                .bytes = bytes});
  }

  std::shared_ptr<const averaging::Strategy> strategy_;
  test::TempFolder folder_;
  std::unique_ptr<storage::BulkDatabase> bulk_ =
      *storage::BulkDatabase::Open(folder_.path(), "bulk", {.min_free_bytes = 0});
  storage::CheckpointStore checkpoints_{*bulk_};
  EventInbox events_;
  std::unique_ptr<MergeEngine> engine_;  // last member, so that it is destroyed first
};

TEST_F(MergeEngineTest, ContributionWithWrongHashIsRefused) {
  const std::vector<float> right = VectorOf(0);
  Expect(0, 11, MagnitudesOf(right));
  std::vector<float> wrong = right;
  wrong[3] = 0.3f;  // no magnitude changes
  ASSERT_EQ(MagnitudesOf(wrong), MagnitudesOf(right));
  ASSERT_THAT(Send(0, wrong).status(),
              test::IsError(absl::StatusCode::kDataLoss, "differs from its announcement"));
  const auto refused = events_.WaitFor<ContributionRefused>();
  EXPECT_EQ(refused.unit, UnitOf(0));
  EXPECT_EQ(refused.expected, 11u);
  EXPECT_EQ(refused.session, 7u);
  // The wrong bytes are discarded.
  const auto reply = Send(0, right);
  DL_ASSERT_OK(reply);
  EXPECT_EQ(reply->receipt, rpc::Receipt::kComplete);
  EXPECT_EQ(events_.WaitFor<ContributionStaged>().expected, 11u);
}

// The grid of a round is computed from the announced magnitudes.
TEST_F(MergeEngineTest, WrongMagnitudesAreRefused) {
  averaging::Magnitudes magnitudes = MagnitudesOf(VectorOf(0));
  magnitudes[0] *= 2;
  Expect(0, 11, magnitudes);
  ASSERT_THAT(Send(0, VectorOf(0)).status(),
              test::IsError(absl::StatusCode::kInvalidArgument,
                            "magnitudes differ from the announced magnitudes"));
  EXPECT_EQ(events_.WaitFor<ContributionRefused>().expected, 11u);
}

// Other executors know the unit and may guess the hash. Their bytes would be attributed to the
// announcing session.
TEST_F(MergeEngineTest, BytesOfOtherSessionAreUnwanted) {
  const std::vector<float> right = VectorOf(0);
  std::vector<float> wrong = right;
  wrong[3] = 0.3f;
  Expect(0, 11, MagnitudesOf(right));
  EXPECT_EQ(Send(0, right, 0, 8)->receipt, rpc::Receipt::kMore);
  for (const uint64_t other : {uint64_t{0}, kSender + 1}) {
    for (const std::vector<float>& vector : {wrong, right}) {
      const auto reply = Send(0, vector, 0, kFloats, other);
      DL_ASSERT_OK(reply);
      EXPECT_EQ(reply->receipt, rpc::Receipt::kUnwanted) << other;
    }
    const auto whole =
        engine_->Contribute(other, UnitOf(0), HashOf(right), CopyVector(right).value());
    DL_ASSERT_OK(whole);
    EXPECT_EQ(whole->receipt, rpc::Receipt::kUnwanted) << other;
  }
  EXPECT_EQ(events_.size(), 0u);
  // The delivery continues where it was.
  EXPECT_EQ(Send(0, right, 8, 4)->receipt, rpc::Receipt::kComplete);
  EXPECT_EQ(events_.WaitFor<ContributionStaged>().session, kSender);
}

TEST_F(MergeEngineTest, GatherOfOtherSessionIsUnwanted) {
  const std::vector<float> right = VectorOf(0);
  const std::vector<averaging::Magnitudes> magnitudes = {MagnitudesOf(right),
                                                         MagnitudesOf(VectorOf(1))};
  engine_->Do(OpenGather{.job = "j",
                         .round = 1,
                         .exponents = averaging::GridFor(strategy_->layout().merged, magnitudes)});
  engine_->Do(ExpectGather{
      .job = "j",
      .round = 1,
      .number = 9,
      .session = kSender,
      .inputs = {{.worker = 0, .hash = HashOf(right), .magnitudes = magnitudes.front()}}});
  const auto send = [&](uint64_t session, const std::vector<float>& vector) {
    const std::string bytes(reinterpret_cast<const char*>(vector.data()), kFloats * 4);
    return engine_->Contribute({.session = session,
                                .unit = UnitOf(0),
                                .hash = HashOf(vector),
                                .gather = 9,
                                .total = kFloats * 4,
                                .chunk_xxh3 = Xxh3(bytes),
                                .bytes = bytes});
  };
  for (const uint64_t other : {uint64_t{0}, kSender + 1}) {
    for (const std::vector<float>& vector : {VectorOf(1), right}) {
      const auto reply = send(other, vector);
      DL_ASSERT_OK(reply);
      EXPECT_EQ(reply->receipt, rpc::Receipt::kUnwanted) << other;
    }
  }
  EXPECT_EQ(events_.size(), 0u);
  EXPECT_EQ(send(kSender, right)->receipt, rpc::Receipt::kComplete);
  EXPECT_EQ(events_.WaitFor<Gathered>().session, kSender);
}

TEST_F(MergeEngineTest, GatherThatCannotStartFailsTheMerge) {
  const std::vector<float> vector = VectorOf(0);
  engine_->Do(OpenGather{.job = "j", .round = 1, .exponents = {1, 2, 3}});
  engine_->Do(ExpectGather{
      .job = "j",
      .round = 1,
      .number = 9,
      .session = kSender,
      .inputs = {{.worker = 0, .hash = HashOf(vector), .magnitudes = MagnitudesOf(vector)}}});
  const std::string bytes(reinterpret_cast<const char*>(vector.data()), kFloats * 4);
  DL_ASSERT_OK(engine_->Contribute({.session = kSender,
                                    .unit = UnitOf(0),
                                    .hash = HashOf(vector),
                                    .gather = 9,
                                    .total = kFloats * 4,
                                    .chunk_xxh3 = Xxh3(bytes),
                                    .bytes = bytes}));
  EXPECT_EQ(events_.WaitFor<Gathered>().number, 9u) << "the sender is not at fault";
  engine_->Do(Merge{.job = "j",
                    .round = 1,
                    .number = 1,
                    .inputs = {{0, HashOf(vector)}},
                    .exponents = {0},
                    .gathered = true});
  EXPECT_THAT(events_.WaitFor<RoundMerged>().status,
              test::IsError(absl::StatusCode::kInvalidArgument, "starting to gather the results"));
}

TEST_F(MergeEngineTest, RepeatedContributionIsMergedOnce) {
  for (int32_t worker = 0; worker < 2; ++worker) {
    const std::vector<float> vector = VectorOf(worker);
    Expect(worker, 20 + static_cast<uint64_t>(worker), MagnitudesOf(vector));
    EXPECT_EQ(Send(worker, vector, 0, 8)->receipt, rpc::Receipt::kMore);
    EXPECT_EQ(Send(worker, vector, 8, 4)->receipt, rpc::Receipt::kComplete);
    EXPECT_EQ(Send(worker, vector, 8, 4)->receipt, rpc::Receipt::kComplete);
    EXPECT_EQ(Send(worker, vector)->receipt, rpc::Receipt::kComplete);
  }
  EXPECT_EQ(events_.WaitFor<ContributionStaged>().unit, UnitOf(0));
  EXPECT_EQ(events_.WaitFor<ContributionStaged>().unit, UnitOf(1));
  EXPECT_EQ(events_.size(), 0u);

  const std::vector<float> a = VectorOf(0), b = VectorOf(1);
  const std::vector<averaging::Magnitudes> magnitudes = {MagnitudesOf(a), MagnitudesOf(b)};
  engine_->Do(Merge{.job = "j",
                    .round = 1,
                    .number = 1,
                    .inputs = {{0, HashOf(a)}, {1, HashOf(b)}},
                    .exponents = averaging::GridFor(strategy_->layout().merged, magnitudes)});
  const auto merged = events_.WaitFor<RoundMerged>();
  DL_ASSERT_OK(merged.status);
  // Bytes of failed deliveries also count as traffic.
  EXPECT_EQ(merged.traffic.contributed, 2 * (8 + 4 + 4 + 12) * int64_t{sizeof(float)});
  EXPECT_EQ(merged.traffic.fetched, 0);
  std::vector<float> expected(kFloats);
  const std::vector<test::WeightedVector> weighted = {{a, 3}, {b, 1}};
  DL_ASSERT_OK(test::MergeContributions(strategy_->layout().merged, weighted, expected));
  HistogramCounter counter;
  counter.Add(expected);
  EXPECT_EQ(*DecodeHistograms(merged.parameter_histograms),
            (std::vector<LayerHistogram>{{.layer = "w", .values = counter.Take()}}));
  counter.AddDifferences(std::vector<float>(kFloats, 0.5f), expected);
  EXPECT_EQ(*DecodeHistograms(merged.change_histograms),
            (std::vector<LayerHistogram>{{.layer = "w", .values = counter.Take()}}));
  engine_->Do(Publish{"j", 1});
  const SharedVector state = engine_->FindPart("j", merged.names.parts.at("model"));
  ASSERT_NE(state, nullptr);
  EXPECT_TRUE(std::ranges::equal(state->span(), expected));
  // The part is served with the piece hashes from which its name was computed.
  const auto chunk =
      engine_->FetchPart({.job = "j", .sha256 = merged.names.parts.at("model"), .length = 4});
  DL_ASSERT_OK(chunk);
  EXPECT_EQ(chunk->piece_hashes, HashPieces(std::as_bytes(std::span(expected))));
}

TEST_F(MergeEngineTest, ContributionNoLongerExpectedIsUnwanted) {
  const std::vector<float> vector = VectorOf(0);
  EXPECT_EQ(Send(0, vector)->receipt, rpc::Receipt::kUnwanted);
  Expect(0, 11, MagnitudesOf(vector));
  engine_->Do(DropContribution{UnitOf(0), 10});  // the number of an older acceptance
  EXPECT_EQ(Send(0, vector, 0, 4)->receipt, rpc::Receipt::kMore);
  engine_->Do(DropContribution{UnitOf(0), 11});
  EXPECT_EQ(Send(0, vector, 4, 8)->receipt, rpc::Receipt::kUnwanted);
  EXPECT_EQ(events_.size(), 0u);
}

}  // namespace
}  // namespace dl::master
