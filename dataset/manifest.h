// The manifest describes a dataset: schema, counts, the ordered list of blocks, the sum of example
// hashes, and the normalizers. A job stores the hash of the manifest and a summary
// (job::ManifestReference).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/document_kind.h"
#include "base/status.h"
#include "dataset/normalizer.h"
#include "dataset/schema.h"

namespace dl::dataset {

struct BlockInfo {
  std::string sha256;  // 64 lower-case hex digits
  int64_t examples = 0;
  int64_t bytes = 0;  // size of the encoded block

  bool operator==(const BlockInfo&) const = default;
};

// The order in which an import stores the examples of a source.
enum class CutOrder : uint8_t { kShuffled = 1, kSource = 2 };
std::string_view CutOrderName(CutOrder order);  // "shuffled" or "source"

struct Manifest {
  Schema schema;
  int64_t examples = 0;
  CutOrder order = CutOrder::kShuffled;  // default for documents without this key
  // [classes], the number of labels of each class, kNoLabel not counted; empty unless labels are
  // classes or sequences of classes.
  std::vector<int64_t> class_histogram;
  std::vector<BlockInfo> blocks;  // in stored order; epoch_order.h numbers them from 0
  uint64_t example_hash_sum = 0;  // wrapping sum of ExampleHash over all ids
  // SHA-256 of the schema and the examples in source order (ContentFingerprint in block_cutting.h).
  std::string content_fingerprint;
  Normalizer normalizer;         // of the features
  Normalizer target_normalizer;  // of the numbers to predict (dataset/target_normalizer.h)

  bool operator==(const Manifest&) const = default;
};

inline constexpr DocumentKind kManifestDocument({.name = "dataset manifest",
                                                 .version = 1,
                                                 .key = "version"});

// Returns canonical JSON: sorted keys, no spaces. Keys are the names of the fields.
// example_hash_sum is written as 16 hex digits, because many JSON readers do not keep 64 bits.
std::string ManifestToJson(const Manifest& manifest);
// Parses a manifest. Hostile input is safe, because counts are compared with each other and with
// base/limits.h before they are used. Returns VersionMismatch for a newer version, DataLoss for a
// wrong hash of a normalizer, and InvalidArgument for other mistakes. Errors about the JSON and its
// keys name `source`; errors about schema, normalizers and counts name the part of the manifest.
// The name of the dataset is the SHA-256 of the text in its original version, so it cannot be
// computed from the result.
StatusOr<Manifest> ManifestFromJson(std::string_view text, std::string_view source);
// Returns InvalidArgument if counts, hashes or normalizers of the manifest contradict each other or
// exceed limits.
Status ValidateManifest(const Manifest& manifest);

// Returns the largest number of examples in a block of this schema: whole records within
// `block_bytes`, at least 1.
int64_t ExamplesPerBlock(const Schema& schema, int64_t block_bytes);

// Returns the number of examples of each block, for EpochOrder.
std::vector<int64_t> BlockExamples(const Manifest& manifest);

}  // namespace dl::dataset
