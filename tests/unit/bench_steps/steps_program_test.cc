// Runs the program `steps` with a tiny minibatch.
#include <cstdlib>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "base/json.h"
#include "base/process.h"
#include "bench/steps/rival.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"

namespace dl::bench {
namespace {

constexpr Duration kTimeout = std::chrono::minutes(10);
constexpr int64_t kMostOutput = 16 << 20;

struct Ran {
  ExitStatus status;
  std::string out;
};

StatusOr<Ran> RunSteps(std::vector<std::string> words) {
  words.insert(words.begin(), std::string(std::getenv("DL_BIN")) + "/steps");
  DL_ASSIGN_OR_RETURN(const auto process,
                      Spawner::Real().Start({.argv = words, .out = ChildOutput::Pipe()}));
  Ran ran;
  DL_ASSIGN_OR_RETURN(ran.out, process->ReadAll(kTimeout, kMostOutput));
  DL_ASSIGN_OR_RETURN(ran.status, process->Wait(kTimeout));
  return ran;
}

// Returns the documents that the program prints with --json.
std::vector<Json> DocumentsOf(const std::string& out) {
  std::vector<Json> documents;
  const std::vector<std::string> lines = absl::StrSplit(out, '\n', absl::SkipEmpty());
  for (const std::string& line : lines) {
    const auto json = ParseJson(line, "steps");
    EXPECT_THAT(json, test::IsOk()) << line;
    if (json.ok()) documents.push_back(*json);
  }
  return documents;
}

class StepsProgram : public testing::Test {
 protected:
  void SetUp() override {
    if (std::getenv("DL_BIN") == nullptr) GTEST_SKIP() << "DL_BIN is not set";
  }
};

TEST_F(StepsProgram, MeasuresEngineAlone) {
  const auto ran = RunSteps({"lenet5:2", "--alone", "--json", "--seconds", "1"});
  DL_ASSERT_OK(ran);
  EXPECT_EQ(ran->status, ExitStatus());
  const std::vector<Json> documents = DocumentsOf(ran->out);
  ASSERT_EQ(documents.size(), 2u);
  EXPECT_GT(documents[0].at("peak_flops"), 0);
  const Json& one = documents[1];
  EXPECT_EQ(one.at("model"), "lenet5");
  EXPECT_EQ(one.at("batch_size"), 2);
  EXPECT_GT(one.at("bound").at("ms"), 0);
  EXPECT_GT(one.at("time_by_bound"), 0);
  EXPECT_TRUE(one.at("rivals").empty());
  const Json& profile = one.at("profile");
  EXPECT_EQ(profile.at("layers").at(0).at("name"), "conv1");
  EXPECT_FALSE(profile.at("kernels").empty());
  EXPECT_GT(profile.at("reorders").at("bytes"), 0);
}

TEST_F(StepsProgram, ComparesWithPyTorch) {
  const Status found = CheckRival(RivalKind::kInstalled, {});
  if (!found.ok()) GTEST_SKIP() << found;
  const auto ran =
      RunSteps({"lenet5:2", "vae:2", "--rival", "installed", "--json", "--seconds", "1"});
  DL_ASSERT_OK(ran);
  EXPECT_EQ(ran->status, ExitStatus());
  const std::vector<Json> documents = DocumentsOf(ran->out);
  ASSERT_EQ(documents.size(), 3u);
  for (size_t i = 1; i < documents.size(); ++i) {
    const Json& rival = documents[i].at("rivals").at(0);
    EXPECT_LT(rival.at("loss_difference"), 1e-4) << documents[i].at("model");
    EXPECT_GT(rival.at("ratio"), 0);
    EXPECT_GT(rival.at("sgemm_flops"), 0);
  }
}

TEST_F(StepsProgram, UnknownModelEndsWithCode1) {
  const auto ran = RunSteps({"lenet7"});
  DL_ASSERT_OK(ran);
  EXPECT_EQ(ran->status.code, 1);
}

}  // namespace
}  // namespace dl::bench
