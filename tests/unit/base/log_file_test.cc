#include "base/log_file.h"

#include <cstdlib>
#include <filesystem>

#include "absl/strings/str_cat.h"
#include "base/files.h"
#include "base/limits.h"
#include "base/process.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"

namespace dl {
namespace {

// The process writes three times the size limit of a log file.
TEST(LogFile, FullFileIsReplacedWhileTheProcessRuns) {
  const test::TempFolder folder;
  const std::string path = folder / "log";
  auto child = Spawner::Real().Start(
      {.argv = {std::string(std::getenv("DL_BIN")) + "/base_test_child", "long-log", path},
       .err = ChildOutput::File(folder / "before")});
  DL_ASSERT_OK(child);
  EXPECT_EQ(*(*child)->Wait(std::chrono::minutes(10)), ExitStatus{});
  const auto size = [](const std::string& file) {
    return static_cast<int64_t>(std::filesystem::file_size(file));
  };
  EXPECT_EQ(size(folder / "before"), 0);
  EXPECT_LE(size(path), limits::kMaxLogBytes + (64 << 10));
  EXPECT_LE(size(path + ".old"), limits::kMaxLogBytes + (64 << 10));
  EXPECT_GE(size(path) + size(path + ".old"), limits::kMaxLogBytes);
  // Text that is written to standard error directly is in the file too.
  const std::string last = *ReadFile(path, 2 * limits::kMaxLogBytes);
  EXPECT_TRUE(last.ends_with("the end\n")) << last.substr(last.size() - 200);
}

TEST(LogFile, FileThatCannotBeMadeIsAnError) {
  EXPECT_THAT(LogFile("/no/such/folder/log").Open(),
              test::IsError(absl::StatusCode::kNotFound, "/no/such/folder/log"));
}

}  // namespace
}  // namespace dl
