// A job program as a user starts it.
#include "absl/strings/str_cat.h"
#include "cli/exit_code.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/cli/submit_program.h"

namespace dl::cli {
namespace {

using testing::HasSubstr;

// A job program can be started by its own name. Its help describes the arguments that it accepts.
TEST(JobProgram, HasHelp) {
  for (const char* words : {"--help", "-h"}) {
    const Ended help = Shell(absl::StrCat("$(dirname $DL)/mlp_csv ", words));
    EXPECT_EQ(help.code, kSuccess) << help.out;
    EXPECT_THAT(help.out, HasSubstr("Usage: dl-submit run"));
    EXPECT_THAT(help.out, HasSubstr("--epochs"));
  }
}

}  // namespace
}  // namespace dl::cli
