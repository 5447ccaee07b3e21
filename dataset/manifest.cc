#include "dataset/manifest.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/document_keys.h"
#include "base/document_version.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/lower_hex.h"
#include "base/name_table.h"
#include "dataset/target_normalizer.h"

namespace dl::dataset {
namespace {

Status BadManifest(std::string message) {
  return InvalidArgument(
      {.message = "manifest: " + std::move(message), .remedy = "Import the dataset again"});
}

constexpr std::pair<CutOrder, std::string_view> kCutOrders[] = {{CutOrder::kShuffled, "shuffled"},
                                                                {CutOrder::kSource, "source"}};

bool ParseCutOrder(std::string_view name, CutOrder& out) { return ParseIn(kCutOrders, name, out); }

constexpr auto kBlockKeys = [](auto& keys, auto& block) {
  keys.Value("sha256", block.sha256, {.required = true});
  keys.Value("examples", block.examples, {.required = true, .min = 1, .max = limits::kMaxExamples});
  keys.Value("bytes", block.bytes, {.required = true, .min = 1, .max = 2 * limits::kMaxBlockBytes});
};

constexpr auto kManifestKeys = [](auto& keys, auto& manifest) {
  keys.Converted("schema", manifest.schema, SchemaFromJson, SchemaToJson, {.required = true});
  keys.Value("examples", manifest.examples,
             {.required = true, .min = 1, .max = limits::kMaxExamples});
  keys.Word("order", manifest.order, CutOrderName, ParseCutOrder,
            "must be \"shuffled\" or \"source\"", {.required = false});
  keys.Value("class_histogram", manifest.class_histogram,
             {.required = true, .min = 0, .max = limits::kMaxExamples});
  keys.List("blocks", manifest.blocks, kBlockKeys, {.required = true});
  keys.Hex("example_hash_sum", manifest.example_hash_sum);
  keys.Value("content_fingerprint", manifest.content_fingerprint, {.required = true});
  keys.Converted("normalizer", manifest.normalizer, NormalizerFromJson, NormalizerToJson,
                 {.required = true});
  keys.Converted("target_normalizer", manifest.target_normalizer, NormalizerFromJson,
                 NormalizerToJson, {.omit_default = true});
};

}  // namespace

std::string_view CutOrderName(CutOrder order) { return NameIn(kCutOrders, order); }

std::string ManifestToJson(const Manifest& manifest) {
  Json json{{"version", kManifestDocument.version()}};
  KeyWriter keys(json);
  kManifestKeys(keys, manifest);
  return json.dump();
}

StatusOr<Manifest> ManifestFromJson(std::string_view text, std::string_view source) {
  DL_ASSIGN_OR_RETURN(const Json json, ParseJson(text, source));
  const std::string context = absl::StrCat("manifest ", std::string(source));
  const StatusOr<CurrentDocument> document = UpgradeToCurrent(kManifestDocument, json, "");
  if (!document.ok()) return WithContext(document.status(), context);
  Manifest manifest;
  JsonObjectReader reader = document->Reader();
  KeyReader keys(reader);
  kManifestKeys(keys, manifest);
  if (const Status status = document->Explain(keys.Finish()); !status.ok())
    return WithContext(status, context);
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
