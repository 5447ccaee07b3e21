// The command `inspect` as a user runs it.
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/cli/submit_program.h"

namespace dl::cli {
namespace {

using testing::HasSubstr;

TEST(InspectProgram, NamesKernelsOfEachLayer) {
  const test::TempFolder folder;
  const auto run = [&](std::vector<std::string> words) {
    words.insert(words.end(), {"--data-dir", folder / "D"});
    return DlSubmit(words);
  };
  ASSERT_EQ(run({"run", WriteSmallJob(folder.path()), "--kernels", "portable", "-q"}).code, 0);
  const Json layers = run({"inspect", "small-1", "--json"}).last["kernels"];
  ASSERT_FALSE(layers.empty());
  EXPECT_EQ(layers.back()["layer"], "output1");
  const std::string text = run({"inspect", "small-1"}).out;
  EXPECT_THAT(text, HasSubstr("), each with its layers:\n"));
  for (const Json& layer : layers) {
    for (const Json& kernel : layer["kernels"]) {
      EXPECT_THAT(text, HasSubstr("\n  " + kernel["name"].get<std::string>() + "\n"));
      EXPECT_GE(kernel["primitives"], 1);
    }
  }
}

}  // namespace
}  // namespace dl::cli
