#include "base/closed_folder.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"

namespace dl {
namespace {

mode_t RightsOf(const std::string& path) {
  struct stat there = {};
  EXPECT_EQ(stat(path.c_str(), &there), 0) << path;
  return there.st_mode & 07777;
}

TEST(ClosedFolderTest, OnlyOwnerHasAccess) {
  const test::TempFolder folder;
  const std::string made = folder / "a/b/";
  DL_ASSERT_OK(CreateClosedFolder(made));
  EXPECT_EQ(RightsOf(made), 0700u);
  DL_EXPECT_OK(CreateClosedFolder(made));
  EXPECT_EQ(RightsOf(made), 0700u);
}

TEST(ClosedFolderTest, OpenFolderIsClosedToOthers) {
  const test::TempFolder folder;
  const std::string path = folder / "open", link = folder / "link";
  std::filesystem::create_directory(path);
  std::filesystem::create_directory_symlink(path, link);
  const std::pair<mode_t, mode_t> cases[] = {{0755, 0700},   {0750, 0700},   {0711, 0700},
                                             {02775, 02700}, {01777, 01700}, {0500, 0500}};
  for (const auto& [before, after] : cases) {
    for (const std::string& named : {path, link}) {
      ASSERT_EQ(chmod(path.c_str(), before), 0);
      DL_EXPECT_OK(CreateClosedFolder(named));
      EXPECT_EQ(RightsOf(path), after) << std::oct << before;
    }
  }
}

TEST(ClosedFolderTest, FolderOfAnotherUserIsUnchanged) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can make another user's folder";
  const test::TempFolder folder;
  const std::string path = folder / "theirs";
  std::filesystem::create_directory(path);
  ASSERT_EQ(chmod(path.c_str(), 0755), 0);
  ASSERT_EQ(chown(path.c_str(), 65534, 65534), 0);
  DL_EXPECT_OK(CreateClosedFolder(path));
  EXPECT_EQ(RightsOf(path), 0755u);
}

TEST(ClosedFolderTest, NonFolderIsAnError) {
  const test::TempFolder folder;
  const std::string file = folder.Write("file", "");
  EXPECT_FALSE(CreateClosedFolder(file).ok());
  EXPECT_FALSE(CreateClosedFolder(file + "/below").ok());
}

}  // namespace
}  // namespace dl
