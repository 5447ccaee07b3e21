#include "dataset/manifest.h"

#include <algorithm>
#include <charconv>

#include "absl/strings/str_cat.h"
#include "base/checksum.h"
#include "base/document_version.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/lower_hex.h"
#include "dataset/target_normalizer.h"

namespace dl::dataset {
namespace {

Status BadManifest(std::string message) {
  return InvalidArgument(
      {.message = "manifest: " + std::move(message), .remedy = "Import the dataset again"});
}

void ReadBlocks(JsonObjectReader& reader, std::vector<BlockInfo>& out) {
  const Json* list = reader.Child("blocks");
  if (list == nullptr) return;
  if (!list->is_array()) return reader.AddError("blocks", "must be a list");
  for (size_t i = 0; i < list->size(); ++i) {
    BlockInfo block;
    JsonObjectReader item((*list)[i], reader.PathOf(absl::StrCat("blocks[", i, "]")));
    for (const char* key : {"sha256", "examples", "bytes"}) item.Require(key);
    item.String("sha256", block.sha256);
    item.Int("examples", block.examples, {1, limits::kMaxExamples});
    item.Int("bytes", block.bytes, {1, 2 * limits::kMaxBlockBytes});
    if (Status status = item.Finish(); !status.ok()) return reader.AddErrors(status);
    out.push_back(std::move(block));
  }
}

StatusOr<CutOrder> CutOrderFromName(const std::string& name) {
  for (const CutOrder order : {CutOrder::kShuffled, CutOrder::kSource})
    if (CutOrderName(order) == name) return order;
  return BadManifest(absl::StrCat("order is \"", name, "\", must be \"shuffled\" or \"source\""));
}

}  // namespace

std::string_view CutOrderName(CutOrder order) {
  return order == CutOrder::kSource ? "source" : "shuffled";
}

std::string ManifestToJson(const Manifest& manifest) {
  Json blocks = Json::array();
  for (const BlockInfo& block : manifest.blocks) {
    blocks.push_back(
        {{"sha256", block.sha256}, {"examples", block.examples}, {"bytes", block.bytes}});
  }
  Json json{{"version", kManifestDocument.version()},
            {"schema", SchemaToJson(manifest.schema)},
            {"examples", manifest.examples},
            {"order", CutOrderName(manifest.order)},
            {"class_histogram", manifest.class_histogram},
            {"blocks", std::move(blocks)},
            {"example_hash_sum", HexU64(manifest.example_hash_sum)},
            {"content_fingerprint", manifest.content_fingerprint},
            {"normalizer", NormalizerToJson(manifest.normalizer)}};
  if (manifest.target_normalizer.kind != NormalizerKind::kNone)
    json["target_normalizer"] = NormalizerToJson(manifest.target_normalizer);
  return json.dump();
}

StatusOr<Manifest> ManifestFromJson(std::string_view text, std::string_view source) {
  DL_ASSIGN_OR_RETURN(const Json json, ParseJson(text, source));
  const StatusOr<CurrentDocument> document = BringToCurrent(kManifestDocument, json, "");
  if (!document.ok())
    return WithContext(document.status(), absl::StrCat("manifest ", std::string(source)));
  Manifest manifest;
  std::string hash_sum, order(CutOrderName(manifest.order));
  JsonObjectReader reader = document->Reader();
  for (const char* key : {"schema", "examples", "class_histogram", "blocks", "example_hash_sum",
                          "content_fingerprint", "normalizer"}) {
    reader.Require(key);
  }
  reader.Int("examples", manifest.examples, {1, limits::kMaxExamples});
  reader.IntList("class_histogram", manifest.class_histogram, {0, limits::kMaxExamples});
  reader.String("order", order);
  reader.String("example_hash_sum", hash_sum);
  reader.String("content_fingerprint", manifest.content_fingerprint);
  ReadBlocks(reader, manifest.blocks);
  const Json* schema = reader.Child("schema");
  const Json* normalizer = reader.Child("normalizer");
  const Json* target_normalizer = reader.Child("target_normalizer");
  if (Status status = document->Explain(reader.Finish()); !status.ok()) {
    return WithContext(status, absl::StrCat("manifest ", std::string(source)));
  }
  DL_ASSIGN_OR_RETURN(manifest.order, CutOrderFromName(order));
  DL_ASSIGN_OR_RETURN(manifest.schema, SchemaFromJson(*schema, "schema"));
  DL_ASSIGN_OR_RETURN(manifest.normalizer, NormalizerFromJson(*normalizer, "normalizer"));
  if (target_normalizer != nullptr) {
    DL_ASSIGN_OR_RETURN(manifest.target_normalizer,
                        NormalizerFromJson(*target_normalizer, "target_normalizer"));
  }
  if (!IsLowerHex(hash_sum, 16)) return BadManifest("example_hash_sum must be 16 hex digits");
  std::from_chars(hash_sum.data(), hash_sum.data() + 16, manifest.example_hash_sum, 16);
  DL_RETURN_IF_ERROR(ValidateManifest(manifest));
  return manifest;
}

Status ValidateManifest(const Manifest& manifest) {
  DL_RETURN_IF_ERROR(ValidateSchema(manifest.schema));
  DL_RETURN_IF_ERROR(ValidateNormalizer(manifest.normalizer, manifest.schema));
  DL_RETURN_IF_ERROR(ValidateTargetNormalizer(manifest.target_normalizer, manifest.schema));
  const int64_t most = ExamplesPerBlock(manifest.schema, limits::kBlockBytes);
  int64_t total = 0;
  for (const BlockInfo& block : manifest.blocks) {
    if (!IsSha256Hex(block.sha256)) return BadManifest("a block's sha256 must be 64 hex digits");
    if (block.examples < 1 || block.examples > most) {
      return BadManifest(absl::StrCat("block ", block.sha256, " holds ", block.examples,
                                      " examples, must hold from 1 to ", most));
    }
    total += block.examples;
    if (total > limits::kMaxExamples) break;
  }
  if (total != manifest.examples || total < 1 || total > limits::kMaxExamples) {
    return BadManifest(
        absl::StrCat("the blocks hold ", total, " examples, the dataset ", manifest.examples));
  }
  if (!IsSha256Hex(manifest.content_fingerprint)) {
    return BadManifest("content_fingerprint must be 64 hex digits");
  }
  if (static_cast<int64_t>(manifest.class_histogram.size()) != manifest.schema.classes()) {
    return BadManifest(absl::StrCat("a histogram of ", manifest.class_histogram.size(),
                                    " classes for ", manifest.schema.classes()));
  }
  int64_t counted = 0, labels = 0;
  if (__builtin_mul_overflow(manifest.examples, manifest.schema.labels_per_example(), &labels))
    return BadManifest("there are more labels than can be counted");
  for (int64_t count : manifest.class_histogram) {
    if (count < 0 || count > labels - counted) return BadManifest("the class histogram is wrong");
    counted += count;
  }
  // Each example of variable length has at least one label. A sequence of classes may be empty.
  const bool may_have_none = manifest.schema.label_sequences() || manifest.schema.may_lack_labels();
  const int64_t least = may_have_none                     ? 0
                        : manifest.schema.variable_length ? manifest.examples
                                                          : labels;
  if (manifest.schema.label_kind() == LabelKind::kClass && counted < least) {
    return BadManifest(
        absl::StrCat("the class histogram counts ", counted, " of ", labels, " labels"));
  }
  return absl::OkStatus();
}

int64_t ExamplesPerBlock(const Schema& schema, int64_t block_bytes) {
  return std::max<int64_t>(1, block_bytes / schema.RecordBytes());
}

std::vector<int64_t> BlockExamples(const Manifest& manifest) {
  std::vector<int64_t> out;
  out.reserve(manifest.blocks.size());
  for (const BlockInfo& block : manifest.blocks) out.push_back(block.examples);
  return out;
}

}  // namespace dl::dataset
