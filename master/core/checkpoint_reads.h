// Events about clients that read checkpoints, and about the deletion of checkpoints.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "master/core/job/checkpoint_name.h"

namespace dl::master {

struct RecoveredJob;

// A client has read a part of the checkpoint. The checkpoint is then not deleted for
// CoreOptions::read_checkpoint_stays after this event, or until ReadEnded of the same reader.
// Readers, however many, delay its deletion by at most Checkpoints::kLongestRead.
struct CheckpointRead {
  CheckpointName checkpoint;
  uint64_t reader = 0;  // rpc::FetchRequest::reader; 0: its end is not reported
};
// The client has read all that it wanted of the checkpoint. Ends the protection for this reader.
// Has no effect if `reader` is 0.
struct ReadEnded {
  CheckpointName checkpoint;
  uint64_t reader = 0;
};

// Retention asks for the deletion of the job's checkpoints that are due.
struct PruneRequest {
  std::string job;
  std::shared_ptr<const RecoveredJob> ended;  // as UserAction::ended
  std::shared_ptr<const void> turn;           // action turn, as Submission::turn
};

}  // namespace dl::master
