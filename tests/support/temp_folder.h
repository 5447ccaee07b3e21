// A folder of a test's own, removed with everything in it.
#pragma once

#include <filesystem>
#include <string>

namespace dl::test {

class TempFolder {
 public:
  TempFolder();   // under TMPDIR, else /tmp; ends the test program when it cannot be made
  ~TempFolder();  // keeps the folder when DL_KEEP_TEMP is set, and says where it is
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  // A file in it; its path.
  std::string Write(const std::string& name, const std::string& content) const;

 private:
  std::string path_;
};

}  // namespace dl::test
