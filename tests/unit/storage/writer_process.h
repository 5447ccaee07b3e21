// Starts the storage_writer and kills it.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/process.h"

namespace dl::storage {

// Of a writer: a bound for a broken machine, not an expectation.
inline constexpr Duration kPatience = std::chrono::minutes(10);

class WriterProcess {
 public:
  // `kind`: "meta" or "bulk"; `sync`: "keep" or "drop".
  WriterProcess(const std::string& kind, const std::string& dir, const std::string& sync);

  // Waits for `lines` acknowledgements, sends SIGKILL, and returns every line that was written.
  std::vector<std::string> KillAfter(size_t lines);
  // Waits for its own end; the exit code, -1 when a signal ended it.
  int Wait();

 private:
  std::unique_ptr<ChildProcess> child_;
};

}  // namespace dl::storage
