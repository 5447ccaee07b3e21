#include "cli/jobs/followed_file.h"

#include <fstream>

#include "base/limits.h"
namespace dl::cli {

std::vector<std::string> FollowedFile::ReadNewLines() {
  std::vector<std::string> lines;
  // The file is opened again each time, because a shared file system then checks for changes.
  std::ifstream file(path_, std::ios::binary);
  if (!file.seekg(offset_)) return lines;
  std::string bytes(limits::kMaxFollowedLine, '\0');
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<size_t>(file.gcount()));
  offset_ += static_cast<int64_t>(bytes.size());
  partial_line_ += bytes;
  for (size_t end; (end = partial_line_.find('\n')) != std::string::npos;
       partial_line_.erase(0, end + 1))
    lines.push_back(partial_line_.substr(0, end));
  if (static_cast<int64_t>(partial_line_.size()) > limits::kMaxFollowedLine) {
    lines.push_back(std::move(partial_line_));
    partial_line_.clear();
  }
  return lines;
}

}  // namespace dl::cli
