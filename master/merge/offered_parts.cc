#include "master/merge/offered_parts.h"

#include <utility>

namespace dl::master {

void OfferedParts::Expect(const std::string& sha256) {
  MutexLock lock(mutex_);
  expected_.emplace(sha256, nullptr);
}

bool OfferedParts::IsExpected(const std::string& sha256) const {
  MutexLock lock(mutex_);
  return expected_.contains(sha256);
}

std::shared_ptr<Receiver> OfferedParts::Begin(const std::string& sha256, PieceVerifier pieces,
                                              FloatBufferPool& pool) {
  MutexLock lock(mutex_);
  const auto found = expected_.find(sha256);
  if (found == expected_.end()) return nullptr;
  if (found->second == nullptr) found->second = std::make_shared<Receiver>(std::move(pieces), pool);
  return found->second;
}

std::shared_ptr<Receiver> OfferedParts::ReceiverOf(const std::string& sha256) const {
  MutexLock lock(mutex_);
  const auto found = expected_.find(sha256);
  return found == expected_.end() ? nullptr : found->second;
}

void OfferedParts::Arrived(const std::string& sha256, SharedVector vector, PieceHashes pieces) {
  MutexLock lock(mutex_);
  arrived_[sha256] = std::move(vector);
  pieces_[sha256] = std::move(pieces);
}

RoundState OfferedParts::Take(const StateNames& names) {
  RoundState state{.names = names};
  MutexLock lock(mutex_);
  for (const auto& [key, name] : names.parts) state.parts[key] = arrived_[name];
  state.pieces = std::move(pieces_);
  Forget();
  return state;
}

void OfferedParts::Clear() {
  MutexLock lock(mutex_);
  Forget();
}

void OfferedParts::Forget() {
  expected_.clear();
  arrived_.clear();
  pieces_.clear();
}

}  // namespace dl::master
