#include "tests/support/generated_data.h"

#include <fstream>

#include "base/philox.h"
#include "base/status.h"

namespace dl::test {
namespace {

void PutBigEndian(std::string& out, uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) out.push_back(static_cast<char>(value >> shift));
}

void WriteFile(const std::string& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary);
  file << bytes;
  file.close();
  DL_CHECK(file.good());
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
  RandomStream random({.seed = options.seed, .purpose = RandomPurpose::kTest});
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
  WriteFile(set.features, images);
  WriteFile(set.labels, labels);
  return set;
}

}  // namespace dl::test
