// Executors whose sessions were lost and that may register again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "base/clock.h"

namespace dl::master {

struct Absence {
  Instant since;
  uint64_t incarnation = 0;
  std::set<std::string> jobs;  // Session::under_way when the session was lost
};

// Not thread-safe. Memory is bounded: beyond kMost executors the longest absences are forgotten.
class Absences {
 public:
  static constexpr size_t kMost = 4096;

  void Add(const std::string& executor, Absence absence);
  // Removes and returns the executor's absence. Returns an empty one (incarnation 0) if none
  // exists.
  Absence Take(const std::string& executor);
  // Whether an executor for which `counts` is true was lost at `time` or later and has not
  // returned.
  bool AnySince(Instant time, const std::function<bool(const std::string& executor)>& counts) const;

 private:
  std::map<std::string, Absence> by_name_;
  std::set<std::pair<Instant, std::string>> by_time_;
};

}  // namespace dl::master
