// A job as read from its stored documents.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "master/core/job/job.h"

namespace dl::master {

struct RecoveredJob {
  // Error in its documents. If it is set, the other members contain only what could be read: id,
  // name, and the record, always with a terminal state.
  Status damage;
  // Why the job is not continued although it has not ended (MasterOptions::why_given_up); OK: it
  // continues.
  Status given_up;
  JobDefinition definition;
  JobRecord record;
  JobLog log;
  std::vector<CheckpointInfo> checkpoints;
  Attestations attestations;  // the durable part
  EventSequence event_sequence;
  storage::SeriesColumns series;
  bool series_damaged = false;  // its record cannot be read; no more figures are recorded
  JobTimeline timeline;         // without an anchor
  // Manifest of the checkpoint from which it began. Empty: none, or deleted.
  std::string begins_from_manifest;
};

// Returns the job in the form that the core keeps in memory, in Phase::kIdle. `at` is -1, or the
// last committed round if the job has ended. A damaged job gets no log, checkpoints or
// attestations.
Job Restored(RecoveredJob recovered);

struct AnsweredRequest {
  uint64_t number = 0;  // ascending
  std::string id;       // "OWNER/ID" with the id of the client's request
  std::string answer;   // job id or message
};
// Executors that gave wrong results, as stored (docs/formats.md).
struct StoredQuarantine {
  std::map<std::string, std::string> executors;  // with their tokens; empty if unknown
  std::set<std::string> known;                   // keys::OfToken(): names that may still be used
};
// The content of the store at the start (read by master/store_recovery.h).
struct RecoveredState {
  uint64_t term = 1;  // already raised and durable
  // The upper half of session and lease numbers of this process. It must differ from the numbers of
  // all other starts, also of other data folders and copies of this one, in which terms repeat.
  uint32_t start = 1;
  uint64_t secret = 0;  // secret of the data folder
  uint64_t jobs_created = 0;
  std::vector<RecoveredJob> jobs;  // jobs that have not ended; some may be damaged
  // Pairs of a checkpoint and another job that needs it (machine/sources.h).
  std::set<std::pair<std::string, std::string>> wanted;
  std::vector<AnsweredRequest> requests;  // oldest first
  StoredQuarantine quarantine;
  std::map<std::string, uint64_t> leaving;  // incarnations of executors that were told to leave
};

}  // namespace dl::master
