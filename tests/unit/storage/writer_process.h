// Starts the storage_writer and kills it.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace dl::storage {

class WriterProcess {
 public:
  // `kind`: "meta" or "bulk"; `sync`: "keep" or "drop".
  WriterProcess(const std::string& kind, const std::string& dir, const std::string& sync);
  ~WriterProcess();

  // Waits for `lines` acknowledgements, sends SIGKILL, and returns every line that was written
  // whole.
  std::vector<std::string> KillAfter(size_t lines);
  // Waits for its own end; the exit code.
  int Wait();

 private:
  pid_t pid_ = -1;
  int out_ = -1;
};

}  // namespace dl::storage
