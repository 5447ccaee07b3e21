// The list of a checkpoint's contents: its identity, its parts, and the checksum of every chunk. A
// checkpoint exists if its manifest is in the meta store. Chunks without a manifest are garbage.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/document_kind.h"
#include "base/json_fwd.h"
#include "base/status.h"

namespace dl::storage {

// Names the chunks of one attempt to write a checkpoint. An id is never used twice: each start of
// the master has its own term, and each write within a term has its own nonce.
struct CheckpointId {
  std::string job;  // 1 to 255 bytes, no zero byte: checked by CheckpointStore::Write and Delete
  int64_t round = 0;
  uint64_t term = 0;
  uint64_t nonce = 0;
  auto operator<=>(const CheckpointId&) const = default;
};

struct CheckpointPart {
  // The part's key ("model", "updater-3", ...), unique in the checkpoint. It is not the SHA-256
  // that base/part_name.h calls the name of a part. A manifest does not contain that SHA-256.
  std::string name;
  int64_t bytes = 0;
  // XXH3-64 of each chunk. Every chunk has chunk_bytes bytes, but the last may be shorter.
  std::vector<uint64_t> chunk_xxh3;
  bool operator==(const CheckpointPart&) const = default;
};

struct CheckpointManifest {
  CheckpointId id;
  std::string state_sha256;  // StateSha256 (base/part_name.h)
  int64_t chunk_bytes = 0;
  std::vector<CheckpointPart> parts;
  bool operator==(const CheckpointManifest&) const = default;

  // Returns the index of the part with this CheckpointPart::name, or -1.
  int PartIndex(std::string_view name) const;
  int64_t TotalBytes() const;
  // Returns "JOB@ROUND", for messages. All attempts to write a checkpoint have the same name. The
  // suffix "~K" of a checkpoint that rollback K set aside (docs/operations/checkpoints.md) is not
  // part of it.
  std::string Name() const;
};

inline constexpr DocumentKind kCheckpointManifestDocument({.name = "checkpoint manifest",
                                                           .version = 1,
                                                           .key = "schema"});

// {"schema":1,"job":…,"round":…,"term":…,"nonce":…,"state_sha256":…,"chunk_bytes":…,
//  "parts":[{"name":…,"bytes":…,"chunk_xxh3":["16 hex digits",…]},…]}
Json ToJson(const CheckpointManifest& manifest);

// Returns InvalidArgument for unknown, missing or invalid keys, and if two parts have the same
// name. Also returns it unless each part has ceil(bytes / chunk_bytes) checksums. Returns
// VersionMismatch for a newer schema. `path` is the position of `json`, for error messages.
StatusOr<CheckpointManifest> CheckpointManifestFromJson(const Json& json, const std::string& path);

}  // namespace dl::storage
