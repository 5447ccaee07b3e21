#include "tests/support/folder_content.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>

#include "base/status.h"

namespace dl::test {

namespace fs = std::filesystem;

std::string Content(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::string content;
  std::array<char, 64 << 10> some;  // files of /proc do not report their size
  while (in.read(some.data(), some.size()) || in.gcount() > 0)
    content.append(some.data(), static_cast<size_t>(in.gcount()));
  return content;
}

void WriteContent(const std::string& file, const std::string& content) {
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out << content;
  out.close();
  DL_CHECK(out.good());
}

void FillDisk(const std::string& file, int64_t bytes) {
  std::ofstream(file, std::ios::binary | std::ios::trunc) << std::string(bytes, 'x');
}

std::vector<std::string> FilesEndingIn(const std::string& folder, const std::string& suffix) {
  std::vector<std::string> found;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file() && entry.path().string().ends_with(suffix))
      found.push_back(entry.path().string());
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::string LargestEndingIn(const std::string& folder, const std::string& suffix) {
  const std::vector<std::string> files = FilesEndingIn(folder, suffix);
  DL_CHECK(!files.empty());
  return *std::max_element(files.begin(), files.end(), [](const auto& a, const auto& b) {
    return fs::file_size(a) < fs::file_size(b);
  });
}

int64_t BytesBelow(const std::string& folder) {
  int64_t bytes = 0;
  for (const std::string& file : FilesEndingIn(folder, "")) bytes += fs::file_size(file);
  return bytes;
}

std::map<std::string, std::string> Snapshot(const std::string& folder) {
  std::map<std::string, std::string> files;
  for (const std::string& file : FilesEndingIn(folder, "")) files[file] = Content(file);
  return files;
}

}  // namespace dl::test
