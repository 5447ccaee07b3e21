// A folder of a test's own, and ways to damage what is in it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace dl::storage {

class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

// A tiny disk (tmpfs) mounted on a scratch folder; mounted() is false where the process may not
// mount.
class TinyDisk {
 public:
  explicit TinyDisk(int64_t bytes);
  ~TinyDisk();
  bool mounted() const { return mounted_; }
  const std::string& path() const { return folder_.path(); }

 private:
  ScratchFolder folder_;
  bool mounted_ = false;
};

// Regular files below `dir` whose name ends in `suffix`, the largest last.
std::vector<std::string> FilesEndingIn(const std::string& dir, const std::string& suffix);
int64_t BytesBelow(const std::string& dir);
void FlipBit(const std::string& path, int64_t offset);
std::string ReadFile(const std::string& path);
void WriteFile(const std::string& path, const std::string& content);
// Path and content of every file below `dir`.
std::map<std::string, std::string> Snapshot(const std::string& dir);

}  // namespace dl::storage
