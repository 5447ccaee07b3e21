// The manifest says what a dataset is: schema, counts, the ordered list of blocks, the sum of
// example hashes, and the normalizer. A job holds its hash; everything else follows from it.
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
  int64_t bytes = 0;  // encoded

  bool operator==(const BlockInfo&) const = default;
};

// The order in which an import stores a source's examples.
enum class CutOrder : uint8_t { kShuffled = 1, kSource = 2 };
std::string_view CutOrderName(CutOrder order);  // "shuffled", "source"

struct Manifest {
  Schema schema;
  int64_t examples = 0;
  CutOrder order = CutOrder::kShuffled;  // also when the document has no order
  std::vector<int64_t> class_histogram;  // [classes], empty for targets
  std::vector<BlockInfo> blocks;         // in stored order
  uint64_t example_hash_sum = 0;         // wrapping sum of ExampleHash over all ids
  std::string content_fingerprint;  // SHA-256 of the source's examples (block_cutting.h): the same
                                    // whatever file it was
  Normalizer normalizer;            // of the features
  Normalizer target_normalizer;     // of the numbers to predict (dataset/target_normalizer.h)

  bool operator==(const Manifest&) const = default;
};

inline constexpr DocumentKind kManifestDocument({.name = "dataset manifest",
                                                 .version = 1,
                                                 .key = "version"});

// Canonical: sorted keys, no spaces. Members of the document have the names of the fields;
// example_hash_sum is 16 hex digits because JSON's readers lose bits of 64.
std::string ManifestToJson(const Manifest& manifest);
// Hostile input is safe: counts agree with each other and with base/limits.h before anything relies
// on them. Errors name `source`; VersionMismatch for a newer one. The dataset's name is the SHA-256
// of the text, whatever version it has: it cannot be told from what was read of it.
StatusOr<Manifest> ManifestFromJson(std::string_view text, std::string_view source);
Status ValidateManifest(const Manifest& manifest);

// Most examples of a block of this schema: whole records within `block_bytes`, at least one.
int64_t ExamplesPerBlock(const Schema& schema, int64_t block_bytes);

// Examples of each block, for EpochOrder.
std::vector<int64_t> BlockExamples(const Manifest& manifest);

}  // namespace dl::dataset
