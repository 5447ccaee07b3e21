#include "launch/import/remembered_import.h"

#include <charconv>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/checksum.h"
#include "base/closed_folder.h"
#include "base/files.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/lower_hex.h"
#include "base/utf8.h"

namespace dl::launch {
namespace {

Json StepsToJson(const SequenceSteps& steps) {
  Json json = Json::array();
  for (const NeededSteps& each : steps)
    json.push_back({{"length", each.length}, {"needed", each.needed}, {"example", each.example}});
  return json;
}

Status ReadSteps(const Json& json, const std::string& path, SequenceSteps& steps) {
  for (const Json& entry : json) {
    NeededSteps each;
    JsonObjectReader reader(entry, path);
    reader.Int("length", each.length);
    reader.Int("needed", each.needed);
    reader.Int("example", each.example);
    DL_RETURN_IF_ERROR(reader.Finish());
    steps.push_back(each);
  }
  return absl::OkStatus();
}

constexpr size_t kDigits = 16;  // of a hash in hex

Json SampleToJson(const dataset::ExampleSample& sample) {
  std::string hashes;
  for (const uint64_t hash : sample.hashes) hashes += HexU64(hash);
  return {{"examples", sample.examples},
          {"sum", HexU64(sample.sum)},
          {"repeated", sample.repeated},
          {"hashes", std::move(hashes)}};
}

StatusOr<uint64_t> HashFromHex(std::string_view text, const std::string& path) {
  uint64_t hash = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), hash, 16);
  if (error == std::errc() && end == text.data() + text.size() && text.size() == kDigits)
    return hash;
  return DataLoss({.message = "a hash is not 16 hex digits", .where = path});
}

Status ReadSample(const Json& json, const std::string& path, dataset::ExampleSample& sample) {
  std::string sum, hashes;
  JsonObjectReader reader(json, path);
  reader.Int("examples", sample.examples);
  reader.String("sum", sum);
  reader.Double("repeated", sample.repeated);
  reader.String("hashes", hashes);
  DL_RETURN_IF_ERROR(reader.Finish());
  DL_ASSIGN_OR_RETURN(sample.sum, HashFromHex(sum, path));
  for (size_t at = 0; at < hashes.size(); at += kDigits) {
    DL_ASSIGN_OR_RETURN(const uint64_t hash,
                        HashFromHex(std::string_view(hashes).substr(at, kDigits), path));
    sample.hashes.push_back(hash);
  }
  return absl::OkStatus();
}

StatusOr<RememberedImport> ImportFromJson(const Json& json, const std::string& path) {
  RememberedImport import;
  Json manifest, unknown = Json::array();
  JsonObjectReader reader(json, path);
  if (const Json* child = reader.Child("manifest")) manifest = *child;
  reader.StringList("warnings", import.warnings);
  if (const Json* child = reader.Child("unknown")) unknown = *child;
  if (const Json* child = reader.Child("sequence_steps"))
    DL_RETURN_IF_ERROR(ReadSteps(*child, path, import.sequence_steps));
  if (const Json* child = reader.Child("sample"))
    DL_RETURN_IF_ERROR(ReadSample(*child, path, import.sample));
  DL_RETURN_IF_ERROR(reader.Finish());
  for (const Json& entry : unknown) {
    dataset::UnknownCategories column;
    JsonObjectReader of_column(entry, path);
    of_column.String("column", column.column);
    of_column.Int("unknown", column.unknown);
    of_column.Int("values", column.values);
    of_column.String("example", column.example);
    DL_RETURN_IF_ERROR(of_column.Finish());
    import.unknown.push_back(std::move(column));
  }
  DL_ASSIGN_OR_RETURN(import.manifest, dataset::ManifestFromJson(JsonText(manifest), path));
  return import;
}

std::string PathOfManifest(const std::string& folder, const std::string& manifest) {
  return absl::StrCat(folder, "/manifest-", Sha256Hex(manifest), ".json");
}

}  // namespace

std::optional<RememberedImport> ReadRememberedImport(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return std::nullopt;
  const auto text = ReadFile(path, limits::kMaxJsonBytes);
  if (!text.ok()) return std::nullopt;
  const auto json = ParseJson(*text, path);
  if (!json.ok()) return std::nullopt;
  auto import = ImportFromJson(*json, path);
  return import.ok() ? std::optional(*std::move(import)) : std::nullopt;
}

Status RememberImport(const std::string& path, const RememberedImport& import) {
  DL_ASSIGN_OR_RETURN(Json manifest,
                      ParseJson(dataset::ManifestToJson(import.manifest), "manifest"));
  Json warnings = Json::array(), unknown = Json::array();
  for (const std::string& warning : import.warnings) warnings.push_back(RepairUtf8(warning));
  for (const dataset::UnknownCategories& column : import.unknown) {
    unknown.push_back({{"column", RepairUtf8(column.column)},
                       {"unknown", column.unknown},
                       {"values", column.values},
                       {"example", RepairUtf8(column.example)}});
  }
  const Json json = {{"manifest", std::move(manifest)},
                     {"warnings", std::move(warnings)},
                     {"unknown", std::move(unknown)},
                     {"sequence_steps", StepsToJson(import.sequence_steps)},
                     {"sample", SampleToJson(import.sample)}};
  DL_RETURN_IF_ERROR(CreateClosedFolder(std::filesystem::path(path).parent_path().string()));
  return AtomicWriteFile(path, JsonText(json));
}

Status RememberManifest(const std::string& folder, const dataset::Manifest& manifest,
                        const std::string& fingerprint) {
  const std::string path = PathOfManifest(folder, dataset::ManifestToJson(manifest));
  std::error_code error;
  if (std::filesystem::exists(path, error)) return absl::OkStatus();
  return AtomicWriteFile(path, JsonText(Json{{"import", fingerprint}}));
}

std::optional<dataset::ExampleSample> SampleOfManifest(const std::string& folder,
                                                       const std::string& manifest) {
  const std::string path = PathOfManifest(folder, manifest);
  const auto text = ReadFile(path, limits::kMaxJsonBytes);
  if (!text.ok()) return std::nullopt;
  const auto json = ParseJson(*text, path);
  if (!json.ok()) return std::nullopt;
  std::string fingerprint;
  JsonObjectReader reader(*json, path);
  reader.String("import", fingerprint);
  if (!reader.Finish().ok() || !IsSha256Hex(fingerprint)) return std::nullopt;
  auto import = ReadRememberedImport(absl::StrCat(folder, "/", fingerprint, ".json"));
  return import ? std::optional(std::move(import->sample)) : std::nullopt;
}

}  // namespace dl::launch
