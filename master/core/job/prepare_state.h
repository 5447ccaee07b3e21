// Where the state of a round is to be taken from.
#pragma once

#include <cstdint>
#include <string>

#include "master/core/job/round_log.h"

namespace dl::master {

struct PrepareState {
  std::string job;
  int64_t round = 0;
  uint64_t number = 0;  // a job may go back while a state is being prepared
  enum class Source : uint8_t {
    kInitial,
    kCheckpoint,
    kOtherCheckpoint,
    kWeightsOnly,
    kParts
  } source = Source::kInitial;
  std::string checkpoint_manifest;  // kCheckpoint, kOtherCheckpoint, kWeightsOnly
  StateNames parts;                 // kParts: arrived parts that make the state
};
}  // namespace dl::master
