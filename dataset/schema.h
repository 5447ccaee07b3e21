// The schema of a dataset: the form of its examples.
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

// Stored as numbers: never reuse a value.
enum class FeatureType : uint8_t { kU8 = 1, kF32 = 2 };
enum class LabelKind : uint8_t { kClass = 1, kTarget = 2, kNone = 3 };

// The label of places without a label: steps after the end of a sequence, and places after the last
// class of a sequence of classes.
inline constexpr int32_t kNoLabel = -1;

// Weights of the examples of a source in the loss.
struct ExampleWeights {
  // For tables: the column of the weights, by name if the table has a header, else by index from 0.
  // Used to find the weights in other tables.
  std::optional<job::Column> column = {};
  // Mean weight of the training set, above 0. The stored weights were divided by it.
  double mean = 1;

  bool operator==(const ExampleWeights&) const = default;
};

struct Schema {
  // Row-major. Four dimensions are a volume (channels, depth, height, width), three an image
  // (channels, height, width), two a sequence (steps, features), and one is a row of a table.
  std::vector<int64_t> feature_shape;
  FeatureType feature_type = FeatureType::kF32;
  LabelKind label_kind = LabelKind::kClass;
  int64_t classes = 0;                   // for kClass, else 0
  std::vector<std::string> class_names;  // empty, or `classes` names in UTF-8
  // 1, or the number of labels in an example: one per step, per pixel, or the longest sequence of
  // classes
  int64_t labels_per_example = 1;
  int64_t target_size = 0;  // number of floats of a label for kTarget, else 0
  // True: an example has up to labels_per_example classes in order, kNoLabel after the last.
  bool label_sequences = false;
  bool may_lack_labels = false;  // an example may have kNoLabel as its class
  // For texts whose tokens are to be filled in: the probability with which a token is asked for
  // (dataset/token_masks.h). The last class is the token that hides them. 0: no tokens are hidden.
  double mask_probability = 0;
  // For sequences: each example has a length from 1 step to that of the shape. The steps after it
  // are zeros, and kNoLabel if steps have labels.
  bool variable_length = false;
  std::vector<std::string> feature_names;  // UTF-8, in order, for a table with a header; else empty
  // For tables in which a column is not just a number that always exists; in order, else empty. For
  // sequences, the columns of a step.
  std::vector<FeatureColumn> columns;
  // For targets of a table, if one of them is a class given by name. Its value is the index in the
  // column's categories, or kNoLabel if an example has none. In order, else empty.
  std::vector<FeatureColumn> target_columns;
  // For tables: the columns of the labels, by name if the table has a header, else by index from 0.
  // Used to find the labels in other tables.
  job::Columns label_columns;

  // For libsvm: the first feature has index 0 and not 1. Another file without index 0 cannot show
  // this.
  bool indices_from_zero = false;
  // nullopt: the examples have no weights, and each counts 1.
  std::optional<ExampleWeights> weights = {};

  // Numbers that were subtracted from the values of a source before they were rounded to float32,
  // one for each normalized feature. Empty: nothing was subtracted.
  std::vector<double> origins;

  bool operator==(const Schema&) const = default;

  int64_t FeatureSize() const;   // number of elements of an example
  int64_t FeatureBytes() const;  // bytes of an example's features as stored
  int64_t StepSize() const;      // number of elements of a step of a sequence; else of an example
  // Number of features that are normalized separately: channels of images and volumes, features of
  // a step of sequences, else all features.
  int64_t NormalizedFeatures() const;
  int64_t TargetsPerExample() const { return labels_per_example * target_size; }
  int64_t LabelBytes() const;  // bytes of an example's labels as stored
  // Returns the bytes of one example in a block: id, length, weight, label and features.
  int64_t RecordBytes() const;
  bool JudgesSteps() const;  // each step has a label of its own
  // Returns the names of the classes, or those of the target at this index if it is a class. Empty
  // if classes have no names.
  const std::vector<std::string>& ClassNamesAt(int64_t target) const;
};

// Returns InvalidArgument unless dimensions, counts and names are within base/limits.h and
// consistent, and a record fits into a block.
Status ValidateSchema(const Schema& schema);

// Returns the index of the first wrong entry in the labels [examples, labels_per_example]; nullopt
// if all are right. REQUIRES: labels of whole examples, and their lengths if these vary. An entry
// is wrong
//   - if it is neither a class nor an allowed kNoLabel,
//   - if it is a class after the end of a sequence, or after the last class of an example.
std::optional<size_t> FirstWrongLabel(const Schema& schema, std::span<const int32_t> lengths,
                                      std::span<const int32_t> classes);

// Returns the index of the first weight that is not a finite number of at least 0; nullopt if there
// is none.
std::optional<size_t> FirstWrongWeight(std::span<const float> weights);

// Returns the schema as JSON, with the keys that it needs:
//   {"feature_shape":[1,28,28],"feature_type":"u8","label_kind":"class","classes":10}
Json SchemaToJson(const Schema& schema);
// Parses and validates a schema. `path` is the place in errors.
StatusOr<Schema> SchemaFromJson(const Json& json, const std::string& path);

}  // namespace dl::dataset
