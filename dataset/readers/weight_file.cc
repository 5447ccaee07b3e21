#include "dataset/readers/weight_file.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "dataset/readers/array/npy_array.h"
#include "dataset/readers/array/npy_values.h"
#include "dataset/readers/example_weights.h"
#include "dataset/readers/file_error.h"
#include "dataset/readers/source_file.h"
#include "dataset/readers/text/text_lines.h"

namespace dl::dataset {
namespace {

constexpr std::string_view kOneEach = "Give each example of this split one weight, in their order";

bool IsArray(std::string_view path) {
  for (const std::string_view packed : {".gz", ".zst"}) {
    if (path.ends_with(packed)) path.remove_suffix(packed.size());
  }
  return path.ends_with(".npy");
}

std::string CountText(int64_t weights, int64_t examples) {
  return absl::StrCat("has ", weights, weights == 1 ? " weight" : " weights", " for ", examples,
                      examples == 1 ? " example" : " examples");
}

Status AppendLines(SourceFile file, int64_t examples, ExampleTable& table) {
  TextLines lines(file);
  int64_t count = 0;
  for (std::string_view line;;) {
    DL_ASSIGN_OR_RETURN(const bool more, lines.Next(line));
    if (!more) break;
    std::string text(line);
    absl::StripAsciiWhitespace(&text);
    if (text.empty()) continue;
    const auto weight = WeightOf(text);
    if (!weight.ok())
      return lines.Bad(0, std::string(weight.status().message()), ErrorRemedy(weight.status()));
    // Counts on without storing, because a wrong file may be far longer than the data.
    if (++count <= examples) table.weights.push_back(*weight);
  }
  if (count == examples) return absl::OkStatus();
  return AboutFile(InvalidArgument({.message = CountText(count, examples)}), file.path(), kOneEach);
}

Status AppendArray(SourceFile file, int64_t examples, ExampleTable& table) {
  DL_ASSIGN_OR_RETURN(NpyArray array, NpyArray::Open(std::move(file), ""));
  if (array.row_values() != 1)
    return array.file().Damaged(
        0, absl::StrCat("has ", array.row_values(), " numbers for each example"), kOneEach);
  if (array.rows() != examples)
    return array.file().Damaged(0, CountText(array.rows(), examples), kOneEach);
  constexpr int64_t kTogether = 1 << 16;
  std::vector<std::byte> bytes;
  for (int64_t row = 0; row < examples; row += kTogether) {
    bytes.resize(std::min(kTogether, examples - row) * array.header().item_bytes);
    DL_RETURN_IF_ERROR(array.Read(bytes));
    double wrong = 0;
    const int64_t right = EachValue(array.header(), bytes, [&](auto value) {
      wrong = static_cast<double>(value);
      table.weights.push_back(static_cast<float>(value));
      return std::isfinite(table.weights.back()) && table.weights.back() >= 0;
    });
    if (right * array.header().item_bytes == std::ssize(bytes)) continue;
    return array.file().Damaged(
        array.PlaceOf(row + right),
        absl::StrCat("weight ", row + right, " is ", wrong, ", not a finite number of at least 0"),
        "Correct the array");
  }
  return absl::OkStatus();
}

}  // namespace

Status AppendWeights(const std::string& path, int64_t examples, ExampleTable& table) {
  table.schema.weights = ExampleWeights();
  DL_ASSIGN_OR_RETURN(SourceFile file, SourceFile::Open(path, IsArray(path) ? kNpyMagic : ""));
  return IsArray(path) ? AppendArray(std::move(file), examples, table)
                       : AppendLines(std::move(file), examples, table);
}

Status FinishWeights(const std::string& path, const ExampleTable& table) {
  if (!table.schema.weights) return absl::OkStatus();
  return AboutFile(CheckSomeWeight(table), path, kOneEach);
}

}  // namespace dl::dataset
