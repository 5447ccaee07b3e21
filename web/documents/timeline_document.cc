#include "web/documents/timeline_document.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "web/documents/slot_assignment.h"
#include "web/documents/timeline_pages.h"

namespace dl::web {
namespace {

// Leases that a page shows, about.
constexpr int64_t kShownLeases = 2000;

struct Lease {
  std::string round;  // with "e" for an evaluation
  const Json* unit = nullptr;
  double opened = 0;          // ms of Unix time
  double begin = 0, end = 0;  // the same

  double Millis(const char* member) const { return unit->value(member, 0.0); }
  std::string HowEnded() const { return unit->value("end", ""); }
  bool IsUsed() const { return HowEnded() == "committed" || HowEnded() == "confirmed"; }
};

struct Slot {
  std::string name;
  std::vector<const Lease*> leases;  // by begin
};

std::string RoundText(const Json& round) {
  return absl::StrCat(round.value("round", int64_t{0}),
                      round.value("evaluation", false) ? "e" : "");
}

// A time with one decimal, without a zero at the end.
std::string TimeText(double ms) { return absl::StrCat(std::round(ms * 10) / 10); }

// Returns the leases of each executor, by begin.
std::map<std::string, std::vector<Lease>> LeasesByExecutor(const std::vector<Json>& answers) {
  std::map<std::string, std::vector<Lease>> leases;
  for (const Json& answer : answers) {
    const Json& names = answer.at("executors");
    for (const Json& round : answer.at("rounds")) {
      for (const Json& unit : round.at("units")) {
        const Json& index = unit.at("executor");
        Lease lease{
            .round = RoundText(round), .unit = &unit, .opened = round.value("opened_unix_ms", 0.0)};
        lease.begin = lease.opened + lease.Millis("start_ms");
        lease.end = lease.opened + lease.Millis("end_ms");
        leases[index.is_null() ? "other executors"
                               : names.at(index.get<size_t>()).get<std::string>()]
            .push_back(std::move(lease));
      }
    }
  }
  for (auto& [name, of_executor] : leases)
    std::ranges::stable_sort(of_executor, std::ranges::less{}, &Lease::begin);
  return leases;
}

std::vector<Slot> SlotsOf(const std::string& executor, const std::vector<Lease>& leases) {
  std::vector<LeaseTime> times;
  for (const Lease& lease : leases) times.push_back({.begin = lease.begin, .end = lease.end});
  const std::vector<size_t> numbers = AssignSlots(times);
  const size_t count = 1 + *std::ranges::max_element(numbers);
  std::vector<Slot> slots(count);
  for (size_t i = 0; i < count; ++i)
    slots[i].name = count == 1 ? executor : absl::StrCat(executor, ", slot ", i + 1);
  for (size_t i = 0; i < leases.size(); ++i) slots[numbers[i]].leases.push_back(&leases[i]);
  return slots;
}

std::string BarOf(const Lease& lease, double origin) {
  std::string text =
      absl::StrCat(lease.round, ",", lease.unit->value("unit", int64_t{0}), ",", lease.HowEnded());
  const double times[] = {lease.opened - origin + lease.Millis("leased_ms"),
                          lease.begin - origin,
                          lease.end - lease.begin,
                          lease.Millis("state_wait_ms"),
                          lease.Millis("data_wait_ms"),
                          lease.Millis("computing_ms"),
                          lease.Millis("sending_ms")};
  for (const double ms : times) absl::StrAppend(&text, ",", TimeText(ms));
  return text;
}

Json SlotJson(const Slot& slot, double origin, double length) {
  double computing = 0, data = 0, states = 0, busy = 0;
  int64_t unused = 0;
  std::string bars;
  for (const Lease* lease : slot.leases) {
    computing += lease->Millis("computing_ms");
    data += lease->Millis("data_wait_ms");
    states += lease->Millis("state_wait_ms");
    busy += lease->end - lease->begin;
    unused += lease->IsUsed() ? 0 : 1;
    absl::StrAppend(&bars, bars.empty() ? "" : " ", BarOf(*lease, origin));
  }
  return {{"name", slot.name},
          {"leases", slot.leases.size()},
          {"computing", computing / length},
          {"data_wait", data / length},
          {"state_wait", states / length},
          {"other", std::max(0.0, busy - computing - data - states) / length},
          {"unused", unused},
          {"is_lost", slot.leases.back()->HowEnded() == "lost"},
          {"bars", std::move(bars)}};
}

Json LeaseJson(const Lease& lease, const std::string& slot) {
  Json json = *lease.unit;
  const bool is_evaluation = lease.round.ends_with('e');
  json["round"] = std::stoll(lease.round);
  json["is_evaluation"] = is_evaluation;
  json["slot"] = slot;
  json["start_unix_ms"] = lease.begin;
  json["length_ms"] = lease.end - lease.begin;
  json["is_used"] = lease.IsUsed();
  return json;
}

// Returns the texts of all rounds, and sets the time when the first one was opened.
std::string RoundsText(const std::vector<Json>& answers, double& origin) {
  std::string text;
  for (const Json& answer : answers) {
    for (const Json& round : answer.at("rounds")) {
      const double opened = round.value("opened_unix_ms", 0.0);
      if (text.empty()) origin = opened;
      absl::StrAppend(&text, text.empty() ? "" : " ", RoundText(round), ",",
                      TimeText(opened - origin), ",", TimeText(round.value("length_ms", 0.0)));
    }
  }
  return text;
}

}  // namespace

Json TimelineDocument(const std::vector<Json>& answers) {
  double origin = 0;
  std::string rounds = RoundsText(answers, origin);
  const auto by_executor = LeasesByExecutor(answers);
  std::vector<Slot> slots;
  std::vector<std::pair<const Lease*, const Slot*>> newest;
  double begin = INFINITY, end = 0;
  for (const auto& [name, leases] : by_executor) {
    for (Slot& slot : SlotsOf(name, leases)) slots.push_back(std::move(slot));
    for (const Lease& lease : leases) {
      begin = std::min(begin, lease.begin);
      end = std::max(end, lease.end);
    }
  }
  Json document = {{"origin_unix_ms", origin},
                   {"rounds", std::move(rounds)},
                   {"slots", Json::array()},
                   {"leases", Json::array()}};
  for (const Slot& slot : slots) {
    document["slots"].push_back(SlotJson(slot, origin, std::max(1.0, end - begin)));
    for (const Lease* lease : slot.leases) newest.emplace_back(lease, &slot);
  }
  std::ranges::stable_sort(newest, std::ranges::greater{},
                           [](const auto& shown) { return shown.first->begin; });
  if (newest.size() > kListedLeases) newest.resize(kListedLeases);
  for (const auto& [lease, slot] : newest)
    document["leases"].push_back(LeaseJson(*lease, slot->name));
  return document;
}

StatusOr<Json> ReadTimeline(rpc::ClientService& master, const TimelineWanted& wanted) {
  DL_ASSIGN_OR_RETURN(const TimelinePages pages,
                      ReadTimelinePages(master, {.job = wanted.job,
                                                 .last = wanted.last,
                                                 .workers = wanted.workers,
                                                 .leases = kShownLeases}));
  if (pages.last < pages.first) return Json::object();
  Json document = TimelineDocument(pages.answers);
  document["from"] = pages.first;
  document["to"] = pages.last;
  if (pages.first > pages.oldest) document["earlier"] = pages.first - 1;
  document["is_newest"] = pages.last == pages.newest;
  return document;
}

}  // namespace dl::web
