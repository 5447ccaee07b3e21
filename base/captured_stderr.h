// The standard error of a child process, collected in memory.
#pragma once

#include <string>

#include "base/file_descriptor.h"
#include "base/process.h"

namespace dl {

// Must outlive Spawner::Start of the child. Not thread-safe.
class CapturedStderr {
 public:
  CapturedStderr();
  // Returns a value for SpawnOptions::err. If memory for the stream cannot be allocated, the child
  // inherits the standard error of this process.
  ChildOutput output() const;
  // Returns the text so far, at most its first 64 KiB.
  std::string Text() const;

 private:
  FileDescriptor fd_;
};

}  // namespace dl
