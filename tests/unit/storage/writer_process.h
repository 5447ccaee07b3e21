// Starts the storage_writer process and kills it.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/process.h"

namespace dl::storage {

// Time limit for the writer: a bound for a broken machine, not an expectation.
inline constexpr Duration kTimeout = std::chrono::minutes(10);

class WriterProcess {
 public:
  // `kind`: "meta" or "bulk"; `sync`: "keep" or "drop".
  WriterProcess(const std::string& kind, const std::string& dir, const std::string& sync);

  // Waits for `lines` acknowledgements, sends SIGKILL, and returns all lines that were written.
  std::vector<std::string> KillAfter(size_t lines);
  // Waits until the process ends. Returns its exit code, or -1 after a signal.
  int Wait();

 private:
  std::unique_ptr<ChildProcess> child_;
};

}  // namespace dl::storage
