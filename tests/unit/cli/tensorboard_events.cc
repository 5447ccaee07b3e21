#include "tests/unit/cli/tensorboard_events.h"

#include <filesystem>
#include <system_error>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gtest/gtest.h"
#include "tests/unit/cli/submit_program.h"

namespace dl::cli {

std::vector<Json> ReadEventFile(const std::string& path) {
  const Ended read = Shell(
      absl::StrCat("python3 ", DL_SOURCE_FOLDER, "/tests/unit/cli/read_event_file.py ", path));
  EXPECT_EQ(read.code, 0) << read.out;
  std::vector<Json> events;
  for (const absl::string_view line : absl::StrSplit(read.out, '\n', absl::SkipEmpty()))
    events.push_back(Json::parse(std::string(line)));
  return events;
}

std::vector<std::string> FilesIn(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (std::filesystem::directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error))
    files.push_back(it->path().string());
  return files;
}

int64_t NumberOfEventFile(const std::string& path) {
  constexpr std::string_view kBefore = "/events.out.tfevents.";
  int64_t number = 0;
  EXPECT_TRUE(absl::SimpleAtoi(path.substr(path.rfind(kBefore) + kBefore.size(), 10), &number))
      << path;
  return number;
}

}  // namespace dl::cli
