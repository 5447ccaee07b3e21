#include "master/gateway/log_lines.h"

#include <utility>

#include "base/log.h"

namespace dl::master {

void LogLines::Write(std::string line) {
  constexpr size_t kMaxWaiting = 1000;
  if (thread_.pending() < kMaxWaiting) thread_.Post([line = std::move(line)] { LogInfo(line); });
}

}  // namespace dl::master
