// A dataset as a reader returns it: raw features in source order. Example i has the id i. Features
// that do not fit into the memory limit are in a temporary file.
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
  // Features of the first examples; null if all are in memory. Copies of the table share the file,
  // so SpillFeatures must not be called for a table that has copies.
  std::shared_ptr<SpillFile> spilled;
  std::vector<uint8_t> u8;  // [later examples, feature size] for kU8, else empty
  // [later examples, feature size] for kF32, else empty. NaN is a missing number. It is allowed
  // only in a column whose schema has a value that replaces it (FillsOf).
  std::vector<float> f32;
  // [examples, labels_per_example] for kClass, each in [0, schema.classes()), or kNoLabel at places
  // without a class.
  std::vector<int32_t> classes;
  std::vector<float> targets;    // [examples, labels_per_example, target_size] for kTarget
  std::vector<int32_t> lengths;  // [examples] if lengths vary; each from 1 to the number of steps
  // [examples] if the schema has weights, each finite and at least 0; else empty.
  std::vector<float> weights;
  std::vector<std::string> warnings;  // sentences about the values that were read

  // Returns the bytes of the rows in memory, as they are stored.
  std::span<const std::byte> FeatureBytes() const {
    return schema.feature_type() == FeatureType::kU8 ? std::as_bytes(std::span(u8))
                                                     : std::as_bytes(std::span(f32));
  }
};

inline constexpr SpillFile::Purpose kRowSpill = {
    .what = "rows that memory may not hold",
    .remedy =
        "Free space there, set TMPDIR to a folder on a larger disk, or import with more "
        "--memory"};

// Limit for the features of a source in memory while it is read. The rest is written to a temporary
// file in `folder` (base/spill_file.h).
struct RowMemory {
  int64_t bytes = INT64_MAX;
  std::string folder;
};
// Moves all features in memory to the end of table.spilled, if they take at least `memory.bytes`.
// Creates the file at the first call that needs it. Readers must call this function before they
// append rows. Returns errors of the file. REQUIRES: the features are whole rows.
Status SpillFeatures(const RowMemory& memory, ExampleTable& table);

// Returns the sequence of classes of an example, without the kNoLabel after its end. May be empty.
// REQUIRES: table.schema.label_sequences().
std::span<const int32_t> ClassesOf(const ExampleTable& table, int64_t example);

// Calls `visit` with the features of all examples in source order, in parts of one or more whole
// rows. Stops at the first error and returns it: that of `visit` or of the file.
Status VisitFeatures(const ExampleTable& table,
                     const std::function<Status(std::span<const std::byte>)>& visit);

// Checks that sizes match the schema, classes are in range, numbers are finite or missing, and
// weights are at least 0. Returns InvalidArgument otherwise. Does not read the features in the
// temporary file.
Status ValidateTable(const ExampleTable& table);

}  // namespace dl::dataset
