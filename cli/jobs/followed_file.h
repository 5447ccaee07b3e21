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
  // Returns the next complete lines of the file, without line ends. Returns none if the file does
  // not exist or has no further complete line. Reads at most limits::kMaxFollowedLine bytes per
  // call, so a later call returns the other lines. A longer line is returned in pieces.
  std::vector<std::string> ReadNewLines();

 private:
  const std::string path_;
  int64_t offset_ = 0;
  std::string partial_line_;  // a line without its end
};

}  // namespace dl::cli
