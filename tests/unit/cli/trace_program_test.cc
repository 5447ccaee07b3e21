// The command `trace` as a user runs it.
#include "base/files.h"
#include "cli/exit_code.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/temp_folder.h"
#include "tests/support/trace_rules.h"
#include "tests/unit/cli/submit_program.h"

namespace dl::cli {
namespace {

using testing::HasSubstr;

TEST(TraceProgram, WritesTheUnitsOfAJob) {
  const test::TempFolder folder;
  const std::string job = WriteSmallJob(folder.path());
  const auto run = [&](std::vector<std::string> words) {
    words.insert(words.end(), {"--data-dir", folder / "data"});
    return DlSubmit(words);
  };
  const Ended trained = run({"run", job, "--json"});
  ASSERT_EQ(trained.code, kSuccess) << trained.err;
  const int64_t rounds = trained.last["rounds"].get<int64_t>();
  const std::string file = folder / "t.json";
  const Json summary = run({"trace", "small-1", "-o", file, "--json"}).last;
  EXPECT_EQ(summary["rounds"], rounds);
  EXPECT_EQ(summary["executor_count"], 1);
  const std::vector<Json> units = test::ExpectIsTrace(ReadFile(file, 1 << 24).value_or(""));
  EXPECT_EQ(std::ssize(units), summary["unit_count"].get<int64_t>());
  EXPECT_GE(std::ssize(units), rounds);
  EXPECT_GT(units[0]["args"]["computing_ms"].get<double>(), 0);
  const Ended some = run({"trace", "small-1", "--rounds", "2", "-o", "-"});
  for (const Json& unit : test::ExpectIsTrace(some.out)) EXPECT_EQ(unit["args"]["round"], 2);
  EXPECT_THAT(some.err, HasSubstr("units of 1 rounds on 1 executors"));
  EXPECT_EQ(run({"trace", "small-1", "--rounds", "x"}).code, kUsage);
  const Ended none = run({"trace", "small-1", "--rounds", "100000-", "-o", "-"});
  EXPECT_EQ(none.code, kNotFound);
  EXPECT_THAT(none.err, HasSubstr("no unit of small-1 is recorded in these rounds"));
}

}  // namespace
}  // namespace dl::cli
