// A folder for the stores of a benchmark. It is removed with its content.
#pragma once

#include <string>

namespace dl::bench {

class TemporaryFolder {
 public:
  TemporaryFolder();  // ends the program if the folder cannot be created
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace dl::bench
