// Stores a table as blocks and returns its manifest. Shuffles the examples once with a fixed key,
// because many files are sorted by class, or keeps the order of the source.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/limits.h"
#include "base/status.h"
#include "dataset/block.h"
#include "dataset/block_source.h"
#include "dataset/example_sample.h"
#include "dataset/example_table.h"
#include "dataset/manifest.h"
#include "dataset/normalizer.h"
#include "dataset/target_normalizer.h"

namespace dl::dataset {

struct CutOptions {
  // The normalizers to fit on this table. Not used if `fitted` is set.
  NormalizerKind normalizer = NormalizerKind::kNone;
  TargetNormalizerOptions target_normalizer;
  // For a test split: the normalizers of its training split.
  struct Fitted {
    Normalizer features, targets;
  };
  std::optional<Fitted> fitted;
  CutOrder order = CutOrder::kShuffled;
  uint64_t shuffle_key = 0;
  Compression compression = Compression::kNone;
  int64_t block_bytes = limits::kBlockBytes;          // smaller in tests
  int64_t memory_bytes = limits::kImportMemoryBytes;  // for rows of a table that is not in memory
  ExampleSampler* sampler = nullptr;                  // if not null, gets the features
};

// Stores the blocks in `sink` and returns the manifest. The same table and options give the same
// blocks and manifest on every machine (with zstd: with the same version of zstd). Needs memory for
// the table, or `memory_bytes` if its rows are in a file, and up to 20 bytes per example for the
// order. Returns InvalidArgument for an invalid table, a normalizer that does not fit and a
// `block_bytes` that is not in 1..kBlockBytes. Returns ResourceExhausted for a full disk, and the
// errors of the sink. After an error, blocks that were already stored remain in the sink.
StatusOr<Manifest> CutBlocks(const ExampleTable& table, const CutOptions& options, BlockSink& sink);

// Returns the SHA-256 over schema and examples in source order. It does not depend on which columns
// of the source were the labels and the weights. Adds the features of all examples to `sampler`,
// unless it is null. Returns errors of the table's temporary file.
StatusOr<std::string> ContentFingerprint(const ExampleTable& table,
                                         ExampleSampler* sampler = nullptr);

}  // namespace dl::dataset
