#include "master/stored_events.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/limits.h"
#include "master/core/record_keys.h"
#include "master/core/records/event_sequence_record.h"
#include "master/stored.h"

namespace dl::master {
namespace {

struct StoredEvent {
  int64_t sequence = 0;
  Json json;
};

StatusOr<StoredEvent> Parse(std::string_view text, const std::string& key) {
  DL_ASSIGN_OR_RETURN(Json json, ParseStored(std::string(text), key));
  if (!json.is_object() || !json.contains("seq") || !json["seq"].is_number_integer())
    return DataLoss({.message = "a stored event has no sequence number", .where = key});
  return StoredEvent{json["seq"].get<int64_t>(), std::move(json)};
}

// Appends the first events after `after` with `prefix` in thousands `from` to `to`.
Status Collect(storage::MetaStore& store, const std::string& prefix, int64_t from, int64_t to,
               int64_t after, int64_t before, std::vector<StoredEvent>& events) {
  int64_t found = 0;
  for (int64_t thousand = from; thousand <= to; ++thousand) {
    if (found >= limits::kMaxEventsPerReply) break;
    const auto visit = [&](std::string_view key, std::string_view value) -> Status {
      if (found >= limits::kMaxEventsPerReply) return absl::OkStatus();
      DL_ASSIGN_OR_RETURN(StoredEvent event, Parse(value, std::string(key)));
      if (event.sequence <= after || event.sequence >= before) return absl::OkStatus();
      events.push_back(std::move(event));
      ++found;
      return absl::OkStatus();
    };
    DL_RETURN_IF_ERROR(store.Scan(keys::EventThousand(prefix, thousand * 1000), visit));
  }
  return absl::OkStatus();
}

// Returns the last thousand of the job's other events that begins at or before `after`.
StatusOr<int64_t> ThousandOf(storage::MetaStore& store, const std::string& job, int64_t others,
                             int64_t after) {
  const int64_t oldest = std::max<int64_t>(0, (others - limits::kMaxStoredEvents) / 1000 - 1);
  for (int64_t thousand = others / 1000; thousand > oldest; --thousand) {
    const std::string key = keys::Event(job, thousand * 1000);
    DL_ASSIGN_OR_RETURN(const std::optional<std::string> text, store.Get(key));
    if (!text) continue;
    DL_ASSIGN_OR_RETURN(const StoredEvent first, Parse(*text, key));
    if (first.sequence <= after + 1) return thousand;
  }
  return oldest;
}

}  // namespace

StatusOr<rpc::EventsReply> ReadStoredEvents(storage::MetaStore& store, const std::string& job,
                                            int64_t after, int64_t before) {
  rpc::EventsReply reply{.last = after};
  const std::string key = keys::EventSequence(job);
  DL_ASSIGN_OR_RETURN(const std::optional<std::string> text, store.Get(key));
  if (!text) return reply;
  DL_ASSIGN_OR_RETURN(const Json json, ParseStored(*text, key));
  DL_ASSIGN_OR_RETURN(const EventSequence told, EventSequenceFromJson(json, key));

  // Later events may be written between the reads of the two groups.
  const int64_t end = std::min(before, told.last + 1);
  std::vector<StoredEvent> events;
  DL_ASSIGN_OR_RETURN(const int64_t from, ThousandOf(store, job, told.others, after));
  DL_RETURN_IF_ERROR(
      Collect(store, keys::EventPrefix(job), from, told.others / 1000, after, end, events));
  const int64_t oldest_round =
      std::max<int64_t>(0, told.last - limits::kMaxStoredRoundEvents - 1000);
  DL_RETURN_IF_ERROR(Collect(store, keys::RoundEventPrefix(job),
                             std::max(after + 1, oldest_round) / 1000,
                             std::min(end, told.last) / 1000, after, end, events));
  std::ranges::sort(events, {}, &StoredEvent::sequence);
  int64_t bytes = 0;
  for (StoredEvent& event : events) {
    const bool result = event.json.value("type", "") == "result";
    if (result) event.json.erase("seq");
    std::string line = JsonText(event.json);
    bytes += static_cast<int64_t>(line.size());
    const bool full = bytes > limits::kMaxEventBytesPerReply ||
                      static_cast<int64_t>(reply.events.size()) == limits::kMaxEventsPerReply;
    if (full && !reply.events.empty()) break;
    reply.events.push_back(std::move(line));
    reply.last = event.sequence;
    reply.terminal = result && event.sequence == told.last;
  }
  return reply;
}

}  // namespace dl::master
