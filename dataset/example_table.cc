#include "dataset/example_table.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "base/limits.h"

namespace dl::dataset {
namespace {

constexpr int64_t kVisitBytes = 1 << 20;
constexpr size_t kFiniteBlock = 1024;

// Returns whether the kFiniteBlock values from `values` on are finite. Has no branch for each
// value, so that compilers use vectors.
bool AreFinite(const float* values) {
  constexpr uint32_t kExponent = 0x7f800000;  // of infinities and NaN
  uint32_t wrong = 0;
  for (size_t i = 0; i < kFiniteBlock; ++i)
    wrong |= (std::bit_cast<uint32_t>(values[i]) & kExponent) == kExponent ? 1 : 0;
  return wrong == 0;
}

// NaN is valid where `fills`, which applies to the values in turn, has a number.
Status CheckFinite(const char* what, std::span<const float> values, int64_t per_example,
                   std::span<const float> fills = {}) {
  for (size_t i = 0; i < values.size(); ++i) {
    const bool begins_block = i % kFiniteBlock == 0 && values.size() - i >= kFiniteBlock;
    if (begins_block && AreFinite(values.data() + i)) {
      i += kFiniteBlock - 1;
      continue;
    }
    if (std::isfinite(values[i])) continue;
    if (!fills.empty() && std::isnan(values[i]) && !std::isnan(fills[i % fills.size()])) continue;
    return InvalidArgument(
        {.message = absl::StrCat("a ", what, " is not a finite number"),
         .where = absl::StrCat("example ", i / per_example, ", ", what, " ", i % per_example)});
  }
  return absl::OkStatus();
}

}  // namespace

Status SpillFeatures(const RowMemory& memory, ExampleTable& table) {
  const std::span<const std::byte> rows = table.FeatureBytes();
  if (static_cast<int64_t>(rows.size()) < memory.bytes) return absl::OkStatus();
  if (table.spilled == nullptr) {
    DL_ASSIGN_OR_RETURN(table.spilled, SpillFile::Create(memory.folder, kRowSpill));
  }
  DL_RETURN_IF_ERROR(table.spilled->Append(rows));
  table.u8.clear();
  table.f32.clear();
  return absl::OkStatus();
}

Status VisitFeatures(const ExampleTable& table,
                     const std::function<Status(std::span<const std::byte>)>& visit) {
  const int64_t row = table.schema.FeatureBytes();
  const int64_t step = std::max(row, kVisitBytes / row * row);
  std::vector<std::byte> buffer;
  const int64_t spilled = table.spilled == nullptr ? 0 : table.spilled->bytes();
  for (int64_t at = 0; at < spilled; at += step) {
    buffer.resize(std::min(step, spilled - at));
    DL_RETURN_IF_ERROR(table.spilled->ReadAt(at, buffer));
    DL_RETURN_IF_ERROR(visit(buffer));
  }
  return table.FeatureBytes().empty() ? absl::OkStatus() : visit(table.FeatureBytes());
}

std::span<const int32_t> ClassesOf(const ExampleTable& table, int64_t example) {
  const auto most = static_cast<size_t>(table.schema.labels_per_example());
  const auto labels = std::span(table.classes).subspan(static_cast<size_t>(example) * most, most);
  return labels.first(std::ranges::find(labels, kNoLabel) - labels.begin());
}

Status ValidateTable(const ExampleTable& table) {
  DL_RETURN_IF_ERROR(ValidateSchema(table.schema));
  const Schema& schema = table.schema;
  const bool is_class = schema.label_kind() == LabelKind::kClass;
  const bool is_u8 = schema.feature_type() == FeatureType::kU8;
  if (table.examples < 1 || table.examples > limits::kMaxExamples) {
    return InvalidArgument(
        {.message = absl::StrCat("the dataset has ", table.examples,
                                 " examples, but must have from 1 to ", limits::kMaxExamples)});
  }
  const size_t n = static_cast<size_t>(table.examples);
  const size_t spilled = table.spilled == nullptr ? 0 : table.spilled->bytes();
  const size_t in_memory = n * schema.FeatureBytes() - spilled;
  const size_t values = in_memory / (is_u8 ? 1 : sizeof(float));
  if (spilled % schema.FeatureBytes() != 0 || spilled > n * schema.FeatureBytes()) {
    return InvalidArgument({.message = "the table's rows do not match its schema"});
  }
  if (table.u8.size() != (is_u8 ? values : 0) || table.f32.size() != (is_u8 ? 0 : values) ||
      table.classes.size() != (is_class ? n * schema.labels_per_example() : 0) ||
      table.targets.size() != (is_class ? 0 : n * schema.TargetsPerExample())) {
    return InvalidArgument({.message = "the table's columns do not match its schema"});
  }
  if (table.lengths.size() != (schema.variable_length ? n : 0))
    return InvalidArgument({.message = "the table's lengths do not match its schema"});
  for (size_t i = 0; i < table.lengths.size(); ++i) {
    if (table.lengths[i] >= 1 && table.lengths[i] <= schema.feature_shape[0]) continue;
    return InvalidArgument(
        {.message = absl::StrCat("example ", i, " has ", table.lengths[i],
                                 " steps, but must have from 1 to ", schema.feature_shape[0])});
  }
  if (const auto wrong = FirstWrongLabel(schema, table.lengths, table.classes)) {
    return InvalidArgument(
        {.message = absl::StrCat("example ", *wrong / schema.labels_per_example(), " has class ",
                                 table.classes[*wrong], ", but there are ", schema.classes(),
                                 " classes")});
  }
  if (table.weights.size() != (schema.weights ? n : 0))
    return InvalidArgument({.message = "the table's weights do not match its schema"});
  if (const auto wrong = FirstWrongWeight(table.weights)) {
    return InvalidArgument(
        {.message = absl::StrCat("example ", *wrong, " has the weight ", table.weights[*wrong],
                                 ", not a finite number of at least 0")});
  }
  DL_RETURN_IF_ERROR(CheckFinite("feature", table.f32, schema.FeatureSize(), FillsOf(schema)));
  return CheckFinite("target", table.targets, schema.TargetsPerExample());
}

}  // namespace dl::dataset
