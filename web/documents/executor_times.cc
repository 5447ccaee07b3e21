#include "web/documents/executor_times.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>

#include "base/json.h"
#include "web/documents/timeline_pages.h"

namespace dl::web {
namespace {

struct UnitTimes {
  double length = 0, computing = 0, data_wait = 0, state_wait = 0, sending = 0;  // ms
};

// Returns whether the unit was computed to its end. If it was overtaken, only an executor that
// finished it has announced a time.
bool HasResult(const Json& unit) {
  constexpr std::array<std::string_view, 4> kEnds = {"committed", "confirmed", "contradicted",
                                                     "distrusted"};
  const std::string end = unit.value("end", "");
  if (end == "overtaken") return unit.value("computing_ms", 0.0) > 0;
  return std::ranges::find(kEnds, end) != kEnds.end();
}

std::map<std::string, std::vector<UnitTimes>> UnitsByExecutor(const std::vector<Json>& answers) {
  std::map<std::string, std::vector<UnitTimes>> units;
  for (const Json& answer : answers) {
    const Json& names = answer.at("executors");
    for (const Json& round : answer.at("rounds")) {
      if (round.value("evaluation", false)) continue;
      for (const Json& unit : round.at("units")) {
        const Json& index = unit.at("executor");
        if (index.is_null() || !HasResult(unit)) continue;
        const auto ms = [&](const char* member) { return unit.value(member, 0.0); };
        units[names.at(index.get<size_t>()).get<std::string>()].push_back(
            {.length = ms("end_ms") - ms("start_ms"),
             .computing = ms("computing_ms"),
             .data_wait = ms("data_wait_ms"),
             .state_wait = ms("state_wait_ms"),
             .sending = ms("sending_ms")});
      }
    }
  }
  return units;
}

// REQUIRES: there is a value.
double MedianOf(std::vector<double> values) {
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::ranges::nth_element(values, middle);
  return *middle;
}

double MedianOf(const std::vector<UnitTimes>& units, double UnitTimes::*time) {
  std::vector<double> values;
  for (const UnitTimes& unit : units) values.push_back(unit.*time);
  return MedianOf(std::move(values));
}

ExecutorTimes SumOf(const std::string& executor, const std::vector<UnitTimes>& units) {
  ExecutorTimes times{.executor = executor, .units = std::ssize(units)};
  double length = 0;
  for (const UnitTimes& unit : units) {
    length += unit.length;
    times.computing += unit.computing;
    times.data_wait += unit.data_wait;
    times.state_wait += unit.state_wait;
  }
  length = std::max(length, 1e-3);  // stored times are rounded down, so all may be 0
  for (double* share : {&times.computing, &times.data_wait, &times.state_wait})
    *share = std::min(1.0, *share / length);
  times.other = std::max(0.0, 1 - times.computing - times.data_wait - times.state_wait);
  times.median_unit_ms = MedianOf(units, &UnitTimes::length);
  times.median_sending_ms = MedianOf(units, &UnitTimes::sending);
  return times;
}

}  // namespace

std::vector<ExecutorTimes> FindExecutorTimes(const std::vector<Json>& answers) {
  std::vector<ExecutorTimes> executors;
  for (const auto& [name, units] : UnitsByExecutor(answers))
    executors.push_back(SumOf(name, units));
  std::vector<double> sorted;
  for (const ExecutorTimes& one : executors) sorted.push_back(one.median_unit_ms);
  std::ranges::sort(sorted);
  const size_t middle = executors.empty() ? 0 : (executors.size() - 1) / 2;
  for (ExecutorTimes& one : executors) {
    if (executors.size() == 1) break;
    const auto own = std::ranges::lower_bound(sorted, one.median_unit_ms) - sorted.begin();
    const double others = sorted[static_cast<size_t>(own) <= middle ? middle + 1 : middle];
    if (others > 0) one.relative = one.median_unit_ms / others;
  }
  return executors;
}

StatusOr<std::vector<ExecutorTimes>> ReadExecutorTimes(rpc::ClientService& master,
                                                       const std::string& job, int64_t workers) {
  constexpr int64_t kLeases = 256;
  DL_ASSIGN_OR_RETURN(
      const TimelinePages pages,
      ReadTimelinePages(master, {.job = job, .workers = workers, .leases = kLeases}));
  return FindExecutorTimes(pages.answers);
}

Json ToJson(const std::vector<ExecutorTimes>& executors) {
  Json list = Json::array();
  for (const ExecutorTimes& one : executors) {
    list.push_back({{"executor", one.executor},
                    {"units", one.units},
                    {"computing", one.computing},
                    {"data_wait", one.data_wait},
                    {"state_wait", one.state_wait},
                    {"other", one.other},
                    {"median_unit_ms", one.median_unit_ms},
                    {"median_sending_ms", one.median_sending_ms},
                    {"relative", one.relative > 0 ? Json(one.relative) : Json()}});
  }
  return list;
}

}  // namespace dl::web
