// Answers to queries about series.
#include "master/gateway/series_answer.h"

#include "base/json.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "master/core/record_keys.h"
#include "storage/memory_meta_store.h"
#include "storage/series/round_row.h"
#include "storage/series/row_folding.h"
#include "storage/series/series_records.h"
#include "tests/support/status_matchers.h"

namespace dl::master {
namespace {

namespace series_keys = storage::series_keys;
using rpc::QueryKind;
using testing::HasSubstr;

// Folds the rows of the job before the first scan of them.
class FoldedMeanwhile final : public storage::MetaStore {
 public:
  explicit FoldedMeanwhile(storage::MemoryMetaStore& store) : store_(store) {}
  Status Scan(std::string_view prefix, const Visitor& visit) override {
    if (!std::exchange(folded_, true)) {
      DL_ASSIGN_OR_RETURN(const storage::MetaBatch batch, storage::FoldRows(store_, "j"));
      DL_RETURN_IF_ERROR(store_.Write(batch));
    }
    return store_.Scan(prefix, visit);
  }
  StatusOr<std::optional<std::string>> Get(std::string_view key) override {
    return store_.Get(key);
  }
  Status Write(const storage::MetaBatch& batch) override { return store_.Write(batch); }
  Status Reclaim(std::string_view prefix) override { return store_.Reclaim(prefix); }
  uint64_t index() const override { return store_.index(); }

 private:
  storage::MemoryMetaStore& store_;
  bool folded_ = false;
};

class SeriesAnswers : public testing::Test {
 protected:
  void SetUp() override {
    storage::MetaBatch batch;
    batch.Put(keys::Job("j"), "{}");
    const storage::SeriesColumns columns{
        {{"train/loss"}, {"layer/a/size"}, {"layer/b/size"}, {"layer/a/drift"}}};
    batch.Put(series_keys::Columns("j"), RecordText(columns));
    for (int64_t round = 1; round <= 3000; ++round) Commit(batch, round);
    Write(batch);
    Fold();
    storage::MetaBatch later;
    Commit(later, 2001);  // after a rollback
    Write(later);
  }
  void Commit(storage::MetaBatch& batch, int64_t round) {
    const float value = 0.1F * static_cast<float>(round);
    batch.Put(series_keys::Row("j", place_++),
              storage::EncodeRow({.round = round, .values = {{0, value}, {1, 1}, {2, 2}}}));
  }
  void Write(const storage::MetaBatch& batch) { DL_ASSERT_OK(meta_.Write(batch)); }
  void Fold() {
    const auto folded = storage::FoldRows(meta_, "j");
    DL_ASSERT_OK(folded);
    Write(*folded);
  }
  Json Answer(rpc::QueryRequest request) {
    request.what = QueryKind::kSeries;
    request.job = "j";
    const auto text = SeriesAnswer(meta_, request);
    EXPECT_TRUE(text.ok()) << text.status();
    return text.ok() ? Json::parse(*text) : Json();
  }
  Status ErrorOf(rpc::QueryRequest request) {
    request.what = QueryKind::kSeries;
    if (request.job.empty()) request.job = "j";
    return SeriesAnswer(meta_, request).status();
  }

  storage::MemoryMetaStore meta_;
  int64_t place_ = 1;
};

TEST_F(SeriesAnswers, WithoutNamesHaveAllNamesAndNoCurve) {
  const Json answer = Answer({});
  EXPECT_EQ(answer["rounds"], 2001);
  EXPECT_EQ(answer["series"].size(), 4);
  EXPECT_TRUE(answer["curves"].empty());
  EXPECT_EQ(answer["rolled_back"], Json::parse(R"([{"number":1,"first":2001,"last":3000}])"));
}

TEST_F(SeriesAnswers, PatternsSelectSeries) {
  const Json answer = Answer({.first = 7, .series = "layer/*/size,train/loss,none", .last = 8});
  ASSERT_EQ(answer["curves"].size(), 3);
  EXPECT_EQ(answer["curves"][0],
            Json::parse(R"({"name":"train/loss","first":7,"step":1,"mean":[0.7,0.8]})"));
  EXPECT_EQ(answer["curves"][2]["name"], "layer/b/size");
  EXPECT_EQ(Answer({.series = "layer/a*"})["curves"].size(), 2);
  EXPECT_EQ(Answer({.series = "*"})["curves"].size(), 4);
  EXPECT_EQ(Answer({.series = "*a*i*"})["curves"].size(), 4);
}

TEST_F(SeriesAnswers, MissingValuesAreNull) {
  const Json answer = Answer({.first = 2, .series = "layer/a/drift", .last = 2});
  EXPECT_EQ(answer["curves"][0]["mean"], Json::parse("[null]"));
}

TEST_F(SeriesAnswers, FewEntriesHaveBoundsOfTheirRounds) {
  const Json answer = Answer({.series = "train/loss", .max_entries = 40});
  const Json& curve = answer["curves"][0];
  EXPECT_EQ(curve["step"], 64);
  EXPECT_EQ(curve["mean"].size(), 32);
  EXPECT_EQ(curve["min"][0], 0.1);
  EXPECT_EQ(curve["max"][0], 6.4);
}

TEST_F(SeriesAnswers, FoldDuringTheReadLosesNoValue) {
  Fold();
  storage::MetaBatch more;
  for (int64_t round = 2002; round <= 2100; ++round) Commit(more, round);
  Write(more);
  FoldedMeanwhile store(meta_);
  const auto text = SeriesAnswer(
      store, {.what = QueryKind::kSeries, .job = "j", .first = 1990, .series = "train/loss"});
  DL_ASSERT_OK(text);
  const Json mean = Json::parse(*text)["curves"][0]["mean"];
  EXPECT_EQ(mean.size(), 111);
  for (const Json& value : mean) EXPECT_TRUE(value.is_number());
}

TEST_F(SeriesAnswers, BranchHasTheRoundsOfARollback) {
  const Json answer = Answer({.series = "train/loss", .max_entries = 2000, .branch = 1});
  EXPECT_EQ(answer["curves"][0]["first"], 2001);
  EXPECT_EQ(answer["curves"][0]["mean"].size(), 1000);
  EXPECT_TRUE(absl::IsNotFound(ErrorOf({.series = "train/loss", .branch = 2})));
}

TEST_F(SeriesAnswers, PatternWithManyStarsTakesLittleTime) {
  std::string stars;
  for (int i = 0; i < 1000; ++i) stars += "*a";
  EXPECT_TRUE(Answer({.series = stars + "*x"})["curves"].empty());
  EXPECT_EQ(Answer({.series = "**la**size**"})["curves"].size(), 2);
}

TEST_F(SeriesAnswers, WrongRequestsAreErrors) {
  EXPECT_TRUE(absl::IsNotFound(ErrorOf({.job = "other"})));
  EXPECT_TRUE(absl::IsInvalidArgument(ErrorOf({.first = -1})));
  EXPECT_TRUE(absl::IsInvalidArgument(ErrorOf({.last = -1})));
  EXPECT_TRUE(absl::IsInvalidArgument(ErrorOf({.max_entries = 1})));
  EXPECT_TRUE(absl::IsInvalidArgument(ErrorOf({.branch = -1})));
  std::string names;
  for (int i = 0; i < 65; ++i) names += "a,";
  EXPECT_TRUE(absl::IsInvalidArgument(ErrorOf({.series = names})));
  const Status too_many = ErrorOf({.series = "*", .max_entries = 20'000});
  EXPECT_TRUE(too_many.ok()) << too_many;  // there are 2,001 rounds
  const Status far = ErrorOf({.first = INT64_MAX, .series = "*", .last = 1});
  EXPECT_TRUE(far.ok()) << far;
}

}  // namespace
}  // namespace dl::master
