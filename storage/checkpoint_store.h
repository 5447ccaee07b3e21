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
  std::string name;  // CheckpointPart::name
  std::span<const std::byte> bytes;
  std::string_view piece_hashes = {};  // a PieceHashes; empty: no hashes are stored
};

// Thread-safe. Errors in addition to those listed are those of the BulkStore.
class CheckpointStore {
 public:
  // `bulk` must outlive the store.
  explicit CheckpointStore(BulkStore& bulk) : bulk_(bulk) {}

  struct Content {
    CheckpointId id;
    std::string state_sha256;  // of the canonical state; only copied into the manifest
    std::span<const PartBytes> parts;
  };
  // Writes the chunks, durable when it returns OK. The caller must use a new id after an error.
  // Returns InvalidArgument for an invalid id and for empty or repeated names of parts,
  // FailedPrecondition if chunks with this id exist, ResourceExhausted if the disk is full.
  StatusOr<CheckpointManifest> Write(const Content& content);

  // Fills `out`, whose size must be that of the part, with verified bytes. Returns NotFound if the
  // manifest has no such part, InvalidArgument for another size. Returns DataLoss with JOB@ROUND,
  // part and chunk if a chunk is damaged or missing; the content of `out` is then unspecified.
  Status Read(const CheckpointManifest& manifest, std::string_view part, std::span<std::byte> out);
  // Works like Read, for out.size() bytes of the part from `offset` on. Reads and verifies only the
  // chunks that contain the range. Returns InvalidArgument for a range outside of the part.
  Status ReadRange(const CheckpointManifest& manifest, std::string_view part, int64_t offset,
                   std::span<std::byte> out);
  // Returns the hashes by which a reader verifies the part. If they were not stored, or are
  // damaged, they are computed by reading the whole part. Returns the errors of Read.
  StatusOr<PieceHashes> ReadPieceHashes(const CheckpointManifest& manifest, std::string_view part);

  // Deletes the checkpoint's chunks and frees their disk space. Returns InvalidArgument for an
  // invalid id. May be repeated. REQUIRES: the meta store no longer has the manifest.
  Status Delete(const CheckpointManifest& manifest);

  struct Orphans {
    std::span<const CheckpointId> live;  // checkpoints to keep
    std::set<std::string> spared_jobs;   // jobs whose chunks are all kept
    std::string aside;                   // folder to move orphans to; empty: they are deleted
  };
  // Removes the chunks of all other checkpoints. Returns the number of checkpoints removed. May be
  // repeated after an error. REQUIRES: no Write is in progress.
  StatusOr<int64_t> CollectOrphans(const Orphans& orphans);

 private:
  // Verifies a whole chunk, then copies out.size() bytes of it from byte `from` on.
  Status ReadChunk(const CheckpointManifest& manifest, int part, int64_t chunk, int64_t from,
                   std::span<std::byte> out);

  BulkStore& bulk_;
};

}  // namespace dl::storage
