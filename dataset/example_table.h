// A dataset in memory as a reader found it: raw features, in source order. Example i has the id i.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/status.h"
#include "dataset/schema.h"

namespace dl::dataset {

struct ExampleTable {
  Schema schema;
  int64_t examples = 0;
  std::vector<uint8_t> u8;       // [examples, feature size] for kU8, else empty
  std::vector<float> f32;        // the same for kF32
  std::vector<int32_t> classes;  // [examples] for kClass, each in [0, schema.classes)
  std::vector<float> targets;    // [examples, target_size] for kTarget

  // Bytes of all rows, as stored.
  std::span<const std::byte> FeatureBytes() const {
    return schema.feature_type == FeatureType::kU8 ? std::as_bytes(std::span(u8))
                                                   : std::as_bytes(std::span(f32));
  }
};

// Sizes match the schema, classes are in range, numbers are finite.
Status ValidateTable(const ExampleTable& table);

}  // namespace dl::dataset
