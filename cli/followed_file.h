// The lines of a file that another process appends to.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace dl::cli {

// Not thread-safe.
class FollowedFile {
 public:
  explicit FollowedFile(std::string path) : path_(std::move(path)) {}
  // Whole lines that came since the last call, without their ends; none while there is no file. At
  // most limits::kMaxFollowedLine bytes a call, and a longer line is cut there.
  std::vector<std::string> Lines();

 private:
  const std::string path_;
  int64_t offset_ = 0;
  std::string rest_;  // a line that has no end yet
};

}  // namespace dl::cli
