#include "base/files.h"

#include <sys/stat.h>

#include <cerrno>
#include <filesystem>

#include "base/fail_point.h"
#include "base/system_error.h"
#include "base/thread.h"
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
              IsError(absl::StatusCode::kFailedPrecondition, folder / "no/f"));
  DL_EXPECT_OK(AtomicWriteFile(folder / "f", "x"));
  const Status on_a_file = CreateFolders(folder / "f/g");
  EXPECT_THAT(on_a_file, IsError(absl::StatusCode::kFailedPrecondition, "is a file"));
  EXPECT_EQ(SystemErrorNumber(on_a_file), ENOTDIR);
  DL_EXPECT_OK(CreateFolders(folder / "a/b/c"));
  DL_EXPECT_OK(CreateFolders(folder / "a/b/c"));
  DL_EXPECT_OK(SyncFolder(folder / "a/b/c"));
  EXPECT_THAT(SyncFolder(folder / "none"), IsError(absl::StatusCode::kNotFound, folder / "none"));
}

TEST(Files, FailedWriteKeepsOldFile) {
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

// Not replaced: a pipe that a process reads, a folder, a device.
TEST(Files, OnlyARegularFileIsReplaced) {
  test::TempFolder folder;
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  DL_EXPECT_OK(CreateFolders(folder / "folder"));
  for (const std::string& path : {folder / "pipe", folder / "folder"}) {
    EXPECT_THAT(AtomicWriteFile(path, "x"),
                IsError(absl::StatusCode::kFailedPrecondition, "not a regular file"));
  }
  EXPECT_TRUE(std::filesystem::is_fifo(folder / "pipe"));
  EXPECT_EQ(Entries(folder.path()), 2u);
}

auto Whole(std::string_view bytes) {
  return [bytes](ByteSink sink) { return sink(bytes); };
}

TEST(WriteOutputFile, KillDuringWriteKeepsOldFile) {
  test::TempFolder folder;
  DL_EXPECT_OK(AtomicWriteFile(folder / "x", "old"));
  const auto ends = [](ByteSink sink) -> Status {
    DL_RETURN_IF_ERROR(sink("ne"));
    return DataLoss({.message = "the rest is not there"});
  };
  EXPECT_THAT(WriteOutputFile(folder / "x", ends),
              IsError(absl::StatusCode::kDataLoss, "the rest is not there"));
  EXPECT_EQ(*ReadFile(folder / "x", 10), "old");
  EXPECT_EQ(Entries(folder.path()), 1u);
  DL_EXPECT_OK(WriteOutputFile(folder / "x", [](ByteSink sink) -> Status {
    DL_RETURN_IF_ERROR(sink("ne"));
    return sink("w");
  }));
  EXPECT_EQ(*ReadFile(folder / "x", 10), "new");
}

TEST(WriteOutputFile, GoesWhereLinksLead) {
  test::TempFolder folder;
  DL_EXPECT_OK(CreateFolders(folder / "there"));
  DL_EXPECT_OK(AtomicWriteFile(folder / "there/target", "old"));
  std::filesystem::create_symlink("there/target", folder / "link");
  std::filesystem::create_symlink(folder / "link", folder / "chain");
  std::filesystem::create_symlink("there/none", folder / "dangling");
  for (const char* name : {"link", "chain"}) {
    DL_EXPECT_OK(WriteOutputFile(folder / name, Whole(name)));
    EXPECT_TRUE(std::filesystem::is_symlink(folder / name)) << name;
    EXPECT_EQ(*ReadFile(folder / "there/target", 10), name);
  }
  DL_EXPECT_OK(WriteOutputFile(folder / "dangling", Whole("new")));
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "dangling"));
  EXPECT_EQ(*ReadFile(folder / "there/none", 10), "new");
  EXPECT_EQ(Entries(folder / "there"), 2u) << "a temporary file was left";

  std::filesystem::create_symlink("round", folder / "round");
  EXPECT_EQ(SystemErrorNumber(WriteOutputFile(folder / "round", Whole("x"))), ELOOP);
  EXPECT_EQ(SystemErrorNumber(WriteOutputFile(folder / "there", Whole("x"))), EISDIR);
}

TEST(WriteOutputFile, WritesIntoAPipe) {
  test::TempFolder folder;
  const std::string pipe = folder / "pipe", sent(300'000, 'x');  // more than a pipe buffers
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  Status written;
  Thread writer("writer", [&] { written = WriteOutputFile(pipe, Whole(sent)); });
  const StatusOr<std::string> got = ReadFile(pipe, 1 << 20);
  writer.Join();
  DL_EXPECT_OK(written);
  DL_ASSERT_OK(got);
  EXPECT_EQ(*got, sent);
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
  EXPECT_EQ(Entries(folder.path()), 1u);
}

TEST(WriteOutputFile, FullDeviceIsAnError) {
  if (!std::filesystem::is_character_file("/dev/full")) GTEST_SKIP() << "needs /dev/full";
  test::TempFolder folder;
  std::filesystem::create_symlink("/dev/full", folder / "full");
  const Status status = WriteOutputFile(folder / "full", Whole("x"));
  EXPECT_EQ(SystemErrorNumber(status), ENOSPC) << status;
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "full"));
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
}

}  // namespace
}  // namespace dl
