#include "storage/checkpoint_manifest.h"

#include <charconv>
#include <set>

#include "base/checksum.h"
#include "base/document_version.h"
#include "base/json.h"
#include "base/limits.h"

namespace dl::storage {
namespace {

void ReadChecksums(JsonObjectReader& reader, CheckpointPart& part) {
  std::vector<std::string> digits;
  reader.StringList("chunk_xxh3", digits);
  for (const std::string& hex : digits) {
    uint64_t value = 0;
    const auto parsed = std::from_chars(hex.data(), hex.data() + hex.size(), value, 16);
    if (hex.size() != 16 || parsed.ec != std::errc() || parsed.ptr != hex.data() + hex.size()) {
      reader.AddError("chunk_xxh3", "must be a list of strings of 16 hex digits");
      return;
    }
    part.chunk_xxh3.push_back(value);
  }
}

Status ReadPart(const Json& json, const std::string& path, int64_t chunk_bytes,
                CheckpointPart& part) {
  JsonObjectReader reader(json, path);
  for (const char* key : {"name", "bytes", "chunk_xxh3"}) reader.Require(key);
  reader.String("name", part.name);
  reader.Int("bytes", part.bytes, {0, limits::kMaxCheckpointBytes});
  ReadChecksums(reader, part);
  if (chunk_bytes > 0 &&
      static_cast<int64_t>(part.chunk_xxh3.size()) != (part.bytes + chunk_bytes - 1) / chunk_bytes)
    reader.AddError("chunk_xxh3", "does not have one entry for each chunk");
  return reader.Finish();
}

}  // namespace

int CheckpointManifest::PartIndex(std::string_view name) const {
  for (size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

int64_t CheckpointManifest::TotalBytes() const {
  int64_t total = 0;
  for (const CheckpointPart& part : parts) total += part.bytes;
  return total;
}

std::string CheckpointManifest::Name() const { return id.job + "@" + std::to_string(id.round); }

Json ToJson(const CheckpointManifest& manifest) {
  Json parts = Json::array();
  for (const CheckpointPart& part : manifest.parts) {
    Json checksums = Json::array();
    for (const uint64_t value : part.chunk_xxh3) checksums.push_back(HexU64(value));
    parts.push_back(
        {{"name", part.name}, {"bytes", part.bytes}, {"chunk_xxh3", std::move(checksums)}});
  }
  return {{"schema", kCheckpointManifestDocument.version()},
          {"job", manifest.id.job},
          {"round", manifest.id.round},
          {"term", manifest.id.term},
          {"nonce", manifest.id.nonce},
          {"state_sha256", manifest.state_sha256},
          {"chunk_bytes", manifest.chunk_bytes},
          {"parts", std::move(parts)}};
}

StatusOr<CheckpointManifest> CheckpointManifestFromJson(const Json& json, const std::string& path) {
  CheckpointManifest manifest;
  DL_ASSIGN_OR_RETURN(const CurrentDocument document,
                      UpgradeToCurrent(kCheckpointManifestDocument, json, path));
  JsonObjectReader reader = document.Reader();
  for (const char* key : {"job", "round", "term", "nonce", "state_sha256", "chunk_bytes", "parts"})
    reader.Require(key);
  reader.String("job", manifest.id.job);
  reader.Int("round", manifest.id.round, {0, INT64_MAX});
  reader.U64("term", manifest.id.term);
  reader.U64("nonce", manifest.id.nonce);
  reader.String("state_sha256", manifest.state_sha256);
  reader.Int("chunk_bytes", manifest.chunk_bytes, {1, limits::kMaxBlockBytes});
  if (const Json* parts = reader.Child("parts"); parts != nullptr) {
    if (!parts->is_array() || parts->size() > static_cast<size_t>(limits::kMaxCheckpointParts)) {
      reader.AddError("parts", "must be a list");
    } else {
      std::set<std::string> names;
      for (size_t i = 0; i < parts->size(); ++i) {
        CheckpointPart part;
        reader.AddErrors(ReadPart((*parts)[i],
                                  reader.PathOf("parts") + "[" + std::to_string(i) + "]",
                                  manifest.chunk_bytes, part));
        if (!names.insert(part.name).second)
          reader.AddError("parts", "lists '" + part.name + "' twice");
        manifest.parts.push_back(std::move(part));
      }
    }
  }
  DL_RETURN_IF_ERROR(document.Explain(reader.Finish()));
  return manifest;
}

}  // namespace dl::storage
