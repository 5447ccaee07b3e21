#include "dataset/split.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "base/philox.h"

namespace dl::dataset {
namespace {

RandomStream StreamOf(const job::SplitConfig& split) {
  return RandomStream({.seed = split.seed, .purpose = RandomPurpose::kTestSplit});
}

// Selects the smallest numbers of a group while they are generated again in the same order.
class Smallest {
 public:
  // Reorders `numbers`.
  Smallest(std::vector<uint64_t>& numbers, size_t count) {
    if (count == 0) return;
    const auto last = numbers.begin() + static_cast<std::ptrdiff_t>(count - 1);
    std::nth_element(numbers.begin(), last, numbers.end());
    any_ = true;
    border_ = *last;
    at_border_ = std::count(numbers.begin(), last + 1, border_);
  }
  bool Takes(uint64_t number) {
    if (!any_ || number > border_) return false;
    return number < border_ || at_border_-- > 0;
  }

 private:
  bool any_ = false;
  uint64_t border_ = 0;
  int64_t at_border_ = 0;  // numbers equal to border_ that are still to be taken
};

Status NothingLeft(int64_t examples, const job::SplitConfig& split) {
  return InvalidArgument(
      {.message = absl::StrCat("a split of ", examples, examples == 1 ? " example" : " examples",
                               split.stratified ? ", class by class," : "",
                               " leaves nothing for the test set"),
       .remedy = split.stratified ? "Raise test_fraction, or set stratified to false"
                                  : "Give more examples, or a test set of its own"});
}

StatusOr<std::vector<Part>> TakeLast(const job::SplitConfig& split, const SplitExamples& of) {
  const int64_t count = static_cast<int64_t>(
      std::floor(split.test_fraction * static_cast<double>(of.examples) + 0.5));
  const int64_t first = of.examples - std::max<int64_t>(1, count);
  const int64_t end = std::max<int64_t>(0, first - of.overlap);  // of the training set
  if (end < 1) {
    return InvalidArgument(
        {.message = absl::StrCat("the last ", of.examples - first, " of ", of.examples,
                                 of.examples == 1 ? " example" : " examples",
                                 " are the test set, so nothing is left to train on"),
         .remedy = "Lower test_fraction, or give more examples"});
  }
  std::vector<Part> parts(of.examples, Part::kTraining);
  std::fill(parts.begin() + end, parts.begin() + first, Part::kNeither);
  std::fill(parts.begin() + first, parts.end(), Part::kTest);
  return parts;
}

}  // namespace

StatusOr<std::vector<Part>> PartsOf(const job::SplitConfig& split, const SplitExamples& of) {
  if (split.take == job::SplitTake::kLast) return TakeLast(split, of);
  const int64_t examples = of.examples;
  if (split.stratified && static_cast<int64_t>(of.classes.size()) != examples) {
    return InvalidArgument({.message = "a stratified split needs a class for each example",
                            .remedy = "Set data.split.stratified to false"});
  }
  const auto group_of = [&](int64_t i) { return split.stratified ? of.classes[i] - kNoLabel : 0; };
  std::vector<std::vector<uint64_t>> numbers;
  RandomStream stream = StreamOf(split);
  for (int64_t i = 0; i < examples; ++i) {
    const auto group = static_cast<size_t>(group_of(i));
    if (group >= numbers.size()) numbers.resize(group + 1);
    numbers[group].push_back(stream.NextU64());
  }
  std::vector<Smallest> smallest;
  int64_t total = 0;
  for (std::vector<uint64_t>& group : numbers) {
    const auto size = static_cast<int64_t>(group.size());
    const double share = split.test_fraction * static_cast<double>(size);
    const int64_t least = split.stratified ? 0 : 1;
    const int64_t count = std::max<int64_t>(
        0, std::min(std::max(least, static_cast<int64_t>(std::floor(share + 0.5))), size - 1));
    smallest.emplace_back(group, static_cast<size_t>(count));
    total += count;
  }
  if (total == 0) return NothingLeft(examples, split);
  std::vector<Part> parts(examples, Part::kTraining);
  stream = StreamOf(split);
  for (int64_t i = 0; i < examples; ++i) {
    if (smallest[group_of(i)].Takes(stream.NextU64())) parts[i] = Part::kTest;
  }
  return parts;
}

StatusOr<ExampleTable> SelectPart(const ExampleTable& table, const SelectOptions& options) {
  // In a sequence of classes, no single class is that of the example.
  const std::span<const int32_t> classes =
      table.schema.label_sequences() ? std::span<const int32_t>() : table.classes;
  DL_ASSIGN_OR_RETURN(
      const std::vector<Part> parts,
      PartsOf(options.part.split,
              {.examples = table.examples, .classes = classes, .overlap = options.overlap}));
  const auto row_bytes = static_cast<size_t>(table.schema.FeatureBytes());
  const auto targets = static_cast<size_t>(table.schema.TargetsPerExample());
  const auto labels = static_cast<size_t>(
      table.schema.label_kind() == LabelKind::kClass ? table.schema.labels_per_example() : 0);
  ExampleTable out{.schema = table.schema};
  size_t i = 0;
  DL_RETURN_IF_ERROR(VisitFeatures(table, [&](std::span<const std::byte> rows) -> Status {
    for (; !rows.empty(); rows = rows.subspan(row_bytes), ++i) {
      if (parts[i] != options.part.part) continue;
      DL_RETURN_IF_ERROR(SpillFeatures(options.memory, out));
      const std::span<const std::byte> row = rows.first(row_bytes);
      if (table.schema.feature_type() == FeatureType::kU8) {
        const auto* values = reinterpret_cast<const uint8_t*>(row.data());
        out.u8.insert(out.u8.end(), values, values + row_bytes);
      } else {
        const auto* values = reinterpret_cast<const float*>(row.data());
        out.f32.insert(out.f32.end(), values, values + row_bytes / sizeof(float));
      }
      const auto own = table.classes.begin() + static_cast<std::ptrdiff_t>(i * labels);
      out.classes.insert(out.classes.end(), own, own + static_cast<std::ptrdiff_t>(labels));
      if (!table.weights.empty()) out.weights.push_back(table.weights[i]);
      if (!table.lengths.empty()) out.lengths.push_back(table.lengths[i]);
      const auto from = table.targets.begin() + static_cast<std::ptrdiff_t>(i * targets);
      out.targets.insert(out.targets.end(), from, from + static_cast<std::ptrdiff_t>(targets));
      ++out.examples;
    }
    return absl::OkStatus();
  }));
  return out;
}

}  // namespace dl::dataset
