#include "storage/unsynced_loss_env.h"

#include <filesystem>

#include "gtest/gtest.h"
#include "rocksdb/file_system.h"
#include "tests/unit/storage/scratch_folder.h"

namespace dl::storage {
namespace {

std::string ReadThrough(rocksdb::FileSystem& files, const std::string& path) {
  std::unique_ptr<rocksdb::FSSequentialFile> file;
  EXPECT_TRUE(files.NewSequentialFile(path, {}, &file, nullptr).ok());
  char scratch[64];
  rocksdb::Slice read;
  EXPECT_TRUE(file->Read(sizeof(scratch), {}, &read, scratch, nullptr).ok());
  return read.ToString();
}

TEST(UnsyncedLossEnv, OnlySyncedBytesReachTheRealFile) {
  ScratchFolder scratch;
  const auto files = NewUnsyncedLossFileSystem();
  const std::string path = scratch / "file", moved = scratch / "moved";
  std::unique_ptr<rocksdb::FSWritableFile> file;
  ASSERT_TRUE(files->NewWritableFile(path, {}, &file, nullptr).ok());
  ASSERT_TRUE(file->Append("one", {}, nullptr).ok());
  ASSERT_TRUE(file->Flush({}, nullptr).ok());
  EXPECT_EQ(ReadFile(path), "");
  EXPECT_EQ(ReadThrough(*files, path), "one");
  ASSERT_TRUE(file->Sync({}, nullptr).ok());
  EXPECT_EQ(ReadFile(path), "one");
  ASSERT_TRUE(file->Append("two", {}, nullptr).ok());
  EXPECT_EQ(file->GetFileSize({}, nullptr), 6u);
  ASSERT_TRUE(file->Close({}, nullptr).ok());
  EXPECT_EQ(ReadFile(path), "one");  // closing does not sync

  ASSERT_TRUE(files->RenameFile(path, moved, {}, nullptr).ok());
  uint64_t size = 0;
  ASSERT_TRUE(files->GetFileSize(moved, {}, &size, nullptr).ok());
  EXPECT_EQ(size, 6u);
  EXPECT_EQ(ReadThrough(*files, moved), "onetwo");
  ASSERT_TRUE(files->ReopenWritableFile(moved, {}, &file, nullptr).ok());
  ASSERT_TRUE(file->Sync({}, nullptr).ok());
  EXPECT_EQ(ReadFile(moved), "onetwo");
}

}  // namespace
}  // namespace dl::storage
