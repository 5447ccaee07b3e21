#include "cli/jobs/followed_file.h"

#include <fstream>

#include "gmock/gmock.h"
#include "tests/support/temp_folder.h"

namespace dl::cli {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(FollowedFile, ReturnsEachCompleteLineOnce) {
  const test::TempFolder folder;
  FollowedFile file(folder / "events");
  EXPECT_THAT(file.ReadNewLines(), IsEmpty());
  const auto append = [&](const char* text) {
    std::ofstream(folder / "events", std::ios::app) << text;
  };
  append("one\ntw");
  EXPECT_THAT(file.ReadNewLines(), ElementsAre("one"));
  EXPECT_THAT(file.ReadNewLines(), IsEmpty());
  append("o\n\nthree\n");
  EXPECT_THAT(file.ReadNewLines(), ElementsAre("two", "", "three"));
  EXPECT_THAT(file.ReadNewLines(), IsEmpty());
}

}  // namespace
}  // namespace dl::cli
