// Events about clients that read checkpoints.
#pragma once

#include <cstdint>

#include "master/core/job/checkpoint_name.h"

namespace dl::master {

// A client has read a part of the checkpoint, which is therefore not deleted for a while.
struct CheckpointRead {
  CheckpointName checkpoint;
  uint64_t reader = 0;  // rpc::FetchRequest::reader
};
// The client has read all that it wanted of the checkpoint.
struct ReadEnded {
  CheckpointName checkpoint;
  uint64_t reader = 0;
};

}  // namespace dl::master
