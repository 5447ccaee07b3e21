// Records and keys of a job's timeline in the meta store (docs/formats.md, "Timeline").
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/document_kind.h"
#include "base/status.h"
#include "storage/meta_store.h"
#include "storage/timeline/round_timeline.h"

namespace dl::storage {

// The timeline has at least this many of the newest rounds, and at most a thousand more.
inline constexpr int64_t kTimelineRounds = 20'000;
// Executors that have a number. Names of further executors are not recorded.
inline constexpr int32_t kMostTimelineExecutors = 4096;

// The rounds that are recorded and count, inclusive; none if `last` is below `first`. Records of
// other rounds are ignored.
struct TimelineRounds {
  int64_t first = 1, last = 0;

  bool operator==(const TimelineRounds&) const = default;
};

inline constexpr DocumentKind kTimelineRoundsDocument({.name = "timeline rounds", .version = 1});

// Convert between the record and its text, a JSON document. Parsing returns DataLoss for a damaged
// record and VersionMismatch for a record of a later version. `where` names the record in errors.
std::string RecordText(const TimelineRounds& rounds);
StatusOr<TimelineRounds> ParseTimelineRounds(std::string_view text, std::string_view where);

namespace timeline_keys {

std::string Prefix(const std::string& job);  // of all keys of the job's timeline
std::string Rounds(const std::string& job);
// The name of the executor with this number.
std::string Executor(const std::string& job, int32_t number);
std::string ExecutorPrefix(const std::string& job);
// The training of a round, and the evaluation after it.
std::string Training(const std::string& job, int64_t round);
std::string Evaluation(const std::string& job, int64_t round);

}  // namespace timeline_keys

// Adds the training of a round to the timeline, and drops a thousand rounds if they are too old.
// The timeline then ends with this round, and the round's evaluation is deleted. If a round before
// it is missing, the timeline begins with this round. Sets `rounds` and adds its record to `batch`.
void AppendTraining(MetaBatch& batch, const std::string& job, TimelineRounds& rounds, int64_t round,
                    const RoundTimeline& timeline);
// Removes the rounds after `round` from the timeline, because they do not count. Sets `rounds` and
// adds its record to `batch`.
void ForgetTimelineAfter(MetaBatch& batch, const std::string& job, TimelineRounds& rounds,
                         int64_t round);

}  // namespace dl::storage
