// A temporary folder of a test. It is removed with all its content.
#pragma once

#include <filesystem>
#include <string>

namespace dl::test {

class TempFolder {
 public:
  TempFolder();   // created under TMPDIR, else /tmp; a failure ends the test program
  ~TempFolder();  // keeps the folder and prints its path if DL_KEEP_TEMP is set
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  // Writes a file in the folder. Returns its path.
  std::string Write(const std::string& name, const std::string& content) const;

 private:
  std::string path_;
};

}  // namespace dl::test
