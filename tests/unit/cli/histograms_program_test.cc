// Histograms of layers as a user records and reads them.
#include <map>
#include <set>

#include "base/files.h"
#include "cli/exit_code.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/cli/submit_program.h"
#include "tests/unit/cli/tensorboard_events.h"

namespace dl::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// A job of 12 rounds, which records histograms in the rounds 1, 6 and 11.
class HistogramsProgram : public testing::Test {
 protected:
  void SetUp() override {
    const Ended trained =
        Run({"run", WriteSmallJob(folder_.path()), "--epochs", "4", "--set",
             "training.statistics.every_rounds=5", "--tensorboard", folder_ / "live", "--json"});
    ASSERT_EQ(trained.code, kSuccess) << trained.err;
    state_ = trained.last.value("state_sha256", "");
  }
  Ended Run(std::vector<std::string> words) const {
    words.insert(words.end(), {"--data-dir", folder_ / "D"});
    return DlSubmit(words);
  }
  // Returns the histograms with these names, each as {"name","round","values","quantiles",
  // "buckets"}.
  std::vector<Json> History(const std::string& names) const {
    std::vector<Json> histograms;
    const Json answer =
        Run({"history", "small-1", "--histograms", names, "--rounds", "1-", "--json"}).last;
    for (const Json& column : answer["histograms"]) {
      for (size_t i = 0; i < column["rounds"].size(); ++i) {
        histograms.push_back({{"name", column["name"]},
                              {"round", column["rounds"][i]},
                              {"values", column["values"][i]},
                              {"quantiles", column["quantiles"][i]},
                              {"buckets", column["buckets"][i]}});
      }
    }
    return histograms;
  }
  // Returns the rounds of all histograms in the only file of the folder, and expects that they are
  // those of `history`.
  std::set<int64_t> RoundsInFile(const std::string& folder) const {
    std::map<std::pair<int64_t, std::string>, Json> expected;
    for (const Json& histogram : History("*"))
      expected.emplace(std::pair(histogram["round"], histogram["name"]), histogram);
    std::set<int64_t> rounds;
    const std::vector<std::string> files = FilesIn(folder + "/small-1");
    EXPECT_EQ(files.size(), 1);
    for (const Json& event : files.empty() ? std::vector<Json>() : ReadEventFile(files[0])) {
      if (!event.contains("histograms")) continue;
      for (const auto& [tag, read] : event["histograms"].items()) {
        const auto found = expected.find({event["step"].get<int64_t>(), tag});
        if (found == expected.end()) {
          ADD_FAILURE() << tag;
          continue;
        }
        rounds.insert(event["step"].get<int64_t>());
        ExpectSame(read, found->second);
        expected.erase(found);
      }
    }
    EXPECT_TRUE(expected.empty()) << expected.begin()->second;
    return rounds;
  }
  static void ExpectSame(const Json& read, const Json& histogram) {
    EXPECT_EQ(read["low"], histogram["buckets"].front()[0]);
    std::map<double, double> counts;
    for (size_t i = 0; i < read["limits"].size(); ++i) {
      if (read["counts"][i] != 0) counts[read["limits"][i]] = read["counts"][i];
    }
    std::map<double, double> expected;
    for (const Json& bucket : histogram["buckets"]) expected[bucket[1]] = bucket[2];
    EXPECT_EQ(counts, expected);
  }

  const test::TempFolder folder_;
  std::string state_;
};

TEST_F(HistogramsProgram, DoNotChangeTheResult) {
  const Ended without = Run({"run", folder_ / "job.json", "--epochs", "4", "--json"});
  ASSERT_EQ(without.code, kSuccess) << without.err;
  EXPECT_EQ(without.last["state_sha256"], state_);
  const Ended none = Run({"history", "small-2", "--histograms", "*"});
  EXPECT_EQ(none.code, kNotFound);
  EXPECT_THAT(none.err, HasSubstr("--set training.statistics.every_rounds=10"));
}

// The model has 2 inputs and 3 outputs: 9 parameters. A minibatch has 8 examples.
TEST_F(HistogramsProgram, HistoryHasEachRecordedRound) {
  std::map<std::string, std::vector<int64_t>> rounds;
  for (const Json& histogram : History("*")) {
    const std::string name = histogram["name"];
    rounds[name].push_back(histogram["round"]);
    EXPECT_EQ(histogram["values"], name.ends_with("/activations") ? 8 * 3 : 9) << name;
    int64_t values = 0;
    for (const Json& bucket : histogram["buckets"]) {
      EXPECT_LE(bucket[0], bucket[1]);
      values += bucket[2].get<int64_t>();
    }
    EXPECT_EQ(values, histogram["values"]);
    EXPECT_EQ(histogram["quantiles"].front(), histogram["buckets"].front()[0]);
  }
  ASSERT_EQ(rounds.size(), 3);
  for (const auto& [name, recorded] : rounds) EXPECT_THAT(recorded, ElementsAre(1, 6, 11)) << name;
  EXPECT_TRUE(rounds.contains("layer/output1/parameters")) << rounds.begin()->first;
}

TEST_F(HistogramsProgram, HistoryPrintsTheNewestRound) {
  const Ended text = Run({"history", "small-1", "--histograms", "layer/*/changes"});
  ASSERT_EQ(text.code, kSuccess) << text.err;
  EXPECT_THAT(text.out, HasSubstr("layer/output1/changes  11 "));
  EXPECT_THAT(text.out, HasSubstr("50%"));
  const std::string csv =
      Run({"history", "small-1", "--histograms", "*/changes", "--rounds", "1-", "--csv"}).out;
  EXPECT_THAT(csv, HasSubstr("name,round,values,0%,5%,25%,50%,75%,95%,100%\n"));
  EXPECT_THAT(csv, HasSubstr("\nlayer/output1/changes,6,9,"));
  const Ended unknown = Run({"history", "small-1", "--histograms", "layer/x/changes"});
  EXPECT_EQ(unknown.code, kNotFound);
  EXPECT_EQ(Run({"history", "small-1", "--histograms", "*", "--series", "*"}).code, kUsage);
  EXPECT_EQ(Run({"history", "small-1", "--histograms", "*", "--rollback", "1"}).code, kUsage);
}

TEST_F(HistogramsProgram, TensorBoardHasThemFromHistoryAndLive) {
  EXPECT_THAT(RoundsInFile(folder_ / "live"), ElementsAre(1, 6, 11));
  ASSERT_EQ(Run({"tensorboard", "small-1", "-o", folder_ / "later"}).code, kSuccess);
  EXPECT_THAT(RoundsInFile(folder_ / "later"), ElementsAre(1, 6, 11));
}

}  // namespace
}  // namespace dl::cli
