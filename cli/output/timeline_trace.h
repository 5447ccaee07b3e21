// Writes the timeline of a job in the trace event format of Chrome and Perfetto. Each executor is a
// process, and each lane a thread. A lane has leases that follow one another.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"

namespace dl::cli {

class TimelineTrace {
 public:
  explicit TimelineTrace(const std::string& job) : job_(job) {}

  // Return the parts of the file, in this order: one beginning, a text for each page of the query
  // `timeline` (docs/formats.md), one end. Page returns InvalidArgument if `page` is no such page.
  std::string Beginning();
  StatusOr<std::string> Page(const Json& page);
  static std::string End() { return "\n]}\n"; }

  // Counts of the pages so far: rounds of training without evaluations, leases of units of both,
  // and executors. All executors whose names the timeline does not keep count as one.
  int64_t rounds() const { return rounds_; }
  int64_t units() const { return units_; }
  int64_t executors() const { return std::ssize(executors_); }

 private:
  // An executor's lanes: when the last lease of each ends, in microseconds.
  struct Executor {
    int64_t process = 0;
    std::vector<int64_t> lanes;
  };

  // Add the events of a round.
  void AddRound(const Json& round, const std::vector<std::string>& names, std::string& text);
  void AddUnit(const Json& unit, const Json& round, const std::string& executor, std::string& text);
  Executor& ExecutorOf(const std::string& name, std::string& text);
  // Returns the first lane that is free at `start`, and occupies it until `end`.
  static size_t TakeLane(Executor& executor, int64_t start, int64_t end);

  const std::string job_;
  std::map<std::string, Executor> executors_;
  int64_t rounds_ = 0, units_ = 0;
  int64_t origin_us_ = -1;  // Unix time at which the file begins; -1: not known yet
};

}  // namespace dl::cli
