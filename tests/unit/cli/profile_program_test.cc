// `run --profile` as a user runs it.
#include <filesystem>
#include <map>
#include <set>

#include "base/files.h"
#include "base/json.h"
#include "cli/exit_code.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/cli/submit_program.h"

namespace dl::cli {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;

class ProfileProgram : public testing::Test {
 protected:
  // Runs the small job. Returns how it ended.
  Ended Train(const std::string& master, std::vector<std::string> words = {}) {
    words.insert(words.begin(), {"run", job_, "--master", master, "--data-dir",
                                 folder_ / ("data" + std::to_string(++runs_)), "--json"});
    return DlSubmit(words);
  }
  // Returns the events of a profile by process.
  static std::map<std::string, std::vector<Json>> EventsOf(const std::string& file) {
    const auto text = ReadFile(file, int64_t{1} << 30);
    DL_EXPECT_OK(text);
    const auto json = ParseJson(text.value_or("{}"), file);
    DL_EXPECT_OK(json);
    std::map<int64_t, std::string> names;
    std::map<std::string, std::vector<Json>> events;
    for (const Json& event : json->at("traceEvents")) {
      const int64_t pid = event.at("pid");
      if (event.at("name") == "process_name") names[pid] = event.at("args").at("name");
      if (event.at("ph") == "X") events[names.at(pid)].push_back(event);
    }
    return events;
  }
  static std::set<std::string> NamesOf(const std::vector<Json>& events) {
    std::set<std::string> names;
    for (const Json& event : events) names.insert(event.at("name"));
    return names;
  }

  const test::TempFolder folder_;
  const std::string job_ = WriteSmallJob(folder_.path());
  const std::string file_ = folder_ / "profile.json";
  int runs_ = 0;
};

TEST_F(ProfileProgram, HasLayersAndChangesNoBit) {
  const Ended plain = Train("local[2]");
  ASSERT_EQ(plain.code, kSuccess) << plain.err;
  const Ended profiled = Train("local[2]", {"--profile", file_});
  ASSERT_EQ(profiled.code, kSuccess) << profiled.err;
  EXPECT_EQ(profiled.last.at("state_sha256"), plain.last.at("state_sha256"));
  const auto events = EventsOf(file_);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_THAT(NamesOf(events.at("dl-submit run")),
              AllOf(Contains("output1 forward"), Contains("output1 backward"), Contains("update"),
                    Contains("unit"), Contains("core")));
}

TEST_F(ProfileProgram, HasAllProcessesOfLocalCluster) {
  const Ended ended = Train("local-cluster[1]", {"--profile", file_});
  ASSERT_EQ(ended.code, kSuccess) << ended.err;
  const auto events = EventsOf(file_);
  ASSERT_TRUE(events.contains("dl-submit executor") && events.contains("dl-submit master"));
  EXPECT_THAT(NamesOf(events.at("dl-submit executor")), Contains("output1 forward"));
  EXPECT_THAT(NamesOf(events.at("dl-submit master")), Contains("core"));
  EXPECT_TRUE(events.contains("dl-submit run"));
}

TEST_F(ProfileProgram, IsRefusedWhereItWouldNotBeWhole) {
  const auto refused = [&](const std::string& master, const std::string& file) {
    const Ended ended = DlSubmit({"run", job_, "--master", master, "--profile", file});
    EXPECT_EQ(ended.code, kUsage);
    return ended.err;
  };
  EXPECT_THAT(refused("dl://127.0.0.1:1", file_),
              AllOf(HasSubstr("may be on other machines"), HasSubstr("local-cluster[N]")));
  EXPECT_THAT(refused("slurm[2]", file_), HasSubstr("may be on other machines"));
  EXPECT_THAT(refused("local[1]", folder_ / "none/profile.json"), HasSubstr("there is no folder"));
  EXPECT_THAT(refused("local[1]", "-"), HasSubstr("not to standard output"));
  const Ended both = DlSubmit({"run", job_, "--profile", file_}, {"DL_TRACE=" + folder_.path()});
  EXPECT_EQ(both.code, kUsage);
  EXPECT_THAT(both.err, HasSubstr("DL_TRACE and --profile exclude each other"));
  EXPECT_FALSE(std::filesystem::exists(file_));
}

}  // namespace
}  // namespace dl::cli
