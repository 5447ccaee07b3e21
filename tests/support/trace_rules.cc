#include "tests/support/trace_rules.h"

#include <map>
#include <set>
#include <utility>

#include "gtest/gtest.h"

namespace dl::test {
namespace {

struct Interval {
  int64_t begin = 0, end = 0;
};

}  // namespace

std::vector<Json> ExpectIsTrace(const std::string& text) {
  const auto trace = ParseJson(text, "the trace");
  EXPECT_TRUE(trace.ok()) << trace.status();
  if (!trace.ok()) return {};
  std::map<std::string, Interval> rounds;                // by the name of their event
  std::map<std::pair<int64_t, int64_t>, int64_t> lanes;  // when the last event ends
  std::set<std::pair<int64_t, int64_t>> named_lanes;
  std::set<int64_t> named_processes;
  std::vector<Json> units;
  for (const Json& event : (*trace)["traceEvents"]) {
    const auto process = event["pid"].get<int64_t>(), thread = event["tid"].get<int64_t>();
    if (event["ph"] == "M") {
      EXPECT_FALSE(event["args"]["name"].get<std::string>().empty());
      if (event["name"] == "process_name") named_processes.insert(process);
      if (event["name"] == "thread_name") named_lanes.emplace(process, thread);
      continue;
    }
    EXPECT_EQ(event["ph"], "X");
    const auto begin = event["ts"].get<int64_t>();
    const Interval interval{begin, begin + event["dur"].get<int64_t>()};
    EXPECT_GE(begin, 0);
    EXPECT_GE(interval.end, begin);
    EXPECT_TRUE(named_processes.contains(process) && named_lanes.contains({process, thread}));
    int64_t& busy_until = lanes[{process, thread}];
    EXPECT_GE(begin, busy_until) << event;
    busy_until = interval.end;
    if (process == 0) {
      rounds[event["name"].get<std::string>()] = interval;
      continue;
    }
    const bool is_evaluation = event["name"].get<std::string>().starts_with("evaluation");
    const Interval& round = rounds[(is_evaluation ? "evaluation " : "round ") +
                                   std::to_string(event["args"]["round"].get<int64_t>())];
    EXPECT_GE(interval.begin, round.begin) << event;
    EXPECT_LE(interval.end, round.end) << event;
    units.push_back(event);
  }
  return units;
}

}  // namespace dl::test
