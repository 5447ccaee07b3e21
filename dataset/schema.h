// What one example of a dataset looks like.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "base/status.h"
#include "dataset/feature_column.h"
#include "job/sources/columns.h"

namespace dl::dataset {

// Stored numbers: never reuse a value.
enum class FeatureType : uint8_t { kU8 = 1, kF32 = 2 };
enum class LabelKind : uint8_t { kClass = 1, kTarget = 2, kNone = 3 };

// The label of what has none: a step behind the end of its sequence, or what is behind the last of
// a sequence of classes.
inline constexpr int32_t kNoLabel = -1;

// The weights that the examples of a source have in the loss.
struct ExampleWeights {
  // Of a table: the column of the weights, by name where the table has a header, else by index from
  // 0. Other tables' weights are found by it.
  std::optional<job::Column> column = {};
  // Mean weight of the training set, by which the stored weights were divided. Above 0.
  double mean = 1;

  bool operator==(const ExampleWeights&) const = default;
};

struct Schema {
  // Row-major. Four extents are a volume (channels, depth, height, width); three an image
  // (channels, height, width); two a sequence (steps, features); one is a table's row.
  std::vector<int64_t> feature_shape;
  FeatureType feature_type = FeatureType::kF32;
  LabelKind label_kind = LabelKind::kClass;
  int64_t classes = 0;                   // for kClass, else 0
  std::vector<std::string> class_names;  // empty or `classes` of them, UTF-8
  int64_t labels_per_example = 1;        // of a sequence one for each step, or one
  int64_t target_size = 0;               // floats of a label for kTarget, else 0
  // An example has up to labels_per_example classes, in their order; kNoLabel behind the last.
  bool label_sequences = false;
  bool may_lack_labels = false;  // an example may have kNoLabel as its class
  // Of texts whose tokens are to be filled in: the share that each minibatch asks for
  // (dataset/token_masks.h). The last class is the token that stands in their place. 0: none.
  double mask_probability = 0;
  // Of sequences: each example has a length of its own, from 1 step to the shape's. Behind it stand
  // zeros, and kNoLabel where steps have labels.
  bool variable_length = false;
  std::vector<std::string> feature_names;  // of a table with a header, in order; else empty. UTF-8
  // Of a table where one is more than a number that is always there; in order, else empty. Of
  // sequences, as the names, those of a step.
  std::vector<FeatureColumn> columns;
  // Of a table's targets, where one is a class by its name: that is its index in the column's
  // categories, kNoLabel where an example has none. In order, else empty.
  std::vector<FeatureColumn> target_columns;
  // Of a table: where its labels stand, by name where it has a header, else by index from 0.
  // Another table's labels are found by it.
  job::Columns label_columns;

  // Rows of libsvm whose first feature is 0, not 1. Another file without an index 0 does not show
  // it.
  bool indices_from_zero = false;
  // Absent: the examples have no weights, and each counts 1.
  std::optional<ExampleWeights> weights = {};

  // Subtracted from the values of a source before they were rounded to float32: one number for each
  // normalized feature. Empty: nothing was subtracted.
  std::vector<double> origins;

  bool operator==(const Schema&) const = default;

  int64_t FeatureSize() const;   // elements per example
  int64_t FeatureBytes() const;  // per example as stored
  int64_t StepSize() const;      // elements per step of a sequence, per example of all else
  // Features that are normalized by themselves: channels of images and volumes, features of a step
  // of sequences, else all.
  int64_t NormalizedFeatures() const;
  int64_t TargetsPerExample() const { return labels_per_example * target_size; }
  int64_t LabelBytes() const;  // per example as stored
  // Bytes of id, length, weight, label and features of one example in a block.
  int64_t RecordBytes() const;
  bool JudgesSteps() const;  // each step has a label of its own
  // Of classes, or of the target at this place where it is one: empty where they have no names.
  const std::vector<std::string>& ClassNamesAt(int64_t target) const;
};

// Extents, counts and names within base/limits.h and consistent with each other; a record fits a
// block.
Status ValidateSchema(const Schema& schema);

// Of the labels [examples, labels_per_example] the first that is no class, or that is one behind
// the end of its sequence, or of the classes of its example. REQUIRES: labels of whole examples,
// and their lengths where they are variable.
std::optional<size_t> FirstWrongLabel(const Schema& schema, std::span<const int32_t> lengths,
                                      std::span<const int32_t> classes);

// Returns the index of the first weight that is not a finite number of at least 0.
std::optional<size_t> FirstWrongWeight(std::span<const float> weights);

// {"feature_shape":[1,28,28],"feature_type":"u8","label_kind":"class","classes":10,"class_names":[...]}
Json SchemaToJson(const Schema& schema);
StatusOr<Schema> SchemaFromJson(const Json& json, const std::string& path);

}  // namespace dl::dataset
