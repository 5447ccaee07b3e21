// The schema of a dataset: the form of its examples.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/json_fwd.h"
#include "base/status.h"
#include "dataset/feature_column.h"
#include "job/sources/columns.h"

namespace dl::dataset {

// Stored as numbers: never reuse a value.
enum class FeatureType : uint8_t { kU8 = 1, kF32 = 2 };
enum class LabelKind : uint8_t { kClass = 1, kTarget = 2, kNone = 3 };

// The label of places without a label, such as steps after the end of a sequence, places after the
// last class of a sequence of classes, and examples whose class is unknown.
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

// ---- Features: values that are stored as bytes, or as float32.

struct ByteFeatures {
  bool operator==(const ByteFeatures&) const = default;
};

struct FloatFeatures {
  // Names of the features, as FeatureNamesOf returns them, in UTF-8; empty unless the source is a
  // table with a header.
  std::vector<std::string> names;
  // Columns in order, for tables in which at least one column is not a number or may lack values;
  // else empty. For sequences, the columns of a step.
  std::vector<FeatureColumn> columns;
  // For libsvm: the first feature has index 0 and not 1. Needed to read other files of the same
  // data in which index 0 does not occur.
  bool indices_from_zero = false;
  // Numbers that were subtracted from the values of a source before they were rounded to float32,
  // one for each normalized feature. Empty: nothing was subtracted.
  std::vector<double> origins;

  bool operator==(const FloatFeatures&) const = default;
};

using Features = std::variant<FloatFeatures, ByteFeatures>;

// ---- Labels.

// Classes: one per example, or one for each step of a sequence or each pixel of an image.
struct ClassLabels {
  int64_t classes = 0;
  std::vector<std::string> names;  // empty, or `classes` names in UTF-8
  int64_t per_example = 1;
  bool may_lack = false;  // an example, step or pixel may have kNoLabel as its class
  // For texts whose hidden tokens the model predicts: the probability with which a token is
  // selected for prediction (dataset/token_masks.h). The last class is the token that hides others.
  // 0: no token is hidden.
  double mask_probability = 0;

  bool operator==(const ClassLabels&) const = default;
};

// Sequences of classes: an example has up to `longest` classes in order, kNoLabel after the last.
struct ClassSequences {
  int64_t classes = 0;
  std::vector<std::string> names;  // empty, or `classes` names in UTF-8
  int64_t longest = 1;

  bool operator==(const ClassSequences&) const = default;
};

// Numbers to predict.
struct TargetLabels {
  int64_t size = 0;         // number of floats of a label
  int64_t per_example = 1;  // 1, or the steps of a sequence
  // Columns of the targets in order, for a table in which at least one target is a class given by
  // name; else empty. The value of such a target is the index in the column's categories, or
  // kNoLabel if an example has no class.
  std::vector<FeatureColumn> columns;
  // Numbers that were subtracted from the targets before they were rounded to float32, one for each
  // target of a label. Empty: nothing was subtracted.
  std::vector<double> origins = {};

  bool operator==(const TargetLabels&) const = default;
};

struct NoLabels {
  bool operator==(const NoLabels&) const = default;
};

using Labels = std::variant<ClassLabels, ClassSequences, TargetLabels, NoLabels>;

struct Schema {
  // Row-major. Four dimensions are a volume (channels, depth, height, width), three an image
  // (channels, height, width), two a sequence (steps, features), and one is a row of a table.
  std::vector<int64_t> feature_shape;
  Features features = {};
  // For sequences: each example has a length from 1 step to that of the shape. The steps after it
  // are zeros, and kNoLabel if steps have labels.
  bool variable_length = false;
  Labels labels = {};
  // For tables: the columns of the labels, by name if the table has a header, else by index from 0.
  // Used to find the labels in other tables.
  job::Columns label_columns = {};
  // nullopt: the examples have no weights, and each counts 1.
  std::optional<ExampleWeights> weights = {};

  bool operator==(const Schema&) const = default;

  FeatureType feature_type() const;
  // The members of FloatFeatures; empty for bytes.
  const std::vector<std::string>& feature_names() const;
  const std::vector<FeatureColumn>& columns() const;
  const std::vector<double>& origins() const;
  bool indices_from_zero() const;
  FloatFeatures& floats() { return std::get<FloatFeatures>(features); }  // REQUIRES: kF32

  LabelKind label_kind() const;  // kClass for sequences of classes, too
  bool label_sequences() const { return std::holds_alternative<ClassSequences>(labels); }
  // Number of labels of an example: 1, the number of steps or pixels, or the length of the longest
  // sequence of classes. 1 also if there are no labels.
  int64_t labels_per_example() const;
  int64_t classes() const;  // 0 unless labels are classes
  const std::vector<std::string>& class_names() const;
  bool may_lack_labels() const;     // false unless ClassLabels say so
  double mask_probability() const;  // 0 unless ClassLabels have it
  int64_t target_size() const;      // 0 unless labels are targets
  const std::vector<FeatureColumn>& target_columns() const;
  const std::vector<double>& target_origins() const;  // empty unless labels are targets
  void SetLabelsPerExample(int64_t count);            // without effect if there are no labels
  // Sets the classes. REQUIRES: labels are classes or sequences of classes.
  void SetClasses(int64_t classes, std::vector<std::string> names);

  int64_t FeatureSize() const;   // number of elements of an example
  int64_t FeatureBytes() const;  // bytes of an example's features as stored
  int64_t StepSize() const;      // number of elements of a step of a sequence; else of an example
  // Number of features that are normalized separately: channels of images and volumes, features of
  // a step of sequences, else all features.
  int64_t NormalizedFeatures() const;
  int64_t TargetsPerExample() const { return labels_per_example() * target_size(); }
  int64_t LabelBytes() const;  // bytes of an example's labels as stored
  // Returns the bytes of one example in a block: id, length, weight, label and features.
  int64_t RecordBytes() const;
  // Returns whether each step of a sequence has a label of its own. False for sequences of classes
  // and for sequences of one step.
  bool JudgesSteps() const;
  // Returns the names of the classes. If targets have columns, returns the categories of the target
  // at this index. Empty if there are no names. REQUIRES: `target` is the index of a target, if
  // targets have columns.
  const std::vector<std::string>& ClassNamesAt(int64_t target) const;
};

// Returns the float32 that replaces NaN, a missing number, in each normalized feature: the
// column's fill_number minus the origin. It is NaN for a feature without fill_number. Returns an
// empty vector if no feature has one.
std::vector<float> FillsOf(const Schema& schema);

// Returns InvalidArgument unless dimensions, counts and names are within base/limits.h and
// consistent, and a record fits into a block.
Status ValidateSchema(const Schema& schema);

// Returns the index of the first wrong entry in the labels [examples, labels_per_example()];
// nullopt if all are right. REQUIRES: labels of whole examples, and their lengths if these vary. An
// entry is wrong in these cases:
//   - It is neither a class nor an allowed kNoLabel.
//   - It is a class after the end of a sequence, or after the last class of an example.
std::optional<size_t> FirstWrongLabel(const Schema& schema, std::span<const int32_t> lengths,
                                      std::span<const int32_t> classes);

// Returns the index of the first weight that is not a finite number of at least 0; nullopt if there
// is none.
std::optional<size_t> FirstWrongWeight(std::span<const float> weights);

// Returns the schema as JSON, with the keys that it needs:
//   {"feature_shape":[1,28,28],"feature_type":"u8","label_kind":"class","classes":10}
Json SchemaToJson(const Schema& schema);
// Parses and validates a schema. Returns InvalidArgument for another form of the JSON, with `path`
// as its place, and the errors of ValidateSchema.
StatusOr<Schema> SchemaFromJson(const Json& json, const std::string& path);

}  // namespace dl::dataset
