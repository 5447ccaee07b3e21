// Stores checkpoint chunks in the bulk database. To create a checkpoint, Write() makes the chunks
// durable; then the caller writes the manifest to the meta store, which makes the checkpoint
// visible. To delete one, the caller first deletes the manifest, then calls Delete(). Chunks
// without a manifest are removed by CollectOrphans().
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/part_name.h"
#include "base/status.h"
#include "storage/bulk_store.h"
#include "storage/checkpoint_manifest.h"

namespace dl::storage {

struct PartBytes {
  std::string name;
  std::span<const std::byte> bytes;
  std::string_view piece_hashes = {};  // a PieceHashes; empty: no hashes are stored
};

// Thread-safe.
class CheckpointStore {
 public:
  // `bulk` must outlive the store.
  explicit CheckpointStore(BulkStore& bulk) : bulk_(bulk) {}

  struct Content {
    CheckpointId id;
    std::string state_sha256;  // of the canonical state; only copied into the manifest
    std::span<const PartBytes> parts;
  };
  // Writes the chunks, durable when it returns. After an error nothing is stored. Returns
  // InvalidArgument for bad names, FailedPrecondition if the id was used before, ResourceExhausted
  // if the disk is full.
  StatusOr<CheckpointManifest> Write(const Content& content);

  // Fills `out`, whose size must be that of the part, with verified bytes. Returns NotFound if the
  // manifest has no such part. Returns DataLoss with JOB@ROUND, part and chunk if a chunk is
  // damaged or missing; `out` is then undefined.
  Status Read(const CheckpointManifest& manifest, std::string_view part, std::span<std::byte> out);
  // As Read, for a range of the part starting at `offset`. Reads and verifies only the chunks that
  // contain the range.
  Status ReadRange(const CheckpointManifest& manifest, std::string_view part, int64_t offset,
                   std::span<std::byte> out);
  // Returns the hashes by which a reader verifies the part. If they were not stored, as in older
  // builds, or cannot be read, they are computed by reading the whole part.
  StatusOr<PieceHashes> ReadPieceHashes(const CheckpointManifest& manifest, std::string_view part);

  // Deletes the checkpoint's chunks and frees their disk space. May be repeated. REQUIRES: the meta
  // store no longer has the manifest.
  Status Delete(const CheckpointManifest& manifest);

  struct Orphans {
    std::span<const CheckpointId> live;  // checkpoints to keep
    std::set<std::string> spared_jobs;   // jobs whose chunks are all kept
    std::string aside;                   // folder to move orphans to; empty: they are deleted
  };
  // Removes all other chunks. Returns the number of checkpoints removed. REQUIRES: no Write is in
  // progress.
  StatusOr<int64_t> CollectOrphans(const Orphans& orphans);

 private:
  // Verifies a whole chunk, then copies out.size() bytes of it from byte `from` on.
  Status ReadChunk(const CheckpointManifest& manifest, int part, int64_t chunk, int64_t from,
                   std::span<std::byte> out);

  BulkStore& bulk_;
};

}  // namespace dl::storage
