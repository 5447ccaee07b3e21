#include "storage/memory_meta_store.h"

namespace dl::storage {

void MemoryMetaStore::Apply(const MetaBatch& batch, Table& table) {
  for (const MetaBatch::Change& change : batch.changes()) {
    if (change.value) {
      table[change.key] = *change.value;
    } else if (change.prefix) {
      const auto begin = table.lower_bound(change.key);
      auto end = begin;
      while (end != table.end() && end->first.starts_with(change.key)) ++end;
      table.erase(begin, end);
    } else {
      table.erase(change.key);
    }
  }
}

Status MemoryMetaStore::Write(const MetaBatch& batch) {
  MutexLock lock(mutex_);
  DL_RETURN_IF_ERROR(dead_);
  DL_RETURN_IF_ERROR(CheckKeys(batch));
  if (batch.empty()) return absl::OkStatus();
  const bool fails = fail_in_ > 0 && --fail_in_ == 0;
  if (fails && failure_ == Failure::kNoSpace)
    return ResourceExhausted({.message = "too little free space for the meta store (planted)"});
  if (!fails || failure_ == Failure::kDurable) {
    Apply(batch, written_);
    ++written_index_;
    if (honest_) {
      Apply(batch, durable_);
      durable_index_ = written_index_;
    }
  }
  if (fails) dead_ = Internal({.message = "the meta store's sync failed (planted)"});
  return dead_;
}

StatusOr<std::optional<std::string>> MemoryMetaStore::Get(std::string_view key) {
  MutexLock lock(mutex_);
  DL_RETURN_IF_ERROR(dead_);
  const auto found = written_.find(key);
  if (found == written_.end()) return std::optional<std::string>();
  return std::optional<std::string>(found->second);
}

Status MemoryMetaStore::Scan(std::string_view prefix, const Visitor& visit) {
  MutexLock lock(mutex_);
  DL_RETURN_IF_ERROR(dead_);
  for (auto at = written_.lower_bound(prefix); at != written_.end(); ++at) {
    if (!std::string_view(at->first).starts_with(prefix)) break;
    DL_RETURN_IF_ERROR(visit(at->first, at->second));
  }
  return absl::OkStatus();
}

uint64_t MemoryMetaStore::index() const {
  MutexLock lock(mutex_);
  return written_index_;
}

void MemoryMetaStore::FailWrite(int64_t n, Failure failure) {
  MutexLock lock(mutex_);
  fail_in_ = n;
  failure_ = failure;
}

void MemoryMetaStore::SetHonestSync(bool honest) {
  MutexLock lock(mutex_);
  honest_ = honest;
  if (!honest_) return;
  durable_ = written_;
  durable_index_ = written_index_;
}

void MemoryMetaStore::Sync() {
  MutexLock lock(mutex_);
  durable_ = written_;
  durable_index_ = written_index_;
}

void MemoryMetaStore::Crash() {
  MutexLock lock(mutex_);
  written_ = durable_;
  written_index_ = durable_index_;
  dead_ = absl::OkStatus();
  fail_in_ = 0;
}

}  // namespace dl::storage
