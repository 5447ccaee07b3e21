// Texts of a sweep for people.
#include "cli/sweep/sweep_report.h"

#include "base/json.h"
#include "gtest/gtest.h"

namespace dl::cli {
namespace {

Json SweepOf(int jobs) {
  Json sweep = {{"trials", Json::array()}};
  for (int i = 1; i <= jobs; ++i)
    sweep["trials"].push_back({{"trial", i}, {"job", "a-" + std::to_string(i)}});
  return sweep;
}

TEST(SweepReport, DecisionNamesTheTrialsThatGoOnAndTheOthers) {
  EXPECT_EQ(SweepEventText(
                {{"type", "rung"}, {"epoch", 2}, {"kept", {3, 1}}, {"stopped", Json::array({2})}}),
            "epoch 2: the sweep continues with trials 3, 1, without trial 2");
}

TEST(SweepReport, NextCommandsCompareTheBestJobs) {
  EXPECT_EQ(SweepNextText(SweepOf(2), " --data-dir d", /*has_folder=*/true),
            "next:\n  dl-submit compare --data-dir d a-1 a-2\n"
            "  dl-submit ui --data-dir d  # page /compare?job=a-1&job=a-2\n");
  EXPECT_EQ(SweepNextText(SweepOf(9), "", /*has_folder=*/false),
            "next:\n  dl-submit compare a-1 a-2 a-3 a-4 a-5 a-6 a-7 a-8\n");
}

TEST(SweepReport, OneJobIsNotCompared) {
  EXPECT_EQ(SweepNextText(SweepOf(1), "", /*has_folder=*/true), "");
}

}  // namespace
}  // namespace dl::cli
