// Command lines of `executor` that are refused.
#include <fstream>
#include <string>

#include "cli/exit_code.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/cli/submit_program.h"

namespace dl::cli {
namespace {

TEST(ExecutorProgram, WrongSettingsAreRefused) {
  const test::TempFolder folder;
  const Ended name = DlSubmit({"executor", "--master", "dl://127.0.0.1:1", "--name", "a\n\x1b[31mb",
                               "--cache-dir", folder / "data"});
  EXPECT_EQ(name.code, kUsage);
  EXPECT_NE(name.err.find("\"a\\n\\x1b[31mb\" cannot name an executor"), std::string::npos)
      << name.err;
  EXPECT_EQ(DlSubmit({"executor"}).code, kUsage) << "it needs --master";
  EXPECT_EQ(DlSubmit({"executor", "--master", "local"}).code, kUsage);
  const std::string config = folder / "config.json";
  std::ofstream(config) << R"({"master":"local"})";
  EXPECT_EQ(DlSubmit({"executor", "--config", config}).code, kInvalidConfig);
  const Ended token =
      DlSubmit({"executor", "--master", "dl://127.0.0.1:1", "--restart", "--token-file", "-"});
  EXPECT_EQ(token.code, kUsage) << token.err;
  EXPECT_NE(token.err.find("Give --token-file FILE with --restart"), std::string::npos)
      << token.err;
}

}  // namespace
}  // namespace dl::cli
