// What a child says on its standard error, kept in memory.
#pragma once

#include <string>

#include "base/file_descriptor.h"
#include "base/process.h"

namespace dl {

// Outlives the child's start. Not thread-safe.
class SaidOnStderr {
 public:
  SaidOnStderr();
  // For SpawnOptions::err; inherited where there is no memory for it.
  ChildOutput output() const;
  // So far, its first 64 KiB.
  std::string Text() const;

 private:
  FileDescriptor fd_;
};

}  // namespace dl
