#include "dataset/readers/npy_examples.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/limits.h"
#include "dataset/readers/class_labels.h"
#include "dataset/readers/file_error.h"

namespace dl::dataset {
namespace {

// Rows that are read together.
constexpr int64_t kLeastTogether = 64 << 10, kMostTogether = 4 << 20;

template <typename T>
T ValueAt(const std::byte* bytes, bool big_endian) {
  std::byte own[sizeof(T)];
  std::memcpy(own, bytes, sizeof(T));
  if (big_endian) std::reverse(std::begin(own), std::end(own));
  T value;
  std::memcpy(&value, own, sizeof(T));
  return value;
}

// Calls `use` with each value of `bytes` in its own type, until one returns false: its number.
template <typename T, typename Use>
int64_t EachValue(std::span<const std::byte> bytes, bool big_endian, Use use) {
  const auto count = static_cast<int64_t>(bytes.size() / sizeof(T));
  for (int64_t i = 0; i < count; ++i) {
    if (!use(ValueAt<T>(bytes.data() + i * sizeof(T), big_endian))) return i;
  }
  return count;
}
template <typename Use>
int64_t EachValue(const NpyHeader& header, std::span<const std::byte> bytes, Use use) {
  const bool big = header.big_endian;
  switch (header.item_bytes) {
    case 1:
      return header.kind == 'i' ? EachValue<int8_t>(bytes, big, use)
                                : EachValue<uint8_t>(bytes, big, use);
    case 2:
      return header.kind == 'i' ? EachValue<int16_t>(bytes, big, use)
                                : EachValue<uint16_t>(bytes, big, use);
    case 4:
      return header.kind == 'f'   ? EachValue<float>(bytes, big, use)
             : header.kind == 'i' ? EachValue<int32_t>(bytes, big, use)
                                  : EachValue<uint32_t>(bytes, big, use);
    default:
      return header.kind == 'f'   ? EachValue<double>(bytes, big, use)
             : header.kind == 'i' ? EachValue<int64_t>(bytes, big, use)
                                  : EachValue<uint64_t>(bytes, big, use);
  }
}

// All values of the array, some rows at a time. `begin_rows` is called before each, `use` with each
// value until it returns false, for one that is not what `range` says.
template <typename BeginRows, typename Use>
Status VisitValues(NpyArray& array, int64_t memory, std::string_view range, BeginRows begin_rows,
                   Use use) {
  const int64_t row_bytes = array.row_values() * array.header().item_bytes;
  const int64_t together = std::clamp(memory, kLeastTogether, kMostTogether);
  const int64_t step = std::max<int64_t>(1, together / row_bytes);
  std::vector<std::byte> buffer;
  for (int64_t row = 0; row < array.rows(); row += step) {
    // Grows as rows come: a compressed file may declare far more than it holds.
    buffer.resize(static_cast<size_t>(std::min(step, array.rows() - row) * row_bytes));
    DL_RETURN_IF_ERROR(array.Read(buffer));
    DL_RETURN_IF_ERROR(begin_rows());
    const int64_t used = EachValue(array.header(), buffer, use);
    if (used * array.header().item_bytes == static_cast<int64_t>(buffer.size())) continue;
    const int64_t index = row * array.row_values() + used;
    const std::string what =
        absl::StrCat("value ", index, " is out of range: not ", std::string(range));
    if (!array.header().fortran_order)
      return array.file().Damaged(array.PlaceOf(index), what, "Correct the array");
    return AboutFile(DataLoss({.message = what}), array.file().path(), "Correct the array");
  }
  return absl::OkStatus();
}

bool IsBytes(const NpyHeader& header) {
  return header.item_bytes == 1 && (header.kind == 'u' || header.kind == 'b');
}

}  // namespace

NpyExamples::NpyExamples(Labels labels, const ReadOptions& options)
    : labels_(std::move(labels)), options_(options) {
  table_.schema.label_kind = LabelKindOf(labels_.type);
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
  if (IsBytes(features.header()) == (schema.feature_type == FeatureType::kU8))
    return absl::OkStatus();
  return features.file().Damaged(0,
                                 absl::StrCat("has ", IsBytes(features.header()) ? "" : "no ",
                                              "bytes as values, unlike ", first_features_),
                                 "Save all arrays with one type");
}

Status NpyExamples::AppendFeatures(NpyArray& features) {
  const NpyHeader& header = features.header();
  std::vector<int64_t> shape(header.shape.begin() + 1, header.shape.end());
  if (shape.empty() || shape.size() == 2) shape.insert(shape.begin(), 1);  // (1) and (1, H, W)
  if (first_features_.empty()) {
    first_features_ = features.file().path();
    table_.schema.feature_shape = shape;
    table_.schema.feature_type = IsBytes(header) ? FeatureType::kU8 : FeatureType::kF32;
  } else {
    DL_RETURN_IF_ERROR(CheckLike(features, shape));
  }
  table_.examples += features.rows();
  const auto make_room = [&] { return SpillFeatures(options_.memory, table_); };
  if (IsBytes(header)) {
    const bool truth = header.kind == 'b';
    return VisitValues(features, options_.memory.bytes, "a byte", make_room, [&](auto value) {
      table_.u8.push_back(truth ? value != 0 : static_cast<uint8_t>(value));
      return true;
    });
  }
  return VisitValues(features, options_.memory.bytes, "a finite float32", make_room,
                     [&](auto value) {
                       table_.f32.push_back(static_cast<float>(value));
                       return std::isfinite(table_.f32.back());
                     });
}

bool NpyExamples::IsMapOfPixels(const std::vector<int64_t>& shape) const {
  const std::vector<int64_t>& image = table_.schema.feature_shape;
  return image.size() == 3 && shape.size() == 3 && shape[1] == image[1] && shape[2] == image[2];
}

Status NpyExamples::AppendLabels(NpyArray& labels) {
  const auto& shape = labels.header().shape;
  const bool is_class = labels_.type == job::LabelType::kClass;
  const int64_t targets = labels.row_values();
  if (is_class && IsMapOfPixels(shape)) {
    table_.schema.labels_per_example = targets;
  } else if (shape.size() > (is_class ? 1u : 2u)) {
    return labels.file().Damaged(
        0,
        absl::StrCat("has ", shape.size(), " dimensions, labels have ",
                     is_class ? "one, or those of the images' pixels"
                              : "one, or two with several numbers to predict"),
        is_class ? "Save one class for each example, as argmax(axis=1) makes them of columns; "
                   "numbers to predict need label_type number"
                 : "Save a row of numbers for each example");
  }
  if (first_labels_.empty()) {
    first_labels_ = labels.file().path();
    labels_of_pixels_ = is_class && IsMapOfPixels(shape);
    table_.schema.target_size = is_class ? 0 : targets;
  } else if (is_class && IsMapOfPixels(shape) != labels_of_pixels_) {
    return labels.file().Damaged(
        0,
        absl::StrCat("has ", labels_of_pixels_ ? "one class" : "a class for each pixel",
                     " of an example, unlike ", first_labels_),
        "Name arrays of one set");
  } else if (!is_class && targets != table_.schema.target_size) {
    return labels.file().Damaged(0,
                                 absl::StrCat("has ", targets, " numbers to predict, ",
                                              first_labels_, " has ", table_.schema.target_size),
                                 "Name arrays of one set");
  }
  const auto nothing = [] { return absl::OkStatus(); };
  if (!is_class) {
    return VisitValues(labels, kMostTogether, "a finite float32", nothing, [&](auto value) {
      table_.targets.push_back(static_cast<float>(value));
      return std::isfinite(table_.targets.back());
    });
  }
  const std::string range = absl::StrCat("a whole number from 0 to ", limits::kMaxClasses - 1);
  return VisitValues(labels, kMostTogether, range, nothing, [&](auto value) {
    const auto number = static_cast<double>(value);  // beyond 2^53 it is out of range anyway
    if (!(number >= 0 && number < static_cast<double>(limits::kMaxClasses))) return false;
    table_.classes.push_back(static_cast<int32_t>(number));
    return static_cast<double>(table_.classes.back()) == number;
  });
}

Status NpyExamples::Append(NpyArray features, NpyArray labels) {
  if (features.rows() != labels.rows()) {
    return labels.file().Damaged(
        0, absl::StrCat("has ", labels.rows(), " labels for ", features.rows(), " examples"),
        "Name the labels of the same split as the features");
  }
  DL_RETURN_IF_ERROR(AppendFeatures(features));
  return AppendLabels(labels);
}

Status NpyExamples::Append(NpyArray features) { return AppendFeatures(features); }

StatusOr<ExampleTable> NpyExamples::Finish() {
  if (labels_.type == job::LabelType::kClass) {
    DL_RETURN_IF_ERROR(
        AssignClasses(table_, labels_.class_names, options_.training, first_labels_));
  }
  if (options_.training != nullptr)
    DL_RETURN_IF_ERROR(CheckSameSchema(table_.schema, *options_.training, first_features_));
  if (Status status = ValidateTable(table_); !status.ok()) {
    return AboutFile(status, first_features_,
                     "Correct the arrays, or class_names where they are stated");
  }
  return std::move(table_);
}

}  // namespace dl::dataset
