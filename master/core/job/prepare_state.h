// An effect that loads or computes the state of a round, and the source of that state.
#pragma once

#include <cstdint>
#include <string>

#include "master/core/job/round_log.h"

namespace dl::master {

struct PrepareState {
  std::string job;
  int64_t round = 0;
  // Returned in StatePrepared, because a job may roll back while a state is being prepared.
  uint64_t number = 0;
  enum class Source : uint8_t {
    kInitial,          // round 0 from the seed and the initial weights
    kCheckpoint,       // a checkpoint of this job
    kOtherCheckpoint,  // round 0 with the full state of another job's checkpoint
    kWeightsOnly,      // round 0 with the weights of another job's checkpoint
    kParts             // parts that executors offered
  } source = Source::kInitial;
  std::string checkpoint_manifest;  // kCheckpoint, kOtherCheckpoint, kWeightsOnly
  StateNames parts;                 // kParts: arrived parts that form the state
};
}  // namespace dl::master
