#include "dataset/readers/array/npy_examples.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/limits.h"
#include "dataset/readers/array/channel_order.h"
#include "dataset/readers/array/npy_values.h"
#include "dataset/readers/class_labels.h"
#include "dataset/readers/example_weights.h"
#include "dataset/readers/feature_rounder.h"
#include "dataset/readers/file_error.h"

namespace dl::dataset {
namespace {

// Bytes of rows that are read together.
constexpr int64_t kLeastTogether = 64 << 10, kMostTogether = 4 << 20;

// Description of the values that an array may hold, and the remedy for others.
struct Expected {
  std::string range;
  std::string remedy = "Correct the array";
  // For values that are not a number.
  std::string remedy_of_nan =
      "Fill in values that are missing, as numpy.nan_to_num does, or leave their examples out";
};

// Returns the error about value `index`, counted in C order.
Status BadValue(const NpyArray& array, int64_t index, double value, const Expected& expected) {
  const std::string what = absl::StrCat(
      "value ", index, " is out of range: it is ", value, ", not ", expected.range,
      array.row_values() > 1
          ? absl::StrCat("; it is value ", index % array.row_values(), " of the example ",
                         index / array.row_values(), ", counted from 0")
          : "");
  const std::string& remedy = std::isnan(value) ? expected.remedy_of_nan : expected.remedy;
  if (!array.header().fortran_order)
    return array.file().Damaged(array.PlaceOf(index), what, remedy);
  return AboutFile(DataLoss({.message = what}), array.file().path(), remedy);
}

// Visits all values of the array. Calls `begin_rows` before each group of rows, and `use` for each
// value. An error of `begin_rows`, or false from `use` for a value out of range, ends the visit.
template <typename BeginRows, typename Use>
Status VisitValues(NpyArray& array, int64_t memory, const Expected& expected, BeginRows begin_rows,
                   Use use) {
  const int64_t row_bytes = array.row_values() * array.header().item_bytes;
  const int64_t together = std::clamp(memory, kLeastTogether, kMostTogether);
  const int64_t step = std::max<int64_t>(1, together / row_bytes);
  double last = 0;
  const auto use_and_keep = [&](auto value) {
    last = static_cast<double>(value);
    return use(value);
  };
  std::vector<std::byte> buffer;
  for (int64_t row = 0; row < array.rows(); row += step) {
    // Resized for each group, because a compressed file may declare more than it holds.
    buffer.resize(static_cast<size_t>(std::min(step, array.rows() - row) * row_bytes));
    DL_RETURN_IF_ERROR(array.Read(buffer));
    DL_RETURN_IF_ERROR(begin_rows());
    const int64_t used = EachValue(array.header(), buffer, use_and_keep);
    if (used * array.header().item_bytes == static_cast<int64_t>(buffer.size())) continue;
    return BadValue(array, row * array.row_values() + used, last, expected);
  }
  return absl::OkStatus();
}

constexpr auto kNothing = [] { return absl::OkStatus(); };

bool IsBytes(const NpyHeader& header) {
  return header.item_bytes == 1 && (header.kind == 'u' || header.kind == 'b');
}

// Returns the remedy for features and labels of different counts.
std::string OtherCountRemedy(const std::vector<int64_t>& features,
                             const std::vector<int64_t>& labels) {
  if (labels.size() == 2 && labels[0] == 1 && labels[1] == features[0])
    return "Save the labels with one dimension: y.ravel()";
  if (features.size() == 2 && features[1] == labels[0])
    return "Where each column of the features is an example, save them transposed: x.T";
  return "Name the labels of the same split as the features";
}

}  // namespace

NpyExamples::NpyExamples(Labels labels, job::ArrayLayout layout, const ReadOptions& options)
    : labels_(std::move(labels)), layout_(layout), options_(options) {
  table_.schema.labels = LabelsOfType(labels_.type, labels_.none);
}

AfterEnds NpyExamples::AfterEndsOf(int64_t rows, int64_t values) const {
  if (table_.lengths.empty()) return {{}, 1, 1};
  return {std::span(table_.lengths).last(rows), table_.schema.feature_shape[0], values};
}

Status NpyExamples::CheckLike(const NpyArray& features, const std::vector<int64_t>& shape) const {
  const Schema& schema = table_.schema;
  if (shape != schema.feature_shape) {
    return features.file().Damaged(
        0,
        absl::StrCat("has examples of ", absl::StrJoin(shape, "x"), ", those of ", first_features_,
                     " are ", absl::StrJoin(schema.feature_shape, "x")),
        "Name arrays of one set");
  }
  if (IsBytes(features.header()) == (schema.feature_type() == FeatureType::kU8))
    return absl::OkStatus();
  return features.file().Damaged(0,
                                 absl::StrCat("has ", IsBytes(features.header()) ? "" : "no ",
                                              "bytes as values, unlike ", first_features_),
                                 "Save all arrays with one type");
}

Status NpyExamples::AppendLengths(const NpyArray& features, NpyArray& lengths) {
  const std::vector<int64_t>& shape = features.header().shape;
  if (shape.size() != 3) {
    return features.file().Damaged(
        0, absl::StrCat("has ", shape.size(), " dimensions, and lengths are of sequences"),
        "Save features as [examples, steps, values], or leave the lengths out");
  }
  if (lengths.header().shape.size() != 1 || lengths.rows() != features.rows()) {
    return lengths.file().Damaged(
        0,
        absl::StrCat("has the shape ", absl::StrJoin(lengths.header().shape, "x"), " for ",
                     features.rows(), " examples"),
        "Save one length for each example");
  }
  const auto steps = static_cast<double>(shape[1]);
  const std::string range = absl::StrCat("a whole number of steps from 1 to ", shape[1]);
  return VisitValues(lengths, kMostTogether, {range}, kNothing, [&](auto value) {
    const auto number = static_cast<double>(value);  // above 2^53 it is out of range anyway
    if (!(number >= 1 && number <= steps)) return false;
    table_.lengths.push_back(static_cast<int32_t>(number));
    return static_cast<double>(table_.lengths.back()) == number;
  });
}

Status NpyExamples::AppendFeatures(NpyArray& features, bool are_sequences) {
  const NpyHeader& header = features.header();
  std::vector<int64_t> shape(header.shape.begin() + 1, header.shape.end());
  // (1) and (1, H, W)
  if (shape.empty() || (shape.size() == 2 && !are_sequences)) shape.insert(shape.begin(), 1);
  const std::vector<int64_t> stored = shape;
  if (auto in_order = ShapeInOrder(stored, layout_); in_order.ok()) {
    shape = *std::move(in_order);
  } else {
    return features.file().Damaged(0, std::string(in_order.status().message()),
                                   ErrorRemedy(in_order.status()));
  }
  const bool moves_channels = layout_ == job::ArrayLayout::kChannelsLast;
  if (first_features_.empty()) {
    first_features_ = features.file().path();
    table_.schema.feature_shape = shape;
    if (IsBytes(header)) table_.schema.features = ByteFeatures{};
  } else {
    DL_RETURN_IF_ERROR(CheckLike(features, shape));
  }
  AfterEnds after_ends = AfterEndsOf(features.rows(), shape.size() == 2 ? shape[1] : 1);
  table_.examples += features.rows();
  const auto make_room = [&] { return SpillFeatures(options_.memory, table_); };
  if (IsBytes(header)) {
    const bool truth = header.kind == 'b';
    ChannelsInFront<uint8_t> in_front(shape[0], features.row_values());
    return VisitValues(features, options_.memory.bytes, {"a byte"}, make_room, [&](auto value) {
      const auto byte = truth ? static_cast<uint8_t>(value != 0) : static_cast<uint8_t>(value);
      if (moves_channels) {
        in_front.Add(byte, table_.u8);
      } else {
        table_.u8.push_back(after_ends.Next() ? 0 : byte);
      }
      return true;
    });
  }
  // Values of other types are exact in float32.
  const bool is_wide = header.item_bytes > 2 && !(header.kind == 'f' && header.item_bytes == 4);
  FeatureRounder rounder = RounderOf(table_.schema, options_, is_wide, layout_);
  ChannelsInFront<float> in_front(shape[0], features.row_values());
  return VisitValues(
      features, options_.memory.bytes, {"a finite float32"}, make_room, [&](auto value) {
        const bool is_behind = after_ends.Next();
        const float nearest = is_behind ? 0.0f : static_cast<float>(value);
        if (!std::isfinite(nearest)) return false;
        if (is_behind) rounder.Skip(1);
        inexact_ += !is_behind && IsInexactInDouble(value);
        const float rounded = is_behind ? 0.0f : rounder.Next(static_cast<double>(value), nearest);
        if (moves_channels) {
          in_front.Add(rounded, table_.f32);
        } else {
          table_.f32.push_back(rounded);
        }
        return true;
      });
}

bool NpyExamples::IsMapOfPixels(const std::vector<int64_t>& shape) const {
  const std::vector<int64_t>& image = table_.schema.feature_shape;
  return image.size() == 3 && shape.size() == 3 && shape[1] == image[1] && shape[2] == image[2];
}

Status NpyExamples::AppendLabels(NpyArray& labels) {
  switch (labels_.type) {
    case job::LabelType::kClass:
      return AppendClasses(labels);
    case job::LabelType::kNumber:
      return AppendNumbers(labels);
    case job::LabelType::kClassSequence:
      return AppendClassSequences(labels);
    case job::LabelType::kNone:
      break;
  }
  return absl::OkStatus();
}

Status NpyExamples::CheckLikeFirst(const NpyArray& labels, std::string_view what) {
  const int64_t values = labels.row_values();
  if (first_labels_.empty()) {
    first_labels_ = labels.file().path();
    values_of_labels_ = values;
    return absl::OkStatus();
  }
  if (values == values_of_labels_) return absl::OkStatus();
  return labels.file().Damaged(
      0,
      absl::StrCat("has ", values, " ", std::string(what), " of an example, ", first_labels_,
                   " has ", values_of_labels_),
      "Name arrays of one set");
}

Status NpyExamples::AppendNumbers(NpyArray& labels) {
  const std::vector<int64_t>& shape = labels.header().shape;
  const std::vector<int64_t>& features = table_.schema.feature_shape;
  const bool are_steps = features.size() == 2 && shape.size() == 3 && shape[1] == features[0];
  if (shape.size() > 2 && !are_steps) {
    return labels.file().Damaged(
        0,
        absl::StrCat("has the shape ", absl::StrJoin(shape, "x"),
                     ", numbers to predict have one dimension, or two where there are several, or "
                     "three with those of the sequences' steps"),
        "Save a row of numbers for each example, or for each of its steps");
  }
  DL_RETURN_IF_ERROR(CheckLikeFirst(labels, "numbers to predict"));
  auto& targets = std::get<TargetLabels>(table_.schema.labels);
  targets.per_example = are_steps ? shape[1] : 1;
  targets.size = labels.row_values() / targets.per_example;
  AfterEnds after_ends = are_steps ? AfterEndsOf(labels.rows(), shape[2]) : AfterEnds({}, 1, 1);
  const auto size = static_cast<size_t>(targets.size);
  const Expected expected = {.range = "a finite float32",
                             .remedy_of_nan = "Leave the examples out whose labels are missing"};
  return VisitValues(labels, kMostTogether, expected, kNothing, [&](auto value) {
    const bool is_behind = after_ends.Next();
    const ReadNumber number{.value = static_cast<double>(value),
                            .nearest = static_cast<float>(value)};
    const size_t target = table_.targets.size() % size;
    table_.targets.push_back(is_behind ? 0.0f : RoundTarget(options_, target, number));
    return is_behind || std::isfinite(number.nearest);
  });
}

Status NpyExamples::AppendClasses(NpyArray& labels) {
  const std::vector<int64_t>& shape = labels.header().shape;
  const std::vector<int64_t>& features = table_.schema.feature_shape;
  const bool are_steps = features.size() == 2 && shape.size() == 2 && shape[1] == features[0];
  const bool is_column = shape.size() == 2 && shape[1] == 1;
  if (shape.size() > 1 && !are_steps && !is_column && !IsMapOfPixels(shape)) {
    return labels.file().Damaged(
        0,
        absl::StrCat("has the shape ", absl::StrJoin(shape, "x"),
                     ", classes have one dimension, or those of the images' pixels, or of the "
                     "sequences' steps"),
        "Save one class for each example, as argmax(axis=1) makes them of columns; numbers to "
        "predict need label_type number, classes that come in an order label_type class_sequence");
  }
  DL_RETURN_IF_ERROR(CheckLikeFirst(labels, "classes"));
  table_.schema.SetLabelsPerExample(labels.row_values());
  AfterEnds after_ends = are_steps ? AfterEndsOf(labels.rows(), 1) : AfterEnds({}, 1, 1);
  const Expected expected = {
      .range = absl::StrCat("a whole number from 0 to ", limits::kMaxClasses - 1,
                            labels_.none ? absl::StrCat(", or ", *labels_.none) : std::string()),
      .remedy =
          "Number the classes 0, 1, 2, ..., as numpy.unique(y, return_inverse=True)[1] does; "
          "set no_label to a number that means no class; numbers to predict need label_type "
          "number (--regression)",
      .remedy_of_nan =
          "Leave the examples without a class out, or give them a number such as -1 "
          "and set no_label to it"};
  return VisitValues(labels, kMostTogether, expected, kNothing, [&](auto value) {
    if (after_ends.Next()) {
      table_.classes.push_back(kNoLabel);
      return true;
    }
    const auto number = static_cast<double>(value);
    if (labels_.none && number == static_cast<double>(*labels_.none)) {
      table_.classes.push_back(kNoLabel);
      return true;
    }
    if (!(number >= 0 && number < static_cast<double>(limits::kMaxClasses))) return false;
    table_.classes.push_back(static_cast<int32_t>(number));
    return static_cast<double>(table_.classes.back()) == number;
  });
}

Status NpyExamples::AppendClassSequences(NpyArray& labels) {
  if (labels.header().shape.size() > 2) {
    return labels.file().Damaged(
        0,
        absl::StrCat("has ", labels.header().shape.size(), " dimensions, sequences of classes two"),
        "Save a row of classes for each example, -1 behind its last one");
  }
  DL_RETURN_IF_ERROR(CheckLikeFirst(labels, "classes"));
  const int64_t most = labels.row_values();
  table_.schema.SetLabelsPerExample(most);
  const std::string range = absl::StrCat("a whole number from 0 to ", limits::kMaxClasses - 1,
                                         ", or -1 behind the last class of an example");
  int64_t at = 0;
  return VisitValues(labels, kMostTogether, {range}, kNothing, [&](auto value) {
    const auto number = static_cast<double>(value);
    const bool goes_on = at++ % most == 0 || table_.classes.back() != kNoLabel;
    if (number == kNoLabel) {
      table_.classes.push_back(kNoLabel);
      return true;
    }
    if (!(goes_on && number >= 0 && number < static_cast<double>(limits::kMaxClasses)))
      return false;
    table_.classes.push_back(static_cast<int32_t>(number));
    return static_cast<double>(table_.classes.back()) == number;
  });
}

Status NpyExamples::Append(Arrays arrays) {
  NpyArray& features = arrays.features;
  if (arrays.labels && features.rows() != arrays.labels->rows()) {
    return arrays.labels->file().Damaged(
        0,
        absl::StrCat("has ", arrays.labels->rows(), " labels for ", features.rows(), " examples"),
        OtherCountRemedy(features.header().shape, arrays.labels->header().shape));
  }
  bool are_sequences = arrays.lengths.has_value();
  if (arrays.lengths) {
    table_.schema.variable_length = true;
    DL_RETURN_IF_ERROR(AppendLengths(features, *arrays.lengths));
  } else if (arrays.labels) {
    const std::vector<int64_t>& shape = features.header().shape;
    const std::vector<int64_t>& labels = arrays.labels->header().shape;
    const size_t of_steps = labels_.type == job::LabelType::kClass    ? 2
                            : labels_.type == job::LabelType::kNumber ? 3
                                                                      : 0;
    are_sequences = shape.size() == 3 && labels.size() == of_steps && labels[1] == shape[1];
  } else if (options_.training != nullptr) {
    are_sequences =
        features.header().shape.size() == 3 && options_.training->feature_shape.size() == 2;
  }
  DL_RETURN_IF_ERROR(AppendFeatures(features, are_sequences));
  if (arrays.weights) DL_RETURN_IF_ERROR(AppendWeights(features, *arrays.weights));
  return arrays.labels ? AppendLabels(*arrays.labels) : absl::OkStatus();
}

Status NpyExamples::AppendWeights(const NpyArray& features, NpyArray& weights) {
  if (weights.row_values() != 1 || weights.rows() != features.rows()) {
    return weights.file().Damaged(
        0,
        absl::StrCat("has ", weights.rows(), " rows of ", weights.row_values(),
                     " weights, and there are ", features.rows(), " examples"),
        "Save one weight for each example of the same split");
  }
  if (first_weights_.empty()) first_weights_ = weights.file().path();
  table_.schema.weights = ExampleWeights();
  const std::string range = "a finite number of at least 0";
  return VisitValues(weights, kMostTogether, {range}, kNothing, [&](auto value) {
    table_.weights.push_back(static_cast<float>(value));
    return std::isfinite(table_.weights.back()) && table_.weights.back() >= 0;
  });
}

StatusOr<ExampleTable> NpyExamples::Finish() {
  if (options_.labels == LabelColumns::kNone) {
    AddAbsentLabels(*options_.training, table_);
  } else if (table_.schema.label_kind() == LabelKind::kClass) {
    DL_RETURN_IF_ERROR(
        AssignClasses(table_, labels_.class_names, options_.training, first_labels_));
  }
  const Status weighted = table_.schema.weights ? CheckSomeWeight(table_) : absl::OkStatus();
  if (!weighted.ok()) return AboutFile(weighted, first_weights_, ErrorRemedy(weighted));
  if (options_.training != nullptr)
    DL_RETURN_IF_ERROR(CheckSameSchema(table_.schema, *options_.training, first_features_));
  if (Status status = ValidateTable(table_); !status.ok()) {
    return AboutFile(status, first_features_,
                     "Correct the arrays, or class_names where they are stated");
  }
  if (inexact_ > 0) {
    table_.warnings.push_back(absl::StrCat(
        inexact_, inexact_ == 1 ? " value is a whole number" : " values are whole numbers",
        " beyond 2^53, of which neighbours become equal: where they are ids, leave them out; "
        "otherwise subtract a number near them before you save them"));
  }
  return std::move(table_);
}

}  // namespace dl::dataset
