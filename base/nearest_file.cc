#include "base/nearest_file.h"

#include <filesystem>
#include <system_error>
#include <vector>

#include "base/suggest.h"
#include "base/utf8.h"

namespace dl {

namespace fs = std::filesystem;

std::string SuggestFile(const std::string& path) {
  constexpr size_t kMaxEntries = 10'000;  // bounds the time in a large folder
  std::error_code error;
  const fs::path folder = fs::path(path).parent_path();
  if (!folder.empty() && !fs::is_directory(folder, error))
    return "; there is no folder " + folder.string();
  std::vector<std::string> names;
  for (fs::directory_iterator it(folder.empty() ? "." : folder, error), end;
       !error && it != end && names.size() < kMaxEntries; it.increment(error)) {
    std::string name = it->path().filename().string();
    if (IsUtf8(name)) names.push_back(std::move(name));
  }
  return DidYouMean(fs::path(path).filename().string(), names);
}

}  // namespace dl
