// A job as its documents in the store tell of it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "master/core/job/job.h"

namespace dl::master {

struct RecoveredJob {
  // What is wrong with its documents, and where; the rest is then what can be read of it: its id,
  // its name, a terminal state.
  Status damage;
  // Why it is not computed any more though it has not ended (MasterOptions::why_given_up); OK: it
  // goes on.
  Status given_up;
  JobDefinition definition;
  JobRecord record;
  JobLog log;
  std::vector<CheckpointInfo> checkpoints;
  Attestations attestations;  // what of it is durable
  EventSequence event_sequence;
  std::string begins_from_manifest;  // of the checkpoint it began from; empty: none, or gone
};

// The job where its records end; nothing of it goes on yet.
Job Restored(RecoveredJob recovered);

struct AnsweredRequest {
  uint64_t number = 0;  // ascending
  std::string id;       // of the client's request
  std::string answer;   // job id or message
};
// Executors that gave wrong results, as the store has them (docs/formats.md).
struct StoredQuarantine {
  std::map<std::string, std::string> executors;  // with their tokens; empty where not known
  std::set<std::string> known;                   // keys::OfToken(): names that may still be used
};
// What the store held at start (master/store_recovery.h reads it).
struct RecoveredState {
  uint64_t term = 1;  // already raised and durable
  // The upper half of this start's session and lease numbers. Those have to differ from the numbers
  // of any other start, of other data folders and of copies of this one too, where terms come
  // again.
  uint32_t start = 1;
  uint64_t secret = 0;  // of the data folder
  uint64_t jobs_created = 0;
  std::vector<RecoveredJob> jobs;                        // that have not ended
  std::set<std::pair<std::string, std::string>> wanted;  // of machine/sources.h
  std::vector<AnsweredRequest> requests;                 // oldest first
  StoredQuarantine quarantine;
  std::map<std::string, uint64_t> leaving;  // executors, and their incarnations
};

}  // namespace dl::master
