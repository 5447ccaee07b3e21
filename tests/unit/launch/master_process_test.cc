// A master process that does not start: the error says whether another try is useful.
#include <filesystem>

#include "absl/strings/str_cat.h"
#include "base/files.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "launch/clusters/started_processes.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"

namespace dl::launch {
namespace {

using test::IsError;

class MasterProcessTest : public testing::Test {
 protected:
  // Starts a program that prints this error and exits with that code.
  Status StartOf(int code, const std::string& error = "no luck") {
    const std::string program = folder_ / "program";
    DL_EXPECT_OK(AtomicWriteFile(
        program, absl::StrCat("#!/bin/sh\nprintf '", error, "\\n' >&2\nexit ", code, "\n")));
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    return MasterProcess::Start(
               {.program = program, .data_dir = folder_ / "data", .log_path = folder_ / "log"})
        .status();
  }
  test::TempFolder folder_;
};

TEST_F(MasterProcessTest, FailedStartShowsEndOfLog) {
  EXPECT_THAT(StartOf(1), IsError(absl::StatusCode::kUnavailable, "did not start: no luck"));
}

TEST_F(MasterProcessTest, ErrorOfAProcessThatDidNotStartIsThatOfItsLog) {
  for (const int code : {69, 75}) {
    const Status status =
        StartOf(code, "a line\\nerror: no thread\\n  at: this process\\n  try: Raise that limit");
    EXPECT_EQ(status.message(), "the master process did not start: no thread");
    EXPECT_THAT(ErrorRemedy(status), testing::StartsWith("Raise that limit"));
    EXPECT_EQ(ErrorWhere(status), folder_ / "log");
  }
}

// The folder was in use, and is free again before another process can look.
TEST_F(MasterProcessTest, TemporaryFailureOfStartIsUnavailable) {
  EXPECT_THAT(StartOf(75),
              IsError(absl::StatusCode::kFailedPrecondition, "did not start: no luck"));
}

}  // namespace
}  // namespace dl::launch
