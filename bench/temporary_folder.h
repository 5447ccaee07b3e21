// A folder for a benchmark's stores, removed with everything in it.
#pragma once

#include <string>

namespace dl::bench {

class TemporaryFolder {
 public:
  TemporaryFolder();  // ends the program when it cannot be made
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace dl::bench
