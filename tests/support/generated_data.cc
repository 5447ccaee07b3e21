#include "tests/support/generated_data.h"

#include "base/philox.h"
#include "tests/support/folder_content.h"

namespace dl::test {
namespace {

void PutBigEndian(std::string& out, uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) out.push_back(static_cast<char>(value >> shift));
}

}  // namespace

ImageSet WriteImages(const std::string& prefix, const ImageOptions& options) {
  const int64_t extent = options.extent;
  std::string images, labels;
  PutBigEndian(images, 0x00000803);
  PutBigEndian(images, static_cast<uint32_t>(options.examples));
  PutBigEndian(images, static_cast<uint32_t>(extent));
  PutBigEndian(images, static_cast<uint32_t>(extent));
  PutBigEndian(labels, 0x00000801);
  PutBigEndian(labels, static_cast<uint32_t>(options.examples));
  RandomStream random({.seed = options.seed, .purpose = RandomPurpose::kForTests});
  for (int64_t i = 0; i < options.examples; ++i) {
    const int64_t label = static_cast<int64_t>(random.Bounded(options.classes));
    labels.push_back(static_cast<char>(label));
    for (int64_t y = 0; y < extent; ++y) {
      for (int64_t x = 0; x < extent; ++x) {
        const bool bar = y * options.classes / extent == label;
        images.push_back(static_cast<char>((bar ? 120 : 40) + random.Bounded(100)));
      }
    }
  }
  const ImageSet set{prefix + "-images.idx", prefix + "-labels.idx"};
  WriteContent(set.features, images);
  WriteContent(set.labels, labels);
  return set;
}

}  // namespace dl::test
