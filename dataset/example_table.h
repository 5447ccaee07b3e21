// A dataset as a reader found it: raw features, in source order. Example i has the id i. What
// memory is not to hold of the features lies in a temporary file.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/spill_file.h"
#include "base/status.h"
#include "dataset/schema.h"

namespace dl::dataset {

struct ExampleTable {
  Schema schema;
  int64_t examples = 0;
  // Features of the first examples; null: of none. Shared by copies, which only read it.
  std::shared_ptr<SpillFile> spilled;
  std::vector<uint8_t> u8;  // [examples behind those, feature size] for kU8, else empty
  std::vector<float> f32;   // the same for kF32
  // [examples, labels_per_example] for kClass, each in [0, schema.classes); kNoLabel behind the end
  // of a sequence.
  std::vector<int32_t> classes;
  std::vector<float> targets;    // [examples, labels_per_example, target_size] for kTarget
  std::vector<int32_t> lengths;  // [examples] where they are variable, each from 1 to the shape's
  // [examples] where the schema has weights, each finite and at least 0; else empty.
  std::vector<float> weights;
  std::vector<std::string> warnings;  // sentences about the values that were read

  // Bytes of the rows in memory, as stored.
  std::span<const std::byte> FeatureBytes() const {
    return schema.feature_type == FeatureType::kU8 ? std::as_bytes(std::span(u8))
                                                   : std::as_bytes(std::span(f32));
  }
};

inline constexpr SpillFile::Purpose kRowSpill = {
    .what = "rows that memory may not hold",
    .remedy =
        "Free space there, let TMPDIR name a folder on a larger disk, or import with more "
        "--memory"};

// How much of a source's features is held in memory while it is read; the rest goes to a temporary
// file in `folder` (base/spill_file.h).
struct RowMemory {
  int64_t bytes = INT64_MAX;
  std::string folder;
};
// Called by readers as rows come, before each: moves the features that are there to the file when
// they are more than memory may hold. REQUIRES: they are whole rows.
Status SpillFeatures(const RowMemory& memory, ExampleTable& table);

// Of a table whose labels are sequences: the classes of an example, which may be none.
std::span<const int32_t> ClassesOf(const ExampleTable& table, int64_t example);

// Calls `visit` with the features of all examples in source order, some whole rows at a time, until
// it returns an error.
Status VisitFeatures(const ExampleTable& table,
                     const std::function<Status(std::span<const std::byte>)>& visit);

// Sizes match the schema, classes are in range, numbers are finite, weights are at least 0.
Status ValidateTable(const ExampleTable& table);

}  // namespace dl::dataset
