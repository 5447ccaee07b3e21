// Reads the lines of a file to which another process appends.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace dl::cli {

// Not thread-safe.
class FollowedFile {
 public:
  explicit FollowedFile(std::string path) : path_(std::move(path)) {}
  // Returns the complete lines since the last call, without line ends. Returns none if the file
  // does not exist. Reads at most limits::kMaxFollowedLine bytes per call. A longer line is
  // returned in pieces.
  std::vector<std::string> Lines();

 private:
  const std::string path_;
  int64_t offset_ = 0;
  std::string rest_;  // a line without its end
};

}  // namespace dl::cli
