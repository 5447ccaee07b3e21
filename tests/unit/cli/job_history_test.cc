#include "cli/jobs/job_history.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "cli/output/chart.h"
#include "cli/output/history_text.h"
#include "cli/output/table.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace dl::cli {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

Json Epoch(int64_t epoch, double loss) {
  return {{"type", "epoch"},
          {"epoch", epoch},
          {"epochs_total", 9},
          {"round", 10 * epoch},
          {"train", {{"loss", loss}, {"accuracy", 0.5}}}};
}
Json Evaluated(Json epoch, double loss) {
  epoch["test"] = {{"loss", loss}};
  epoch["figures"] = {{"kappa", 0.25}};
  return epoch;
}
JobHistory HistoryOf(const std::vector<Json>& events) {
  JobHistory history;
  for (const Json& event : events) history.Add(event);
  return history;
}
std::vector<int64_t> NumbersOf(const std::vector<EpochFigures>& epochs) {
  std::vector<int64_t> numbers;
  for (const EpochFigures& epoch : epochs) numbers.push_back(epoch.epoch);
  return numbers;
}

TEST(JobHistory, OtherEventsAreIgnored) {
  const JobHistory history = HistoryOf({{{"type", "round"}, {"round", 3}},
                                        {{"type", "warning"}, {"message", "x"}},
                                        Epoch(1, 2),
                                        {{"type", "result"}}});
  EXPECT_THAT(NumbersOf(history.epochs()), ElementsAre(1));
  EXPECT_THAT(history.rolled_back(), IsEmpty());
}

TEST(JobHistory, EpochThatIsComputedAgainReplacesTheEarlierOne) {
  const JobHistory history = HistoryOf({Epoch(1, 2), Epoch(2, 1), Epoch(1, 3)});
  EXPECT_THAT(NumbersOf(history.epochs()), ElementsAre(1, 2));
  EXPECT_EQ(history.epochs().front().train.at("loss"), 3);
}

TEST(JobHistory, RollbackRemovesEpochsAfterItsRound) {
  const JobHistory history = HistoryOf(
      {Epoch(1, 3), Epoch(2, 2), Epoch(3, 1), {{"type", "rollback"}, {"round", 20}}, Epoch(3, 4)});
  EXPECT_THAT(NumbersOf(history.epochs()), ElementsAre(1, 2, 3));
  EXPECT_EQ(history.epochs().back().train.at("loss"), 4);
  ASSERT_THAT(history.rolled_back(), SizeIs(1));
  EXPECT_EQ(history.rolled_back().front().train.at("loss"), 1);
}

TEST(JobHistory, NamesBeginWithLossAndAccuracy) {
  const JobHistory history = HistoryOf({Epoch(1, 3), Evaluated(Epoch(2, 2), 1)});
  EXPECT_THAT(history.Names(), ElementsAre("loss", "accuracy", "kappa"));
}

TEST(HistoryCsv, FigureThatAnEpochLacksIsEmpty) {
  const JobHistory history = HistoryOf({Epoch(1, 3), Evaluated(Epoch(2, 0.1), 1e-9)});
  EXPECT_EQ(HistoryCsv(history),
            "epoch,round,train_loss,test_loss,train_accuracy,test_kappa\n"
            "1,10,3.0,,0.5,\n"
            "2,20,0.1,1e-09,0.5,0.25\n");
}

TEST(HistoryJson, RolledBackEpochsAreListedSeparately) {
  const JobHistory history =
      HistoryOf({Evaluated(Epoch(1, 3), 2), Epoch(2, 2), {{"type", "rollback"}, {"round", 10}}});
  const Json json = HistoryJson("a-1", history);
  EXPECT_EQ(json["job"], "a-1");
  EXPECT_EQ(json["epochs"], Json({{{"epoch", 1},
                                   {"round", 10},
                                   {"train", {{"loss", 3.0}, {"accuracy", 0.5}}},
                                   {"test", {{"loss", 2.0}, {"kappa", 0.25}}}}}));
  EXPECT_EQ(json["rolled_back"][0]["epoch"], 2);
  EXPECT_FALSE(json["rolled_back"][0].contains("test"));
}

TEST(HistoryText, TableFitsIntoTheTerminal) {
  Json epoch = Evaluated(Epoch(1, 3), 2);
  for (int i = 0; i < 9; ++i) epoch["figures"][absl::StrCat("a_long_figure_", i)] = i;
  const std::string text = HistoryText(HistoryOf({epoch}), "a_long_figure_8");
  for (const absl::string_view line : absl::StrSplit(text, '\n'))
    EXPECT_LE(line.size(), kColumns) << line;
  EXPECT_THAT(text, AllOf(HasSubstr("test a_long_figure_8"), HasSubstr("9 more columns: --csv"),
                          HasSubstr("test loss")));
  EXPECT_THAT(HistoryText(HistoryOf({Epoch(1, 3)}), "loss"), Not(HasSubstr("more columns")));
}

TEST(Chart, PointsAreAtTheirPlaces) {
  EXPECT_EQ(RenderChart({{.name = "a", .points = {{1, 0}, {2, 2}, {4, 4}}}}, 3),
            "         4 |   *\n"
            "           | *\n"
            "         0 |*\n"
            "            1  4\n"
            "            * a\n");
}

TEST(Chart, LaterCurveCoversTheEarlierOne) {
  EXPECT_EQ(RenderChart({{.name = "a", .mark = '.', .points = {{7, 1}}},
                         {.name = "b", .mark = '*', .points = {{7, 1}}},
                         {.name = "none", .mark = '+'}},
                        2),
            "         1 |\n"
            "         1 |*\n"
            "            7\n"
            "            . a   * b\n");
}

TEST(Chart, ValuesThatAreNotFiniteAreLeftOut) {
  EXPECT_EQ(RenderChart({{.points = {{1, NAN}, {2, HUGE_VAL}}}}), "");
  EXPECT_THAT(RenderChart({{.name = "a", .points = {{1, NAN}, {2, 5}}}}, 2),
              HasSubstr("         5 |*\n"));
}

// Both ends of numbers of rounds and values.
TEST(Chart, ManyPointsAndLargeNumbersFitIntoTheTerminal) {
  Curve curve = {.name = "a"};
  for (int64_t x = 0; x < 1'000'000; x += 997) curve.points.emplace_back(x, x == 499'497 ? 1 : 0);
  const std::string text =
      RenderChart({curve, {.name = "b", .points = {{5, -1.7e308}, {9, 1.7e308}}}});
  for (const absl::string_view line : absl::StrSplit(text, '\n'))
    EXPECT_LE(line.size(), kColumns) << line;
  EXPECT_THAT(RenderChart({curve}, 2), HasSubstr("         1 |                                 *"));
  EXPECT_LE(RenderChart({{.points = {{INT64_MIN, 0}, {INT64_MAX, 1}}}}).size(), 2000u);
}

}  // namespace
}  // namespace dl::cli
