// Writes, reads and compares whole files of a test.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace dl::test {

// Returns the whole content of a file. Empty if the file does not exist.
std::string Content(const std::string& file);
// Replaces the content of a file. Ends the test program if the file cannot be written.
void WriteContent(const std::string& file, const std::string& content);
// Writes a file of `bytes` bytes, or as much of it as fits on the disk.
void FillDisk(const std::string& file, int64_t bytes);

// Returns the paths of the regular files below `folder` whose names end in `suffix`, sorted.
std::vector<std::string> FilesEndingIn(const std::string& folder, const std::string& suffix);
// Returns the largest file below `folder` that ends in `suffix`. REQUIRES: such a file exists.
std::string LargestEndingIn(const std::string& folder, const std::string& suffix);
int64_t BytesBelow(const std::string& folder);
// Returns the content of every file below `folder`, by path.
std::map<std::string, std::string> Snapshot(const std::string& folder);

}  // namespace dl::test
