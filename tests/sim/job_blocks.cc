#include "tests/sim/job_blocks.h"

#include "absl/strings/str_cat.h"
#include "base/checksum.h"
#include "dataset/manifest.h"

namespace dl::sim {

std::vector<std::string> BlocksOf(const SimJob& job) {
  constexpr uint64_t kDatasets = 8;
  const uint64_t dataset = job.seed % kDatasets;
  std::vector<std::string> blocks{absl::StrCat("block ", dataset)};
  // Neighboring datasets have a block in common.
  if (dataset % 2 == 0) blocks.push_back(absl::StrCat("block ", dataset + 1));
  return blocks;
}

std::string ManifestOf(const std::vector<std::string>& blocks) {
  dataset::Manifest manifest;
  manifest.schema = {.feature_shape = {1, 2, 2},
                     .features = dataset::ByteFeatures{},
                     .labels = dataset::ClassLabels{.classes = 2}};
  manifest.examples = static_cast<int64_t>(blocks.size());
  manifest.class_histogram = {manifest.examples, 0};
  manifest.content_fingerprint = Sha256Hex("fingerprint");
  for (const std::string& block : blocks)
    manifest.blocks.push_back({.sha256 = Sha256Hex(block), .examples = 1, .bytes = 1});
  return dataset::ManifestToJson(manifest);
}

}  // namespace dl::sim
