// Checkpoint chunks in the bulk database. The order of a checkpoint: Write() makes the chunks
// durable; the caller puts the manifest into the meta store in the synced batch that makes the
// checkpoint visible; what has no manifest is collected at open. An older checkpoint is deleted the
// other way round: first its manifest, then Delete().
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
  std::string_view piece_hashes = {};  // a PieceHashes; empty: none is stored
};

// Thread-safe.
class CheckpointStore {
 public:
  // `bulk` must outlive the store.
  explicit CheckpointStore(BulkStore& bulk) : bulk_(bulk) {}

  struct Content {
    CheckpointId id;
    std::string state_sha256;  // of the canonical state; only carried into the manifest
    std::span<const PartBytes> parts;
  };
  // Durable when it returns. Errors store nothing: InvalidArgument (names), FailedPrecondition (the
  // id was used before), ResourceExhausted (disk full).
  StatusOr<CheckpointManifest> Write(const Content& content);

  // Fills `out`, whose size must be the part's, with verified bytes. NotFound when the manifest has
  // no such part; DataLoss, naming JOB@ROUND, part and chunk, when one is damaged or missing (`out`
  // is then undefined).
  Status Read(const CheckpointManifest& manifest, std::string_view part, std::span<std::byte> out);
  // The same for a piece of the part, which must lie within it: reads and verifies the chunks that
  // cover the piece, and no others.
  Status ReadRange(const CheckpointManifest& manifest, std::string_view part, int64_t offset,
                   std::span<std::byte> out);
  // The list by which a reader verifies the part. Where none was stored (older builds stored none),
  // or it cannot be read, it is made of the part, which is read for it from begin to end.
  StatusOr<PieceHashes> ReadPieceHashes(const CheckpointManifest& manifest, std::string_view part);

  // Returns the disk space of the checkpoint. REQUIRES: no manifest in the meta store names it any
  // more. A repeat is OK.
  Status Delete(const CheckpointManifest& manifest);

  struct Orphans {
    std::span<const CheckpointId> live;  // what belongs to these stays
    std::set<std::string> spared_jobs;   // and whatever belongs to these jobs
    std::string aside;                   // not deleted but left in this folder; empty: deleted
  };
  // Removes every chunk that belongs to nothing; returns the number of checkpoints removed.
  // REQUIRES: no Write is under way.
  StatusOr<int64_t> CollectOrphans(const Orphans& orphans);

 private:
  // A whole chunk, verified, copied from its byte `from` on.
  Status ReadChunk(const CheckpointManifest& manifest, int part, int64_t chunk, int64_t from,
                   std::span<std::byte> out);

  BulkStore& bulk_;
};

}  // namespace dl::storage
