// The contents of a blob store, in memory: where the live copy of each blob is, and how much of
// each table is live. A copy is dead if its blob was deleted or has a newer copy. Only
// bookkeeping; not thread-safe. Private to this folder.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "storage/blob_table.h"

namespace dl::storage {

class BlobIndex {
 public:
  struct Place {
    uint64_t table = kOldTable;
    int64_t bytes = 0;  // size of the blob; in kOldTable, of its table file
    bool operator==(const Place&) const = default;
  };

  // Adds the blobs of a table and marks their older copies in other tables as dead. REQUIRES:
  // tables are added in ascending order of their numbers. kOldTable is the first, and may be added
  // repeatedly before all others, each time with other blobs.
  void Add(uint64_t table, std::span<const StoredBlob> blobs);
  // Marks the copy in that table as dead. Does nothing if it is not the live copy.
  void MarkDead(const DeadBlob& blob);
  // Removes a table whose file was deleted, with its dead blobs. REQUIRES: the table has no live
  // blob.
  void RemoveTable(uint64_t table);
  // Removes a dead blob of the old layout whose file was deleted.
  void RemoveOldBlob(const BlobName& name);

  // Returns the place of the live copy, or nullopt if the blob is not stored.
  std::optional<Place> Find(const BlobName& name) const;
  std::vector<std::string> Names() const;      // of live blobs, in hex, sorted
  std::vector<DeadBlob> DeadBlobs() const;     // the dead copies in all tables
  std::vector<BlobName> DeadOldBlobs() const;  // dead blobs of the old layout, one file each
  std::vector<uint64_t> DeadTables() const;    // tables without a live blob, except kOldTable
  // Returns the tables with live blobs, except kOldTable, of which a quarter or more is dead, by
  // number of blobs or by bytes.
  std::vector<uint64_t> WorthRewriting() const;
  // Returns true if the table's copy of the blob is dead, or if the table is unknown.
  bool IsDead(uint64_t table, const BlobName& name) const;

 private:
  struct Table {
    int64_t blobs = 0, live = 0;
    int64_t bytes = 0, live_bytes = 0;
    absl::flat_hash_set<BlobName> dead_blobs;
  };
  absl::flat_hash_map<BlobName, Place> places_;
  std::map<uint64_t, Table> tables_;
  std::set<uint64_t> tables_with_dead_blobs_;  // the tables in tables_ that have dead blobs
};

}  // namespace dl::storage
