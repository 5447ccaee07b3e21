#include "tests/unit/storage/scratch_folder.h"

#include <sys/mount.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "gtest/gtest.h"

namespace dl::storage {

namespace fs = std::filesystem;

ScratchFolder::ScratchFolder() {
  std::string pattern = (fs::temp_directory_path() / "storage-XXXXXX").string();
  EXPECT_NE(mkdtemp(pattern.data()), nullptr);
  path_ = pattern;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

TinyDisk::TinyDisk(int64_t bytes) {
  const std::string size = "size=" + std::to_string(bytes);
  mounted_ = mount("tmpfs", path().c_str(), "tmpfs", 0, size.c_str()) == 0;
}

TinyDisk::~TinyDisk() {
  if (mounted_) umount2(path().c_str(), MNT_DETACH);
}

std::vector<std::string> FilesEndingIn(const std::string& dir, const std::string& suffix) {
  std::vector<std::string> found;
  for (const auto& entry : fs::recursive_directory_iterator(dir)) {
    if (entry.is_regular_file() && entry.path().string().ends_with(suffix))
      found.push_back(entry.path().string());
  }
  std::sort(found.begin(), found.end(),
            [](const auto& a, const auto& b) { return fs::file_size(a) < fs::file_size(b); });
  return found;
}

int64_t BytesBelow(const std::string& dir) {
  int64_t bytes = 0;
  for (const std::string& file : FilesEndingIn(dir, "")) bytes += fs::file_size(file);
  return bytes;
}

std::string ReadFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

void WriteFile(const std::string& path, const std::string& content) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
}

void FlipBit(const std::string& path, int64_t offset) {
  std::string content = ReadFile(path);
  ASSERT_LT(offset, static_cast<int64_t>(content.size()));
  content[offset] ^= 0x10;
  WriteFile(path, content);
}

std::map<std::string, std::string> Snapshot(const std::string& dir) {
  std::map<std::string, std::string> files;
  for (const std::string& file : FilesEndingIn(dir, "")) files[file] = ReadFile(file);
  return files;
}

}  // namespace dl::storage
