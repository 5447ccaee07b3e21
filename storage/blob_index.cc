#include "storage/blob_index.h"

#include <algorithm>

namespace dl::storage {
namespace {

// A table is rewritten when a quarter or more of it is dead. The dead space is thus at most a third
// of the live space, and at most four blobs are copied for each deleted blob.
constexpr int64_t kShareWorthRewriting = 4;

}  // namespace

void BlobIndex::Add(uint64_t number, std::span<const StoredBlob> blobs) {
  for (const StoredBlob& blob : blobs) {
    if (const auto known = places_.find(blob.name); known != places_.end())
      MarkDead({.table = known->second.table, .name = blob.name});
    places_[blob.name] = {.table = number, .bytes = blob.bytes};
    Table& table = tables_[number];
    ++table.blobs;
    ++table.live;
    table.bytes += blob.bytes;
    table.live_bytes += blob.bytes;
  }
}

void BlobIndex::MarkDead(const DeadBlob& blob) {
  const auto known = places_.find(blob.name);
  if (known == places_.end() || known->second.table != blob.table) return;
  Table& table = tables_[blob.table];
  --table.live;
  table.live_bytes -= known->second.bytes;
  table.dead_blobs.insert(blob.name);
  tables_with_dead_blobs_.insert(blob.table);
  places_.erase(known);
}

void BlobIndex::RemoveTable(uint64_t table) {
  tables_.erase(table);
  tables_with_dead_blobs_.erase(table);
}

void BlobIndex::RemoveOldBlob(const BlobName& name) {
  const auto old = tables_.find(kOldTable);
  if (old == tables_.end()) return;
  old->second.dead_blobs.erase(name);
  if (old->second.dead_blobs.empty()) tables_with_dead_blobs_.erase(kOldTable);
}

std::optional<BlobIndex::Place> BlobIndex::Find(const BlobName& name) const {
  const auto known = places_.find(name);
  if (known == places_.end()) return std::nullopt;
  return known->second;
}

std::vector<std::string> BlobIndex::Names() const {
  std::vector<std::string> names;
  names.reserve(places_.size());
  for (const auto& [name, place] : places_) names.push_back(HexOf(name));
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<DeadBlob> BlobIndex::DeadBlobs() const {
  std::vector<DeadBlob> all;
  for (const uint64_t table : tables_with_dead_blobs_) {
    for (const BlobName& name : tables_.at(table).dead_blobs) all.push_back({table, name});
  }
  return all;
}

std::vector<BlobName> BlobIndex::DeadOldBlobs() const {
  if (!tables_with_dead_blobs_.contains(kOldTable)) return {};
  const auto& dead_blobs = tables_.at(kOldTable).dead_blobs;
  return {dead_blobs.begin(), dead_blobs.end()};
}

std::vector<uint64_t> BlobIndex::DeadTables() const {
  std::vector<uint64_t> dead;
  for (const uint64_t table : tables_with_dead_blobs_) {
    if (table != kOldTable && tables_.at(table).live == 0) dead.push_back(table);
  }
  return dead;
}

std::vector<uint64_t> BlobIndex::WorthRewriting() const {
  std::vector<uint64_t> worth;
  for (const uint64_t number : tables_with_dead_blobs_) {
    const Table& table = tables_.at(number);
    if (number == kOldTable || table.live == 0) continue;
    const bool many = (table.blobs - table.live) * kShareWorthRewriting >= table.blobs;
    const bool much = (table.bytes - table.live_bytes) * kShareWorthRewriting >= table.bytes;
    if (many || (much && table.bytes > 0)) worth.push_back(number);
  }
  return worth;
}

bool BlobIndex::IsDead(uint64_t number, const BlobName& name) const {
  const auto table = tables_.find(number);
  return table == tables_.end() || table->second.dead_blobs.contains(name);
}

}  // namespace dl::storage
