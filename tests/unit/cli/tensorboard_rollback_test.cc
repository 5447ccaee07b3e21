// The event file of a job that is rolled back while a command follows it.
#include "base/files.h"
#include "cli/tensorboard/job_export.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/cli/tensorboard_events.h"
#include "tests/unit/web/scripted_clients.h"

namespace dl::cli {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// A master with the job a-1, whose figure of round R is 10 R + `version`.
class TensorBoardRollback : public testing::Test {
 protected:
  void SetCurve(int64_t rounds, int version, const Json& rolled_back) {
    Json mean = Json::array(), seconds = Json::array();
    for (int64_t round = 1; round <= rounds; ++round) {
      mean.push_back(10 * round + version);
      seconds.push_back(1);
    }
    const Json answer = {
        {"job", "a-1"},
        {"rounds", rounds},
        {"series", {"x", "round_seconds"}},
        {"curves",
         {{{"name", "x"}, {"first", 1}, {"step", 1}, {"mean", mean}},
          {{"name", "round_seconds"}, {"first", 1}, {"step", 1}, {"mean", seconds}}}},
        {"rolled_back", rolled_back}};
    master_.Set(rpc::QueryKind::kSeries, answer.dump());
    const Json none = {{"rounds", rounds},
                       {"every_rounds", 0},
                       {"shares", Json::array()},
                       {"histograms", Json::array()}};
    master_.Set(rpc::QueryKind::kHistograms, none.dump());
  }
  std::vector<float> ValuesInFile() const {
    std::vector<float> values;
    EXPECT_THAT(FilesIn(folder_ / "a-1"), ElementsAre(export_.path()));
    for (const Json& event : ReadEventFile(export_.path())) {
      if (!event.contains("scalars")) continue;
      values.push_back(event["scalars"]["x"].get<float>());
      EXPECT_EQ(event["step"].get<int64_t>(), std::ssize(values));
      EXPECT_EQ(event["wall_time"].get<double>(), 1000 + static_cast<double>(std::ssize(values)));
    }
    return values;
  }

  const test::TempFolder folder_;
  const Json running_ = {{"state", "RUNNING"}, {"submitted_unix_ms", 1'000'000}};
  web::ScriptedClients master_;
  JobExport export_{master_, "a-1", folder_.path()};
};

TEST_F(TensorBoardRollback, FileIsWrittenAnew) {
  master_.Set(rpc::QueryKind::kSpec, R"({"name":"a"})");
  DL_ASSERT_OK(export_.Update(running_, NewestRound::kWait));
  EXPECT_THAT(ValuesInFile(), IsEmpty()) << "the job has no figures yet";
  SetCurve(3, 0, Json::array());
  DL_ASSERT_OK(export_.Update(running_, NewestRound::kWait));
  EXPECT_THAT(ValuesInFile(), ElementsAre(10, 20)) << "round 3 may get figures of an evaluation";
  SetCurve(4, 0, Json::array());
  DL_ASSERT_OK(export_.Update(running_, NewestRound::kWait));
  EXPECT_THAT(ValuesInFile(), ElementsAre(10, 20, 30));
  EXPECT_EQ(NumberOfEventFile(export_.path()), 1000) << "rounds are appended";
  SetCurve(3, 1, {{{"number", 1}, {"first", 2}, {"last", 4}}});
  DL_ASSERT_OK(export_.Update(running_, NewestRound::kWait));
  EXPECT_THAT(ValuesInFile(), ElementsAre(11, 21));
  EXPECT_EQ(NumberOfEventFile(export_.path()), 1001);
  DL_ASSERT_OK(export_.Update(
      {{"state", "FAILED"}, {"submitted_unix_ms", 1'000'000}, {"ended_unix_ms", 1'009'000}},
      NewestRound::kRead));
  EXPECT_THAT(ValuesInFile(), ElementsAre(11, 21, 31));
  const Json end = ReadEventFile(export_.path()).back();
  EXPECT_EQ(end["hparams"]["_hparams_/session_end_info"]["status"], 2);
  EXPECT_EQ(end["wall_time"], 1009);
}

TEST_F(TensorBoardRollback, FileOfAnotherProcessIsNotChanged) {
  master_.Set(rpc::QueryKind::kSpec, R"({"name":"a"})");
  SetCurve(3, 0, Json::array());
  DL_ASSERT_OK(export_.Update(running_, NewestRound::kWait));
  JobExport other(master_, "a-1", folder_.path());
  DL_ASSERT_OK(other.Update(running_, NewestRound::kWait));
  SetCurve(4, 0, Json::array());
  EXPECT_THAT(export_.Update(running_, NewestRound::kWait),
              test::IsError(absl::StatusCode::kFailedPrecondition, "another process"));
  EXPECT_THAT(FilesIn(folder_ / "a-1"), ElementsAre(other.path()));
}

}  // namespace
}  // namespace dl::cli
