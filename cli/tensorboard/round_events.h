// Reads the main curves of a job and its histograms from the master, and encodes them as events,
// round by round.
#pragma once

#include <cstdint>
#include <string>

#include "base/files.h"
#include "base/json_fwd.h"
#include "base/status.h"
#include "cli/tensorboard/event_messages.h"
#include "rpc/service.h"

namespace dl::cli {

// The times of a job, in seconds since 1970.
struct JobTimes {
  double submitted = 0;
  double ended = 0;  // 0: not ended
};
// Returns the times in the job's document (QueryJob).
JobTimes TimesOf(const Json& job);

// How far the curves have been read.
struct CurvePosition {
  int64_t round = 0;  // the last round that was read
  // Sum of round_seconds up to this round, and the time of its event: the submission and these
  // seconds, but not after the end of the job. Times never decrease.
  double seconds = 0, wall_time = 0;
  int64_t rollback = -1;  // newest rollback of the job at the first query; -1: before it
};

// Whether the newest round is read. Figures of its evaluation may come later.
enum class NewestRound { kWait, kRead };

// How ReadRounds ended. kRolledBack: rounds that were read, or are to be read, were rolled back
// since the first query.
enum class Curves { kRead, kRolledBack };

// Passes records of the rounds after `position` to `sink`, in ranges of rounds, and moves
// `position` after each range. Ends at the newest round that may be read, and does not wait for
// later ones. A job without figures has no rounds. Returns errors of the master and of `sink`.
StatusOr<Curves> ReadRounds(rpc::ClientService& client, const std::string& job,
                            const JobTimes& times, NewestRound newest, CurvePosition& position,
                            ByteSink sink);

}  // namespace dl::cli
