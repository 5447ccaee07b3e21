// The registry of this user's running masters, by port.
#include "launch/daemons/local_master_registry.h"

#include <cstdlib>
#include <filesystem>
#include <optional>

#include "absl/strings/str_cat.h"
#include "base/files.h"
#include "base/json.h"
#include "gtest/gtest.h"
#include "tests/support/temp_folder.h"

namespace dl::launch {
namespace {

constexpr int kPort = 1;

class LocalMasterRegistry : public testing::Test {
 protected:
  LocalMasterRegistry() { setenv("HOME", home_.path().c_str(), 1); }
  ~LocalMasterRegistry() override { setenv("HOME", old_.c_str(), 1); }

  // Writes an entry as of a master that was killed, or whose process is not visible from here.
  std::string Write(int port, const Json& entry) {
    const std::string folder = home_ / ".local/state/paravane/masters";
    std::filesystem::create_directories(folder);
    const std::string path = absl::StrCat(folder, "/", port);
    EXPECT_TRUE(AtomicWriteFile(path, JsonText(entry)).ok());
    return path;
  }

  const test::TempFolder home_;

 private:
  const std::string old_ = std::getenv("HOME") == nullptr ? "" : std::getenv("HOME");
};

// Several masters may have the same port: on different addresses, in a container, or on another
// machine with the same home folder.
TEST_F(LocalMasterRegistry, EndKeepsEntriesOfOthers) {
  std::optional<MasterEntry> first(std::in_place, kPort, home_ / "first");
  EXPECT_EQ(DataFolderOfMaster(kPort), home_ / "first");
  {
    const MasterEntry second(kPort, home_ / "second");
    first.reset();
    EXPECT_EQ(DataFolderOfMaster(kPort), home_ / "second");
  }
  EXPECT_EQ(DataFolderOfMaster(kPort), std::nullopt);
}

// The port and the folder of another network are not visible from here.
TEST_F(LocalMasterRegistry, StartKeepsEntriesOfOtherNetworks) {
  const std::string elsewhere =
      Write(2, {{"data_dir", home_ / "elsewhere"}, {"network", "another start net:[1]"}});
  const MasterEntry starting(kPort, home_ / "here");
  EXPECT_TRUE(std::filesystem::exists(elsewhere));
  EXPECT_EQ(DataFolderOfMaster(2), home_ / "elsewhere");
}

TEST_F(LocalMasterRegistry, StartRemovesEntriesOfKilledMasters) {
  std::string killed, of_an_older_build;
  {
    const MasterEntry master(2, home_ / "killed");
    const Json entry = *ParseJson(*ReadFile(home_ / ".local/state/paravane/masters/2", 4096), "");
    killed = Write(3, entry);
    of_an_older_build = Write(4, {{"data_dir", home_ / "older"}});
  }
  const MasterEntry starting(kPort, home_ / "here");
  EXPECT_FALSE(std::filesystem::exists(killed));
  EXPECT_FALSE(std::filesystem::exists(of_an_older_build));
}

}  // namespace
}  // namespace dl::launch
