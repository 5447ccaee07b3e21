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

// A long timeline has at least this many of the newest rounds, and at most a thousand more. Shorter
// timelines have all rounds since they began.
inline constexpr int64_t kTimelineRounds = 20'000;
// Largest number of executors of a job that get a number. Names of further executors are not
// recorded.
inline constexpr int32_t kMaxTimelineExecutors = 4096;

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

// Return keys and prefixes of keys in the meta store.
namespace timeline_keys {

std::string Prefix(const std::string& job);  // prefix of all keys of the job's timeline
std::string Rounds(const std::string& job);  // key of the record TimelineRounds
// Key under which the name of the executor with this number is stored.
std::string Executor(const std::string& job, int32_t number);
std::string ExecutorPrefix(const std::string& job);  // prefix of the keys of all executors
// Keys of the leases of a round's training units, and of the evaluation after the round
// (EncodeTimeline).
std::string Training(const std::string& job, int64_t round);
std::string Evaluation(const std::string& job, int64_t round);

}  // namespace timeline_keys

// Adds the training of a round, which becomes the last round of the timeline; later rounds no
// longer count. Deletes an evaluation of this round that an earlier computation recorded. If the
// previous round is missing, all other rounds are deleted, and the timeline begins with this round.
// Every thousand rounds, the thousand oldest rounds beyond kTimelineRounds are deleted. `rounds`
// must be the stored record, and is updated. All changes are added to `batch`.
void AppendTraining(MetaBatch& batch, const std::string& job, TimelineRounds& rounds, int64_t round,
                    const RoundTimeline& timeline);
// Ends the timeline with `round`, because later rounds do not count. Their records stay until they
// are replaced, and are ignored. Updates `rounds` and adds its record to `batch`. Does nothing if
// the timeline has no later round.
void ForgetTimelineAfter(MetaBatch& batch, const std::string& job, TimelineRounds& rounds,
                         int64_t round);

}  // namespace dl::storage
