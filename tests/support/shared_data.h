// Real data sets, where the machine has them: a folder shared/data in one of the folders around the
// program.
#pragma once

#include <filesystem>
#include <string>
#include <system_error>

namespace dl::test {

// The folder of a set, with a slash; empty where it is not there, and a test of it is skipped.
inline std::string SharedData(const std::string& set) {
  std::error_code error;
  auto folder = std::filesystem::read_symlink("/proc/self/exe", error);
  while (folder.has_relative_path()) {
    folder = folder.parent_path();
    const auto found = folder / "shared" / "data" / set;
    if (std::filesystem::is_directory(found, error)) return found.string() + "/";
  }
  return "";
}

}  // namespace dl::test

#define DL_SKIP_WITHOUT(folder)                                             \
  if ((folder).empty())                                                     \
  GTEST_SKIP() << "the folders around this program have no shared/data of " \
                  "it"
