// Which masters of this user run, by their ports.
#include "launch/own_masters.h"

#include <cstdlib>
#include <optional>

#include "gtest/gtest.h"
#include "tests/support/temp_folder.h"

namespace dl::launch {
namespace {

constexpr int kPort = 1;

// On other addresses, in a container, or on another machine with the same home folder.
TEST(OwnMasters, WhoEndsTakesNoOthersEntryAway) {
  const test::TempFolder home;
  const char* const before = std::getenv("HOME");
  const std::string old = before == nullptr ? "" : before;
  setenv("HOME", (home / "").c_str(), 1);
  {
    std::optional<MasterEntry> first(std::in_place, kPort, home / "first");
    EXPECT_EQ(DataFolderOfMaster(kPort), home / "first");
    const MasterEntry second(kPort, home / "second");
    first.reset();
    EXPECT_EQ(DataFolderOfMaster(kPort), home / "second");
  }
  EXPECT_EQ(DataFolderOfMaster(kPort), std::nullopt);
  setenv("HOME", old.c_str(), 1);
}

}  // namespace
}  // namespace dl::launch
