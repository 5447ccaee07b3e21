// The state of a job after a round, in memory. Immutable, and shared by the threads that serve,
// merge or write it.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "averaging/strategy.h"
#include "base/float_buffer.h"
#include "base/part_name.h"
#include "base/status.h"
#include "master/core/master_events.h"

namespace dl::master {

// RPC threads and the checkpoint thread read a round's state while later rounds are merged.
using SharedVector = std::shared_ptr<const FloatBuffer>;

struct RoundState {
  std::map<std::string, SharedVector> parts;  // every part of the layout, by key
  StateNames names;
  std::map<std::string, PieceHashes> pieces;  // by name of the part, which is computed from them

  // Returns the part with that name, or null.
  SharedVector Find(const std::string& sha256) const;
};

// The engine's view of a job's model and strategy. It contains no layers.
struct JobMaterial {
  std::shared_ptr<const averaging::Strategy> strategy;
  int64_t workers = 1;
  bool measures_layers = true;   // CoreOptions::records_history
  int64_t histograms_every = 0;  // rounds; 0: none (training.statistics)
  // Computes state 0 in the unit layout from the spec and the blocks that it names.
  std::function<StatusOr<std::vector<float>>()> initial_state;

  const averaging::StateLayout& layout() const { return strategy->layout(); }
};

// Returns the keys of all parts of a state, with their layouts.
std::vector<std::pair<std::string, const averaging::PartLayout*>> KeysOf(
    const JobMaterial& material);

// Sets `names` and `pieces` of a state: the names of its parts (docs/formats.md) and the hashes of
// their pieces. Parts that share a vector with a part of `before` get the name of that part without
// a computation. REQUIRES: `state.parts` has every part of the layout; `names` and `pieces` are
// empty.
void NameState(const JobMaterial& material, RoundState& state, const RoundState* before = nullptr);

// Returns a copy of the values, or ResourceExhausted.
StatusOr<SharedVector> CopyVector(std::span<const float> values);
inline std::span<const std::byte> AsBytes(const FloatBuffer& buffer) {
  return std::as_bytes(buffer.span());
}

}  // namespace dl::master
