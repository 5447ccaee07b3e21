#include "cli/output/timeline_trace.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"

namespace dl::cli {
namespace {

constexpr int64_t kJobProcess = 0;
constexpr const char* kTimes[] = {"leased_ms",    "start_ms",      "end_ms",    "computing_ms",
                                  "data_wait_ms", "state_wait_ms", "sending_ms"};

int64_t Micros(const Json& ms) { return std::llround(ms.get<double>() * 1000); }

bool IsInteger(const Json& json, const char* key) {
  return json.contains(key) && json[key].is_number_integer();
}
bool IsNumber(const Json& json, const char* key) {
  return json.contains(key) && json[key].is_number();
}

bool IsUnit(const Json& unit, size_t executors) {
  if (!unit.is_object() || !IsInteger(unit, "unit") || !unit.contains("executor") ||
      !unit.contains("end") || !unit["end"].is_string())
    return false;
  const Json& executor = unit["executor"];
  const bool known = executor.is_number_integer() && executor.get<int64_t>() >= 0 &&
                     executor.get<uint64_t>() < executors;
  return (known || executor.is_null()) &&
         std::ranges::all_of(kTimes, [&](const char* key) { return IsNumber(unit, key); });
}

bool IsPage(const Json& page) {
  if (!page.is_object() || !page.contains("executors") || !page.contains("rounds") ||
      !page["executors"].is_array() || !page["rounds"].is_array())
    return false;
  for (const Json& name : page["executors"]) {
    if (!name.is_string()) return false;
  }
  for (const Json& round : page["rounds"]) {
    if (!round.is_object() || !IsInteger(round, "round") || !IsNumber(round, "opened_unix_ms") ||
        !IsNumber(round, "length_ms") || !round.contains("units") || !round["units"].is_array())
      return false;
    for (const Json& unit : round["units"]) {
      if (!IsUnit(unit, page["executors"].size())) return false;
    }
  }
  return true;
}

void Append(const Json& event, std::string& text) {
  absl::StrAppend(&text, ",\n", JsonText(event));
}

Json NameEvent(const char* what, int64_t process, int64_t thread, const std::string& name) {
  return {
      {"ph", "M"}, {"name", what}, {"pid", process}, {"tid", thread}, {"args", {{"name", name}}}};
}

}  // namespace

std::string TimelineTrace::Beginning() {
  std::string text = "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n";
  text += JsonText(NameEvent("process_name", kJobProcess, 0, job_));
  Append(NameEvent("thread_name", kJobProcess, 0, "rounds"), text);
  return text;
}

StatusOr<std::string> TimelineTrace::Page(const Json& page) {
  if (!IsPage(page))
    return InvalidArgument({.message = "the master's answer is no timeline", .where = job_});
  std::vector<std::string> names;
  for (const Json& name : page["executors"]) names.push_back(name.get<std::string>());
  std::string text;
  for (const Json& round : page["rounds"]) AddRound(round, names, text);
  return text;
}

void TimelineTrace::AddRound(const Json& round, const std::vector<std::string>& names,
                             std::string& text) {
  const int64_t opened = Micros(round["opened_unix_ms"]);
  if (origin_us_ < 0) origin_us_ = opened;
  const bool is_evaluation = round.contains("evaluation");
  if (!is_evaluation) ++rounds_;
  Append({{"ph", "X"},
          {"name",
           absl::StrCat(is_evaluation ? "evaluation " : "round ", round["round"].get<int64_t>())},
          {"pid", kJobProcess},
          {"tid", 0},
          {"ts", opened - origin_us_},
          {"dur", Micros(round["length_ms"])},
          {"args", {{"opened_unix_ms", round["opened_unix_ms"]}}}},
         text);
  std::vector<const Json*> units;
  for (const Json& unit : round["units"]) units.push_back(&unit);
  std::ranges::stable_sort(units, {}, [](const Json* unit) { return Micros((*unit)["start_ms"]); });
  for (const Json* unit : units) {
    const Json& executor = (*unit)["executor"];
    AddUnit(*unit, round, executor.is_null() ? "other executors" : names[executor.get<size_t>()],
            text);
  }
}

void TimelineTrace::AddUnit(const Json& unit, const Json& round, const std::string& executor,
                            std::string& text) {
  ++units_;
  Executor& of = ExecutorOf(executor, text);
  const int64_t opened = Micros(round["opened_unix_ms"]) - origin_us_;
  const int64_t start = opened + Micros(unit["start_ms"]), end = opened + Micros(unit["end_ms"]);
  const size_t lanes = of.lanes.size();
  const size_t lane = TakeLane(of, start, end);
  const auto thread = static_cast<int64_t>(lane);
  if (lane == lanes)
    Append(NameEvent("thread_name", of.process, thread, absl::StrCat("lane ", lane + 1)), text);
  Json args = unit;
  for (const char* key : {"executor", "start_ms", "end_ms"}) args.erase(key);
  args["round"] = round["round"];
  Append({{"ph", "X"},
          {"name", absl::StrCat(round.contains("evaluation") ? "evaluation unit " : "unit ",
                                unit["unit"].get<int64_t>())},
          {"cat", unit["end"]},
          {"pid", of.process},
          {"tid", thread},
          {"ts", start},
          {"dur", end - start},
          {"args", std::move(args)}},
         text);
}

TimelineTrace::Executor& TimelineTrace::ExecutorOf(const std::string& name, std::string& text) {
  const auto [found, is_new] = executors_.try_emplace(name);
  if (is_new) {
    found->second.process = std::ssize(executors_);
    Append(NameEvent("process_name", found->second.process, 0, name), text);
  }
  return found->second;
}

size_t TimelineTrace::TakeLane(Executor& executor, int64_t start, int64_t end) {
  const auto free =
      std::ranges::find_if(executor.lanes, [&](int64_t busy_until) { return busy_until <= start; });
  const auto lane = static_cast<size_t>(free - executor.lanes.begin());
  if (free == executor.lanes.end())
    executor.lanes.push_back(end);
  else
    *free = end;
  return lane;
}

}  // namespace dl::cli
