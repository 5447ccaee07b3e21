#include "storage/unsynced_loss_env.h"

#include <filesystem>

#include "gtest/gtest.h"
#include "rocksdb/file_system.h"
#include "tests/support/folder_content.h"
#include "tests/support/temp_folder.h"

namespace dl::storage {
namespace {

using test::Content;
using test::TempFolder;

std::string ReadThrough(rocksdb::FileSystem& files, const std::string& path) {
  std::unique_ptr<rocksdb::FSSequentialFile> file;
  EXPECT_TRUE(files.NewSequentialFile(path, {}, &file, nullptr).ok());
  char folder[64];
  rocksdb::Slice read;
  EXPECT_TRUE(file->Read(sizeof(folder), {}, &read, folder, nullptr).ok());
  return read.ToString();
}

TEST(UnsyncedLossEnv, OnlySyncedBytesReachTheRealFile) {
  TempFolder folder;
  const auto files = NewUnsyncedLossFileSystem();
  const std::string path = folder / "file", moved = folder / "moved";
  std::unique_ptr<rocksdb::FSWritableFile> file;
  ASSERT_TRUE(files->NewWritableFile(path, {}, &file, nullptr).ok());
  ASSERT_TRUE(file->Append("one", {}, nullptr).ok());
  ASSERT_TRUE(file->Flush({}, nullptr).ok());
  EXPECT_EQ(Content(path), "");
  EXPECT_EQ(ReadThrough(*files, path), "one");
  ASSERT_TRUE(file->Sync({}, nullptr).ok());
  EXPECT_EQ(Content(path), "one");
  ASSERT_TRUE(file->Append("two", {}, nullptr).ok());
  EXPECT_EQ(file->GetFileSize({}, nullptr), 6u);
  ASSERT_TRUE(file->Close({}, nullptr).ok());
  EXPECT_EQ(Content(path), "one");  // closing does not sync

  ASSERT_TRUE(files->RenameFile(path, moved, {}, nullptr).ok());
  uint64_t size = 0;
  ASSERT_TRUE(files->GetFileSize(moved, {}, &size, nullptr).ok());
  EXPECT_EQ(size, 6u);
  EXPECT_EQ(ReadThrough(*files, moved), "onetwo");
  ASSERT_TRUE(files->ReopenWritableFile(moved, {}, &file, nullptr).ok());
  ASSERT_TRUE(file->Sync({}, nullptr).ok());
  EXPECT_EQ(Content(moved), "onetwo");
}

}  // namespace
}  // namespace dl::storage
