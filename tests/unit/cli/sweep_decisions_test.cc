// The pure parts of a sweep: its settings, and the decisions of successive halving.
#include <limits>
#include <set>

#include "absl/strings/numbers.h"
#include "base/philox.h"
#include "cli/exit_code.h"
#include "cli/sweep/halving.h"
#include "cli/sweep/search_space.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"

namespace dl::cli {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

std::vector<TrialSettings> Trials(const std::vector<std::string>& grids,
                                  const std::vector<std::string>& ranges = {}, int64_t random = 0,
                                  uint64_t seed = 0) {
  const auto space = ParseSearchSpace(grids, ranges);
  EXPECT_THAT(space, test::IsOk());
  auto trials = TrialsOf(*space, random, seed);
  EXPECT_THAT(trials, test::IsOk());
  return trials.value_or(std::vector<TrialSettings>());
}

TEST(SearchSpace, GridGivesAllCombinationsInOrder) {
  EXPECT_THAT(Trials({"a=1,2", R"(b=[1,2],{"x":",","y":1},"p,q")"}),
              ElementsAre(TrialSettings{{"a", "1"}, {"b", "[1,2]"}},
                          TrialSettings{{"a", "1"}, {"b", R"({"x":",","y":1})"}},
                          TrialSettings{{"a", "1"}, {"b", R"("p,q")"}},
                          TrialSettings{{"a", "2"}, {"b", "[1,2]"}},
                          TrialSettings{{"a", "2"}, {"b", R"({"x":",","y":1})"}},
                          TrialSettings{{"a", "2"}, {"b", R"("p,q")"}}));
}

TEST(SearchSpace, DrawsDifferAndDependOnTheSeedAlone) {
  const std::vector<std::string> grids = {"a=1,2,3,4,5,6,7,8,9", "b=1,2,3,4,5,6,7,8,9"};
  const auto draws = Trials(grids, {"c=0.001:1:log", "d=1:3"}, 40, 7);
  EXPECT_EQ(draws, Trials(grids, {"c=0.001:1:log", "d=1:3"}, 40, 7));
  EXPECT_NE(draws, Trials(grids, {"c=0.001:1:log", "d=1:3"}, 40, 8));
  std::set<std::string> whole;
  int small = 0;
  for (const TrialSettings& draw : draws) {
    double c = 0;
    ASSERT_TRUE(absl::SimpleAtod(draw[2].value, &c));
    EXPECT_GE(c, 0.001);
    EXPECT_LE(c, 1);
    if (c < 0.0316) ++small;  // half of the logarithms
    whole.insert(draw[3].value);
  }
  EXPECT_GT(small, 10);
  EXPECT_LT(small, 30);
  EXPECT_THAT(whole, ElementsAre("1", "2", "3"));
  const auto all = Trials({"a=1,2", "b=1,2"}, {}, 4);
  EXPECT_THAT(all, SizeIs(4));
  const auto most = Trials(grids, {}, 80);
  EXPECT_EQ(most.size(), 80);
  for (size_t i = 0; i < most.size(); ++i) {
    for (size_t k = i + 1; k < most.size(); ++k) EXPECT_NE(most[i], most[k]);
  }
}

TEST(SearchSpace, WrongTextIsAUsageError) {
  using Flags = std::vector<std::string>;
  for (const auto& [grids, ranges] : std::vector<std::pair<Flags, Flags>>{{{"training.epochs"}, {}},
                                                                          {{"=1,2"}, {}},
                                                                          {{"a=1,,2"}, {}},
                                                                          {{"a=1,1"}, {}},
                                                                          {{"a=1", "a=2"}, {}},
                                                                          {{}, {"a=1"}},
                                                                          {{}, {"a=2:1"}},
                                                                          {{}, {"a=0:1:log"}},
                                                                          {{}, {"a=1:2:lin"}},
                                                                          {{}, {"a=x:2"}},
                                                                          {{}, {"a=1:inf"}},
                                                                          {{"a=1"}, {"a=1:2"}}}) {
    const auto space = ParseSearchSpace(grids, ranges);
    ASSERT_FALSE(space.ok());
    EXPECT_EQ(ExitCodeFor(space.status()), kUsage);
  }
  const auto space = ParseSearchSpace({"a=1,2", "b=1,2"}, {"c=1:2"});
  DL_ASSERT_OK(space);
  EXPECT_EQ(ExitCodeFor(TrialsOf(*space, 9, 0).status()), kUsage) << "there are 8 different draws";
}

TrialProgress Running(std::vector<std::optional<double>> figures, int64_t epochs = 8) {
  return {.epochs = epochs, .figures = std::move(figures)};
}

TEST(Halving, RungWaitsForTheFigureOfEachTrial) {
  std::vector<TrialProgress> trials = {Running({3}), Running({1, 1}), Running({}), Running({2})};
  HalvingPlan plan = PlanHalving(trials, Better::kSmaller);
  EXPECT_THAT(plan.rungs, IsEmpty());
  EXPECT_EQ(plan.open, 1);
  trials[2] = Running({0});
  plan = PlanHalving(trials, Better::kSmaller);
  EXPECT_THAT(plan.rungs, ElementsAre(Rung{.epoch = 1, .kept = {2, 1}, .stopped = {3, 0}}));
  EXPECT_EQ(plan.open, 2);
  EXPECT_THAT(plan.stopped_at, ElementsAre(1, 0, 0, 1));
  EXPECT_THAT(PlanHalving(trials, Better::kLarger).rungs,
              ElementsAre(Rung{.epoch = 1, .kept = {0, 3}, .stopped = {1, 2}}));
}

TEST(Halving, ShortFailedAndEqualTrialsHaveTheirPlace) {
  const double kNan = std::numeric_limits<double>::quiet_NaN();
  std::vector<TrialProgress> trials = {
      Running({5}, 1),                                      // has one epoch in all
      {.epochs = 8, .figures = {4, 4}, .has_ended = true},  // early stopping
      {.epochs = 8, .figures = {}, .has_ended = true, .has_failed = true},
      Running({kNan, 1, 1, 1}),
      Running({4, 6, 1, 1}),
      Running({std::nullopt, 0, 0, 0})};
  const HalvingPlan plan = PlanHalving(trials, Better::kSmaller);
  EXPECT_THAT(plan.rungs, ElementsAre(Rung{.epoch = 1, .kept = {1, 4, 0}, .stopped = {2, 3, 5}},
                                      Rung{.epoch = 2, .kept = {1, 0}, .stopped = {4}},
                                      Rung{.epoch = 4, .kept = {1}, .stopped = {0}}));
  EXPECT_EQ(plan.open, 0);
}

// The order in which figures arrive, and figures after a decision, change no decision.
TEST(Halving, DecisionsDoNotDependOnArrival) {
  RandomStream random({.seed = 5});
  std::vector<TrialProgress> complete;
  for (int i = 0; i < 13; ++i) {
    TrialProgress trial{.epochs = 1 + i % 9};
    for (int64_t e = 0; e < trial.epochs; ++e)
      trial.figures.push_back(static_cast<double>(random.Bounded(10)));
    trial.has_ended = true;
    complete.push_back(trial);
  }
  const std::vector<Rung> expected = PlanHalving(complete, Better::kSmaller).rungs;
  ASSERT_GE(expected.size(), 3);
  for (int run = 0; run < 50; ++run) {
    std::vector<TrialProgress> trials = complete;
    for (TrialProgress& trial : trials) {
      trial.figures.clear();
      trial.has_ended = false;
    }
    size_t decided = 0;
    for (;;) {
      const HalvingPlan plan = PlanHalving(trials, Better::kSmaller);
      ASSERT_GE(plan.rungs.size(), decided);
      decided = plan.rungs.size();
      ASSERT_TRUE(std::equal(plan.rungs.begin(), plan.rungs.end(), expected.begin()));
      if (decided == expected.size()) break;
      const size_t next = static_cast<size_t>(random.Bounded(trials.size()));
      if (trials[next].figures.size() < complete[next].figures.size())
        trials[next].figures.push_back(complete[next].figures[trials[next].figures.size()]);
      if (trials[next].figures.size() == complete[next].figures.size())
        trials[next].has_ended = true;
    }
  }
}

}  // namespace
}  // namespace dl::cli
