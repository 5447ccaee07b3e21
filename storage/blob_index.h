// What a blob store holds and where, in memory: of each blob the newest copy, of each table how
// much of it still counts. Pure bookkeeping; not thread-safe. Private to this folder.
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
    int64_t bytes = 0;  // of kOldTable: about
    bool operator==(const Place&) const = default;
  };

  // REQUIRES: `table` is newer (its number larger) than those before, or kOldTable. What was stored
  // elsewhere is buried there.
  void Add(uint64_t table, std::span<const StoredBlob> blobs);
  // That copy does not count any more; of no effect where there is none that does.
  void Bury(const BuriedBlob& blob);
  // The table's file is gone, and what is buried in it. REQUIRES: nothing in it counts.
  void Forget(uint64_t table);
  void ForgetOld(const BlobName& name);

  std::optional<Place> Find(const BlobName& name) const;
  std::vector<std::string> Names() const;        // in hex, sorted
  std::vector<BuriedBlob> Buried() const;        // all of them
  std::vector<BlobName> BuriedOld() const;       // of the old layout: files of their own
  std::vector<uint64_t> Dead() const;            // tables of which nothing counts
  std::vector<uint64_t> WorthRewriting() const;  // of which too little does
  bool IsBuried(uint64_t table, const BlobName& name) const;

 private:
  struct Table {
    int64_t blobs = 0, live = 0;
    int64_t bytes = 0, live_bytes = 0;
    absl::flat_hash_set<BlobName> buried;
  };
  absl::flat_hash_map<BlobName, Place> places_;
  std::map<uint64_t, Table> tables_;
  std::set<uint64_t> with_buried_;  // of tables_
};

}  // namespace dl::storage
