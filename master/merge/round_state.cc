#include "master/merge/round_state.h"

#include <algorithm>
#include <utility>

#include "base/part_name.h"
#include "base/trace.h"

namespace dl::master {

SharedVector RoundState::Find(const std::string& sha256) const {
  for (const auto& [key, name] : names.parts) {
    if (name == sha256) return parts.at(key);
  }
  return nullptr;
}

std::vector<std::pair<std::string, const averaging::PartLayout*>> KeysOf(
    const JobMaterial& material) {
  std::vector<std::pair<std::string, const averaging::PartLayout*>> keys;
  for (const averaging::PartLayout& part : material.layout().parts) {
    const int64_t count = part.scope == averaging::PartScope::kWorker ? material.workers : 1;
    for (int64_t m = 0; m < count; ++m) keys.emplace_back(part.KeyOf(m), &part);
  }
  return keys;
}

void NameState(const JobMaterial& material, RoundState& state, const RoundState* before) {
  const Span span(spans::kName);
  std::map<const FloatBuffer*, std::string> known;  // workers that begin alike share a vector
  if (before != nullptr) {
    for (const auto& [key, vector] : before->parts)
      known.emplace(vector.get(), before->names.parts.at(key));
  }
  std::vector<const FloatBuffer*> unnamed;
  std::vector<PartContent> contents;
  for (const auto& [key, part] : KeysOf(material)) {
    const SharedVector& vector = state.parts.at(key);
    if (!known.emplace(vector.get(), "").second) continue;
    unnamed.push_back(vector.get());
    contents.push_back({&part->table, vector->span()});
  }
  std::vector<PartHashes> found = HashParts(contents);
  for (size_t i = 0; i < found.size(); ++i) {
    known[unnamed[i]] = found[i].name;
    state.pieces.emplace(std::move(found[i].name), std::move(found[i].pieces));
  }
  for (const auto& [key, vector] : state.parts) {
    const std::string& name = known.at(vector.get());
    state.names.parts.emplace(key, name);
    if (!state.pieces.contains(name)) state.pieces.emplace(name, before->pieces.at(name));
  }
  state.names.state_sha256 = StateSha256(state.names.parts);
}

StatusOr<SharedVector> CopyVector(std::span<const float> values) {
  DL_ASSIGN_OR_RETURN(FloatBuffer buffer, FloatBuffer::Create(static_cast<int64_t>(values.size())));
  std::copy(values.begin(), values.end(), buffer.data());
  return std::make_shared<const FloatBuffer>(std::move(buffer));
}

}  // namespace dl::master
