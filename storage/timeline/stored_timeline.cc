#include "storage/timeline/stored_timeline.h"

#include "absl/strings/numbers.h"

namespace dl::storage {

StatusOr<TimelineRounds> StoredTimeline::Rounds() const {
  const std::string key = timeline_keys::Rounds(job_);
  DL_ASSIGN_OR_RETURN(const std::optional<std::string> text, store_.Get(key));
  if (!text) return TimelineRounds();
  return ParseTimelineRounds(*text, key);
}

StatusOr<std::map<std::string, int32_t>> StoredTimeline::Executors() const {
  std::map<std::string, int32_t> numbers;
  const std::string prefix = timeline_keys::ExecutorPrefix(job_);
  DL_RETURN_IF_ERROR(
      store_.Scan(prefix, [&](std::string_view key, std::string_view name) -> Status {
        int32_t number = 0;
        if (!absl::SimpleAtoi(std::string(key.substr(prefix.size())), &number) || number < 1)
          return DataLoss(
              {.message = "the number of an executor is damaged", .where = std::string(key)});
        numbers.emplace(name, number);
        return absl::OkStatus();
      }));
  return numbers;
}

StatusOr<std::string> StoredTimeline::ExecutorName(int32_t number) const {
  DL_ASSIGN_OR_RETURN(std::optional<std::string> name,
                      store_.Get(timeline_keys::Executor(job_, number)));
  return name.value_or("");
}

StatusOr<std::optional<RoundTimeline>> StoredTimeline::Training(int64_t round) const {
  return TimelineOf(timeline_keys::Training(job_, round));
}

StatusOr<std::optional<RoundTimeline>> StoredTimeline::Evaluation(int64_t round) const {
  return TimelineOf(timeline_keys::Evaluation(job_, round));
}

StatusOr<std::optional<RoundTimeline>> StoredTimeline::TimelineOf(const std::string& key) const {
  DL_ASSIGN_OR_RETURN(const std::optional<std::string> bytes, store_.Get(key));
  if (!bytes) return std::nullopt;
  DL_ASSIGN_OR_RETURN(RoundTimeline round, DecodeTimeline(*bytes));
  return std::optional(std::move(round));
}

}  // namespace dl::storage
