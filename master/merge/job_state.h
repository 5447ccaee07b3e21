// The state of a job at a committed round, in memory: immutable once made, shared by whoever
// serves, merges or writes it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "averaging/state_layout.h"
#include "base/float_buffer.h"
#include "base/status.h"
#include "master/core/events.h"

namespace dl::master {

// Shared: a round's state is read by RPC threads and the checkpoint thread while later rounds are
// merged.
using SharedVector = std::shared_ptr<const FloatBuffer>;

struct RoundState {
  SharedVector global;
  std::vector<SharedVector> workers;  // keep: M of them; else empty
  StateNames names;

  // The part of that name, or null.
  SharedVector Find(const std::string& sha256) const;
};

// What the engine has to know of a job's model; no layer among it.
struct JobMaterial {
  averaging::StateLayout layout;
  int64_t workers = 1;
  std::function<std::vector<float>()>
      initial_state;  // of the unit layout: a function of model and seed
};

// Names the parts of a state (docs/formats.md).
StateNames NameState(const averaging::StateLayout& layout, const RoundState& state);

StatusOr<SharedVector> CopyVector(std::span<const float> values);
inline std::span<const std::byte> AsBytes(const FloatBuffer& buffer) {
  return std::as_bytes(buffer.span());
}

}  // namespace dl::master
