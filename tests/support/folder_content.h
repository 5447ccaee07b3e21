// Files of a test: written, read and compared whole.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace dl::test {

// The whole file; empty when there is none.
std::string Content(const std::string& file);
// In place of what the file had; ends the test program when it cannot be written.
void WriteContent(const std::string& file, const std::string& content);
// As much of it as there is room for.
void FillDisk(const std::string& file, int64_t bytes);

// Regular files below `folder` whose name ends in `suffix`, by path.
std::vector<std::string> FilesEndingIn(const std::string& folder, const std::string& suffix);
// The largest of them. REQUIRES: there is one.
std::string LargestEndingIn(const std::string& folder, const std::string& suffix);
int64_t BytesBelow(const std::string& folder);
// Path and content of every file below `folder`.
std::map<std::string, std::string> Snapshot(const std::string& folder);

}  // namespace dl::test
