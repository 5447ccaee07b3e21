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
  EXPECT_THAT(file.Lines(), IsEmpty());
  const auto append = [&](const char* text) {
    std::ofstream(folder / "events", std::ios::app) << text;
  };
  append("one\ntw");
  EXPECT_THAT(file.Lines(), ElementsAre("one"));
  EXPECT_THAT(file.Lines(), IsEmpty());
  append("o\n\nthree\n");
  EXPECT_THAT(file.Lines(), ElementsAre("two", "", "three"));
  EXPECT_THAT(file.Lines(), IsEmpty());
}

}  // namespace
}  // namespace dl::cli
