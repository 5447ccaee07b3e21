// A master process that does not start: the error says whether another try is useful.
#include <filesystem>

#include "base/files.h"
#include "gtest/gtest.h"
#include "launch/clusters/own_processes.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"

namespace dl::launch {
namespace {

using test::IsError;

class MasterProcessTest : public testing::Test {
 protected:
  // Starts a program that prints this error and exits with that code.
  Status StartOf(int code) {
    const std::string program = folder_ / "program";
    DL_EXPECT_OK(AtomicWriteFile(
        program, "#!/bin/sh\necho no luck >&2\nexit " + std::to_string(code) + "\n"));
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    return MasterProcess::Start(
               {.program = program, .data_dir = folder_ / "data", .log_path = folder_ / "log"})
        .status();
  }
  test::TempFolder folder_;
};

TEST_F(MasterProcessTest, OneThatDidNotStartSaysWhatItsLogEndsWith) {
  EXPECT_THAT(StartOf(1), IsError(absl::StatusCode::kUnavailable, "did not start: no luck"));
}

// The folder was in use, and is free again before another process can look.
TEST_F(MasterProcessTest, OneThatCannotStartNowMayBeTriedAgain) {
  EXPECT_THAT(StartOf(75),
              IsError(absl::StatusCode::kFailedPrecondition, "did not start: no luck"));
}

}  // namespace
}  // namespace dl::launch
