#include "base/files.h"

#include <sys/stat.h>

#include <filesystem>

#include "base/fail_point.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"

namespace dl {
namespace {

using test::IsError;

size_t Entries(const std::string& folder) {
  return std::distance(std::filesystem::directory_iterator(folder),
                       std::filesystem::directory_iterator());
}

TEST(Files, WritesReplacesAndReads) {
  test::TempFolder folder;
  const std::string long_text(3'000'000, 'x');
  DL_EXPECT_OK(AtomicWriteFile(folder / "f", ""));
  EXPECT_EQ(*ReadFile(folder / "f", 0), "");
  DL_EXPECT_OK(AtomicWriteFile(folder / "f", long_text));
  EXPECT_EQ(*ReadFile(folder / "f", 3'000'000), long_text);
  EXPECT_EQ(Entries(folder.path()), 1u) << "a temporary file was left";
}

TEST(Files, ReadRefusesBeyondTheLimit) {
  test::TempFolder folder;
  DL_EXPECT_OK(AtomicWriteFile(folder / "f", "12345"));
  EXPECT_EQ(*ReadFile(folder / "f", 5), "12345");
  EXPECT_THAT(ReadFile(folder / "f", 4),
              IsError(absl::StatusCode::kResourceExhausted, folder / "f"));
  EXPECT_THAT(ReadFile("/dev/zero", 100),
              IsError(absl::StatusCode::kResourceExhausted, "/dev/zero"));
}

TEST(Files, ErrorsNameThePath) {
  test::TempFolder folder;
  EXPECT_THAT(ReadFile(folder / "none", 10), IsError(absl::StatusCode::kNotFound, folder / "none"));
  EXPECT_THAT(ReadFile(folder.path(), 10),
              IsError(absl::StatusCode::kFailedPrecondition, folder.path()));
  EXPECT_THAT(AtomicWriteFile(folder / "no/f", "x"),
              IsError(absl::StatusCode::kNotFound, folder / "no/f"));
  DL_EXPECT_OK(AtomicWriteFile(folder / "f", "x"));
  EXPECT_FALSE(CreateFolders(folder / "f/g").ok());
  DL_EXPECT_OK(CreateFolders(folder / "a/b/c"));
  DL_EXPECT_OK(CreateFolders(folder / "a/b/c"));
  DL_EXPECT_OK(SyncFolder(folder / "a/b/c"));
  EXPECT_THAT(SyncFolder(folder / "none"), IsError(absl::StatusCode::kNotFound, folder / "none"));
}

TEST(Files, AFailureLeavesTheOldFileAndNothingElse) {
  test::TempFolder folder;
  DL_EXPECT_OK(AtomicWriteFile(folder / "f", "old"));
  for (const char* point : {"file.write", "file.sync", "file.rename"}) {
    DL_EXPECT_OK(ArmFailPoints(std::string(point) + "=error"));
    EXPECT_THAT(AtomicWriteFile(folder / "f", "new"), IsError(absl::StatusCode::kInternal, point));
    DL_EXPECT_OK(ArmFailPoints(""));
    EXPECT_EQ(*ReadFile(folder / "f", 10), "old");
    EXPECT_EQ(Entries(folder.path()), 1u);
  }
}

}  // namespace
}  // namespace dl
