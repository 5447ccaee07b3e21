// Simulates faults of a disk: a full disk, a disk that hangs, and flipped bits.
#pragma once

#include <cstdint>
#include <string>

#include "base/file_descriptor.h"
#include "tests/support/temp_folder.h"

namespace dl::test {

// A separate small file system (a tmpfs). Only this process and its children see it. It is removed
// when they end.
class SmallDisk {
 public:
  explicit SmallDisk(int64_t bytes);
  ~SmallDisk();

  // Returns why this process may not mount the disk. Empty: the disk is mounted.
  const std::string& refused() const { return refused_; }
  const std::string& path() const { return folder_.path(); }
  // Leaves this many bytes free, as if another program had filled the disk. MakeRoom() restores the
  // original size.
  void Leave(int64_t bytes);
  void MakeRoom();

 private:
  TempFolder folder_;
  int64_t bytes_;
  std::string refused_;
};

// A separate file system (ext4 in a file) that can be made to hang. Only this process and its
// children see it. A call that changes a frozen disk waits until Thaw, and nothing ends it: thaw
// the disk before waiting for the end of a process that uses it.
class FreezableDisk {
 public:
  FreezableDisk();
  ~FreezableDisk();

  // Returns why this process may not have the disk. Empty: the disk is mounted.
  const std::string& refused() const { return refused_; }
  const std::string& path() const { return folder_.path(); }
  void Freeze();
  void Thaw();  // does nothing if the disk is not frozen

 private:
  std::string Mount();  // returns why not

  TempFolder image_, folder_;
  FileDescriptor mounted_;  // the root of the disk
  std::string refused_;
};

// Inverts one bit of one byte of a file. REQUIRES: the file has that byte.
void FlipBit(const std::string& file, int64_t byte, int bit);

}  // namespace dl::test
