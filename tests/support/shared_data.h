// Finds real data sets if this machine has them. They lie in a folder shared/data next to the
// program or in a folder above it.
#pragma once

#include <filesystem>
#include <string>
#include <system_error>

namespace dl::test {

// Returns the folder of a data set, with a slash at the end. Returns "" if it does not exist; the
// test is then skipped.
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
