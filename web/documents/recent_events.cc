#include "web/documents/recent_events.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/limits.h"
#include "rpc/client_messages.h"

namespace dl::web {
namespace {

constexpr int kMaxAnswers = 100;

std::string TypeOf(const Json& event) { return event.value("type", ""); }
int64_t RoundOf(const Json& event) { return event.value("round", int64_t{0}); }

// Returns the events after number `after`, at most the last `wanted.max_count` of them.
StatusOr<std::vector<Json>> ReadAfter(rpc::ClientService& master, const EventsWanted& wanted,
                                      int64_t after) {
  std::vector<Json> events;
  for (int answers = 0; answers < kMaxAnswers; ++answers) {
    DL_ASSIGN_OR_RETURN(
        const rpc::EventsReply reply,
        master.Events({.job = wanted.job, .after = after}, limits::kControlDeadline));
    for (const std::string& text : reply.events) {
      DL_ASSIGN_OR_RETURN(Json event, ParseJson(text, wanted.job));
      const auto number = event.value("seq", int64_t{0});
      if (number == 0) continue;  // the result
      if (wanted.before > 0 && number >= wanted.before) return events;
      events.push_back(std::move(event));
      if (events.size() > 2 * wanted.max_count)
        events.erase(events.begin(), events.end() - static_cast<ptrdiff_t>(wanted.max_count));
    }
    // An answer may have few events although more follow, for example those after a restart.
    if (reply.terminal || reply.last <= after) break;
    after = reply.last;
  }
  return events;
}

}  // namespace

StatusOr<std::vector<Json>> ReadLastEvents(rpc::ClientService& master, const EventsWanted& wanted) {
  const auto count = static_cast<int64_t>(wanted.max_count);
  int64_t after = (wanted.before > 0 ? wanted.before - 1 : wanted.expected) - count;
  for (int64_t step = count;; step *= 4) {
    after = std::max<int64_t>(0, after);
    DL_ASSIGN_OR_RETURN(std::vector<Json> events, ReadAfter(master, wanted, after));
    if (events.size() >= wanted.max_count || after == 0) {
      if (events.size() > wanted.max_count) events.erase(events.begin(), events.end() - count);
      return events;
    }
    after -= step;
  }
}

int64_t ExpectedEvents(const Json& job) {
  return job.value("rounds", int64_t{0}) + 2 * job.value("epochs", int64_t{0});
}

Json NotableEvents(const std::vector<Json>& events, size_t count) {
  const auto newest = [&](const auto& is_wanted) {
    Json wanted = Json::array();
    for (auto event = events.rbegin(); event != events.rend() && wanted.size() < count; ++event) {
      if (is_wanted(TypeOf(*event))) wanted.push_back(*event);
    }
    return wanted;
  };
  const Json notable = newest([](const std::string& type) {
    return type != "round" && type != "epoch" && type != "checkpoint";
  });
  return notable.empty() ? newest([](const std::string& type) { return type != "round"; })
                         : notable;
}

Json EpochsOf(const std::vector<Json>& events, int64_t best_round) {
  std::vector<Json> epochs;  // ascending
  for (const Json& event : events) {
    const std::string type = TypeOf(event);
    if (type == "rollback")
      std::erase_if(epochs, [&](const Json& epoch) { return RoundOf(epoch) > RoundOf(event); });
    if (type != "epoch") continue;
    // An epoch that was computed again replaces the earlier one.
    std::erase_if(epochs, [&](const Json& epoch) { return RoundOf(epoch) >= RoundOf(event); });
    Json epoch = {{"epoch", event.value("epoch", int64_t{0})}, {"round", RoundOf(event)}};
    for (const char* split : {"train", "test"}) {
      if (event.contains(split)) epoch[split] = event[split];
    }
    if (best_round > 0 && RoundOf(event) == best_round) epoch["is_best"] = true;
    epochs.push_back(std::move(epoch));
  }
  std::ranges::reverse(epochs);
  return epochs;
}

std::string MarksOf(const std::vector<Json>& events) {
  std::string marks;
  int64_t round = 0;
  const auto add = [&](const char* kind) {
    if (round > 0) absl::StrAppend(&marks, marks.empty() ? "" : " ", kind, ":", round);
  };
  for (const Json& event : events) {
    const std::string type = TypeOf(event);
    if (type == "round" || type == "rollback") round = RoundOf(event);
    if (type == "state" && event.value("state", "") == "RECOVERING") add("restart");
    // The master's words for an executor whose session ended.
    if (type == "warning" && absl::StrContains(event.value("message", ""), " is gone ("))
      add("lost");
  }
  return marks;
}

}  // namespace dl::web
