// The state of a job at a committed round, in memory: immutable once made, shared by whoever
// serves, merges or writes it.
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
#include "master/core/events.h"

namespace dl::master {

// Shared: a round's state is read by RPC threads and the checkpoint thread while later rounds are
// merged.
using SharedVector = std::shared_ptr<const FloatBuffer>;

struct RoundState {
  std::map<std::string, SharedVector> parts;  // by key: every part of the layout
  StateNames names;
  std::map<std::string, PieceHashes> pieces;  // by the parts' names, which are made of them

  // The part of that SHA-256, or null.
  SharedVector Find(const std::string& sha256) const;
};

// What the engine has to know of a job's model and strategy; no layer among it.
struct JobMaterial {
  std::shared_ptr<const averaging::Strategy> strategy;
  int64_t workers = 1;
  // Of the unit layout: a function of the spec, and of blocks that it names.
  std::function<StatusOr<std::vector<float>>()> initial_state;

  const averaging::StateLayout& layout() const { return strategy->layout(); }
};

// The keys of all parts of a state, with their layouts.
std::vector<std::pair<std::string, const averaging::PartLayout*>> KeysOf(
    const JobMaterial& material);

// Names the parts of a state (docs/formats.md), with the hashes of their pieces; those that are one
// vector with a part of `before` keep their names.
void NameState(const JobMaterial& material, RoundState& state, const RoundState* before = nullptr);

StatusOr<SharedVector> CopyVector(std::span<const float> values);
inline std::span<const std::byte> AsBytes(const FloatBuffer& buffer) {
  return std::as_bytes(buffer.span());
}

}  // namespace dl::master
