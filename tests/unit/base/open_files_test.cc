#include "base/open_files.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "base/limits.h"

namespace dl {
namespace {

TEST(OpenFilesTest, LimitIsRaisedToHardLimit) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit low = before;
  low.rlim_cur = 100;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &low), 0);
  const int64_t files = RaiseOpenFileLimit();
  rlimit raised{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &raised), 0);
  EXPECT_EQ(raised.rlim_cur, before.rlim_max);
  EXPECT_GT(files, 100);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
}

TEST(OpenFilesTest, ConnectionsNeverTakeWhatTheStoresNeed) {
  for (const int64_t files : {200, 256, 1024, 4096, 1 << 20}) {
    const int64_t connections = ConnectionsOf(files);
    EXPECT_GE(connections, 10) << files;
    // Each connection may need another file in addition to its own.
    EXPECT_LE(2 * connections + 2 * TableFilesOf(files) + limits::kReservedFiles, files) << files;
  }
  EXPECT_EQ(ConnectionsOf(10), 1);
  EXPECT_EQ(TableFilesOf(1 << 20), limits::kMaxOpenTableFiles);
  EXPECT_EQ(ConnectionsOfOneAddress(ConnectionsOf(128)), 7);
}

}  // namespace
}  // namespace dl
