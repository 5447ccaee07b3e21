// Documents and blocks from users and peers.
#include <cstring>
#include <memory>
#include <span>

#include "base/checksum.h"
#include "base/json.h"
#include "dataset/block.h"
#include "dataset/manifest.h"
#include "job/job_spec.h"
#include "tests/fuzz/fuzz_target.h"

namespace dl::fuzz {

// An accepted document must be written in a form that reads as equal.
bool FuzzJob(std::string_view bytes) {
  const auto spec = job::JobFromText(bytes, "job.json");
  if (!spec.ok()) {
    Require(!spec.status().message().empty(), "an error says what");
    return false;
  }
  const std::string text = JsonText(job::ToJson(*spec));
  const auto again = job::JobFromText(text, "job.json");
  Require(again.ok(), "a job that was written is read: " + again.status().ToString() + text);
  Require(JsonText(job::ToJson(*again)) == text, "a job that was read again is the same: " + text);
  return true;
}

bool FuzzManifest(std::string_view bytes) {
  const auto manifest = dataset::ManifestFromJson(bytes, "a manifest");
  if (!manifest.ok()) return false;
  const auto again = dataset::ManifestFromJson(dataset::ManifestToJson(*manifest), "a manifest");
  Require(again.ok() && *again == *manifest, "a manifest that was written is read as the same");
  return true;
}

bool FuzzBlock(std::string_view bytes) {
  const uint8_t choice = TakeChoice(bytes);
  dataset::Schema schema = {.feature_shape = {2, 1, 2},
                            .features = dataset::ByteFeatures{},
                            .labels = dataset::ClassLabels{.classes = 3}};
  if (choice % 3 == 1) {
    schema = {.feature_shape = {3}, .labels = dataset::TargetLabels{.size = 2}};
  } else if (choice % 3 == 2) {
    schema = {.feature_shape = {3, 1},
              .features = dataset::ByteFeatures{},
              .variable_length = true,
              .labels = dataset::ClassLabels{.classes = 3, .per_example = 3}};
  }
  const auto all = std::as_bytes(std::span(bytes));
  auto copy = std::make_shared<dataset::Bytes>(all.begin(), all.end());
  // Corrects the checksum. Otherwise most code after its check would never be reached.
  if (const size_t summed = bytes.size() - sizeof(uint64_t); bytes.size() >= sizeof(uint64_t)) {
    const uint64_t sum = Xxh3(bytes.substr(0, summed));
    std::memcpy(copy->data() + summed, &sum, sizeof(sum));
  }
  const auto block = dataset::Block::Decode(copy, schema);
  if (!block.ok()) return false;
  int64_t sum = 0;  // reads all values
  for (const uint64_t id : (*block)->ids()) sum += static_cast<int64_t>(id & 1);
  for (const int32_t length : (*block)->lengths())
    Require(length >= 1 && length <= schema.feature_shape[0], "sequences have steps");
  const int32_t least = schema.variable_length ? dataset::kNoLabel : 0;
  for (const int32_t label : (*block)->classes())
    Require(label >= least && label < schema.classes(), "labels are classes");
  for (const float target : (*block)->targets()) sum += target > 0;
  for (const uint8_t value : (*block)->features_u8()) sum += value;
  for (const float value : (*block)->features_f32()) sum += value > 0;
  Require(sum >= 0, "a block holds its examples");
  return true;
}

}  // namespace dl::fuzz
