// What can happen to a disk: it fills up, and bits change.
#pragma once

#include <cstdint>
#include <string>

#include "tests/support/temp_folder.h"

namespace dl::test {

// A disk of its own (a tmpfs), seen by this process and those that it starts, gone when they end.
class SmallDisk {
 public:
  explicit SmallDisk(int64_t bytes);
  ~SmallDisk();

  // Empty: it is there. Otherwise why it is not: this process may not mount.
  const std::string& refused() const { return refused_; }
  const std::string& path() const { return folder_.path(); }
  // As if something else had filled it up to here, and had gone away again.
  void Leave(int64_t bytes);
  void MakeRoom();

 private:
  TempFolder folder_;
  int64_t bytes_;
  std::string refused_;
};

// REQUIRES: the file has that byte.
void FlipBit(const std::string& file, int64_t byte, int bit);

}  // namespace dl::test
