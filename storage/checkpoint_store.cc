#include "storage/checkpoint_store.h"

#include <algorithm>
#include <cstring>
#include <set>

#include "base/checksum.h"
#include "base/limits.h"
#include "storage/key_number.h"

namespace dl::storage {
namespace {

// Keys are "c", job, zero byte, then round, term, nonce, part and chunk as 8 bytes big-endian each.
// The byte order of keys is the order of writing, and each checkpoint has table files of its own.
constexpr char kCheckpointKeys = 'c';
constexpr size_t kNumbersInId = 3;
// The chunk number of the piece hashes, which sort after all chunks of the part.
constexpr uint64_t kPieceHashes = ~uint64_t{0};

std::string IdPrefix(const CheckpointId& id) {
  std::string key(1, kCheckpointKeys);
  key += id.job;
  key.push_back('\0');
  AppendNumber(key, static_cast<uint64_t>(id.round));
  AppendNumber(key, id.term);
  AppendNumber(key, id.nonce);
  return key;
}

std::string ChunkKey(const std::string& prefix, uint64_t part, uint64_t chunk) {
  std::string key = prefix;
  AppendNumber(key, part);
  AppendNumber(key, chunk);
  return key;
}

// Returns a key after every key that begins with `prefix`: part numbers never reach 2^64-1.
std::string PrefixEnd(const std::string& prefix) {
  return prefix + std::string(kNumberBytes, '\xff');
}

Status CheckId(const CheckpointId& id) {
  if (id.job.empty() || id.job.size() > 255 || id.job.find('\0') != std::string::npos ||
      id.round < 0)
    return InvalidArgument(
        {.message = "a checkpoint needs a job name without zero bytes and a round of at least 0"});
  return absl::OkStatus();
}

Status NoPart(const CheckpointManifest& manifest, std::string_view part) {
  return NotFound({.message = "the checkpoint has no part '" + std::string(part) + "'",
                   .where = manifest.Name()});
}

int64_t ChunkSize(const CheckpointPart& part, int64_t chunk_bytes, int64_t chunk) {
  return std::min(chunk_bytes, part.bytes - chunk * chunk_bytes);
}

StatusOr<CheckpointManifest> PlanManifest(const CheckpointStore::Content& content) {
  DL_RETURN_IF_ERROR(CheckId(content.id));
  CheckpointManifest manifest{.id = content.id,
                              .state_sha256 = content.state_sha256,
                              .chunk_bytes = limits::kCheckpointChunkBytes};
  std::set<std::string_view> names;
  for (const PartBytes& part : content.parts) {
    if (part.name.empty() || !names.insert(part.name).second)
      return InvalidArgument(
          {.message = "part names must be unique and not empty, but one is '" + part.name + "'",
           .where = manifest.Name()});
    manifest.parts.push_back({.name = part.name, .bytes = static_cast<int64_t>(part.bytes.size())});
  }
  return manifest;
}

}  // namespace

StatusOr<CheckpointManifest> CheckpointStore::Write(const Content& content) {
  DL_ASSIGN_OR_RETURN(CheckpointManifest manifest, PlanManifest(content));
  const std::string prefix = IdPrefix(content.id), end = PrefixEnd(prefix);
  DL_ASSIGN_OR_RETURN(const std::vector<BulkStore::TableFile> files, bulk_.Files());
  for (const BulkStore::TableFile& file : files) {
    if (file.smallest_key.starts_with(prefix))
      return FailedPrecondition(
          {.message = "chunks of this term and nonce exist already", .where = manifest.Name()});
  }
  const Status written = bulk_.Ingest(manifest.TotalBytes(), [&](TableWriter& table) -> Status {
    for (size_t p = 0; p < content.parts.size(); ++p) {
      CheckpointPart& part = manifest.parts[p];
      for (int64_t chunk = 0; chunk * manifest.chunk_bytes < part.bytes; ++chunk) {
        const auto bytes = content.parts[p].bytes.subspan(
            chunk * manifest.chunk_bytes, ChunkSize(part, manifest.chunk_bytes, chunk));
        part.chunk_xxh3.push_back(Xxh3(bytes));
        DL_RETURN_IF_ERROR(table.Add(ChunkKey(prefix, p, chunk), bytes));
      }
      const auto hashes = std::as_bytes(std::span(content.parts[p].piece_hashes));
      if (!hashes.empty()) DL_RETURN_IF_ERROR(table.Add(ChunkKey(prefix, p, kPieceHashes), hashes));
    }
    return absl::OkStatus();
  });
  if (!written.ok()) return WithContext(written, "while writing checkpoint " + manifest.Name());
  return manifest;
}

Status CheckpointStore::ReadChunk(const CheckpointManifest& manifest, int part, int64_t chunk,
                                  int64_t from, std::span<std::byte> out) {
  const CheckpointPart& entry = manifest.parts[part];
  const int64_t size = ChunkSize(entry, manifest.chunk_bytes, chunk);
  const Status read = bulk_.Read(ChunkKey(IdPrefix(manifest.id), part, chunk),
                                 [&](std::string_view value) -> Status {
                                   if (static_cast<int64_t>(value.size()) != size)
                                     return DataLoss({.message = "its size is wrong"});
                                   if (Xxh3(value) != entry.chunk_xxh3[chunk])
                                     return DataLoss({.message = "its checksum is wrong"});
                                   std::memcpy(out.data(), value.data() + from, out.size());
                                   return absl::OkStatus();
                                 });
  if (!absl::IsDataLoss(read) && !absl::IsNotFound(read)) return read;
  return DataLoss({.message = "checkpoint " + manifest.Name() + ", part '" +
                              manifest.parts[part].name + "', chunk " + std::to_string(chunk) +
                              (absl::IsNotFound(read) ? " is missing" : " is damaged: ") +
                              (absl::IsNotFound(read) ? "" : std::string(read.message())),
                   .where = manifest.Name(),
                   .remedy = "Resume from an older checkpoint."});
}

Status CheckpointStore::Read(const CheckpointManifest& manifest, std::string_view part,
                             std::span<std::byte> out) {
  const int index = manifest.PartIndex(part);
  if (index < 0) return NoPart(manifest, part);
  const CheckpointPart& entry = manifest.parts[index];
  if (static_cast<int64_t>(out.size()) != entry.bytes)
    return InvalidArgument({.message = "part '" + entry.name + "' has " +
                                       std::to_string(entry.bytes) + " bytes, not " +
                                       std::to_string(out.size()),
                            .where = manifest.Name()});
  return ReadRange(manifest, part, 0, out);
}

Status CheckpointStore::ReadRange(const CheckpointManifest& manifest, std::string_view part,
                                  int64_t offset, std::span<std::byte> out) {
  const int index = manifest.PartIndex(part);
  if (index < 0) return NoPart(manifest, part);
  const CheckpointPart& entry = manifest.parts[index];
  if (offset < 0 || offset > entry.bytes || static_cast<int64_t>(out.size()) > entry.bytes - offset)
    return InvalidArgument({.message = std::to_string(out.size()) + " bytes at offset " +
                                       std::to_string(offset) + " are outside part '" + entry.name +
                                       "' of " + std::to_string(entry.bytes) + " bytes",
                            .where = manifest.Name()});
  while (!out.empty()) {
    const int64_t chunk = offset / manifest.chunk_bytes, from = offset % manifest.chunk_bytes;
    const auto piece = out.first(
        std::min<int64_t>(out.size(), ChunkSize(entry, manifest.chunk_bytes, chunk) - from));
    DL_RETURN_IF_ERROR(ReadChunk(manifest, index, chunk, from, piece));
    offset += static_cast<int64_t>(piece.size());
    out = out.subspan(piece.size());
  }
  return absl::OkStatus();
}

StatusOr<PieceHashes> CheckpointStore::ReadPieceHashes(const CheckpointManifest& manifest,
                                                       std::string_view part) {
  const int index = manifest.PartIndex(part);
  if (index < 0) return NoPart(manifest, part);
  PieceHashes hashes;
  const Status read = bulk_.Read(ChunkKey(IdPrefix(manifest.id), index, kPieceHashes),
                                 [&](std::string_view value) -> Status {
                                   hashes = value;
                                   return absl::OkStatus();
                                 });
  if (read.ok()) return hashes;
  if (!absl::IsNotFound(read) && !absl::IsDataLoss(read)) return read;
  static_assert(limits::kCheckpointChunkBytes % kPieceBytes == 0);
  std::vector<std::byte> chunk;
  for (int64_t left = manifest.parts[index].bytes; left > 0;) {
    const int64_t offset = manifest.parts[index].bytes - left;
    chunk.resize(std::min(limits::kCheckpointChunkBytes, left));
    DL_RETURN_IF_ERROR(ReadRange(manifest, part, offset, chunk));
    hashes += HashPieces(chunk);
    left -= static_cast<int64_t>(chunk.size());
  }
  return hashes;
}

Status CheckpointStore::Delete(const CheckpointManifest& manifest) {
  DL_RETURN_IF_ERROR(CheckId(manifest.id));
  const std::string prefix = IdPrefix(manifest.id);
  return bulk_.DropFiles(prefix, PrefixEnd(prefix));
}

StatusOr<int64_t> CheckpointStore::CollectOrphans(const Orphans& orphans) {
  std::set<std::string, std::less<>> kept;
  for (const CheckpointId& id : orphans.live) kept.insert(IdPrefix(id));
  DL_ASSIGN_OR_RETURN(const std::vector<BulkStore::TableFile> files, bulk_.Files());
  int64_t collected = 0;
  for (const BulkStore::TableFile& file : files) {
    const size_t zero = file.smallest_key.find('\0');
    if (file.smallest_key.empty() || file.smallest_key.front() != kCheckpointKeys ||
        zero == std::string::npos)
      continue;
    const std::string prefix = file.smallest_key.substr(0, zero + 1 + kNumbersInId * kNumberBytes);
    if (kept.contains(prefix) ||
        orphans.spared_jobs.contains(file.smallest_key.substr(1, zero - 1)))
      continue;
    DL_RETURN_IF_ERROR(orphans.aside.empty()
                           ? bulk_.DropFiles(prefix, PrefixEnd(prefix))
                           : bulk_.MoveFilesTo(prefix, PrefixEnd(prefix), orphans.aside));
    ++collected;
  }
  return collected;
}

}  // namespace dl::storage
