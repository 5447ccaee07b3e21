#include "cli/jobs/followed_file.h"

#include <fstream>

#include "base/limits.h"
namespace dl::cli {

std::vector<std::string> FollowedFile::Lines() {
  std::vector<std::string> lines;
  // The file is opened again each time, because a shared file system then checks for changes.
  std::ifstream file(path_, std::ios::binary);
  if (!file.seekg(offset_)) return lines;
  std::string bytes(limits::kMaxFollowedLine, '\0');
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<size_t>(file.gcount()));
  offset_ += static_cast<int64_t>(bytes.size());
  rest_ += bytes;
  for (size_t end; (end = rest_.find('\n')) != std::string::npos; rest_.erase(0, end + 1))
    lines.push_back(rest_.substr(0, end));
  if (static_cast<int64_t>(rest_.size()) > limits::kMaxFollowedLine) {
    lines.push_back(std::move(rest_));
    rest_.clear();
  }
  return lines;
}

}  // namespace dl::cli
