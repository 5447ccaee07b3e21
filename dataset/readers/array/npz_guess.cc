#include "dataset/readers/array/npz_guess.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "dataset/readers/array/npy_array.h"
#include "dataset/readers/array/npy_values.h"
#include "dataset/readers/content.h"
#include "dataset/readers/label_texts.h"
#include "dataset/readers/source_file.h"
#include "dataset/readers/source_paths.h"
#include "dataset/readers/table/label_guess.h"

namespace dl::dataset {
namespace {

constexpr int64_t kBytesTogether = 1 << 20;
constexpr size_t kMostCounted = 1 << 16;

// Usual pairs of names for features and labels.
constexpr std::pair<const char*, const char*> kUsualNames[] = {{"x", "y"},
                                                               {"X", "y"},
                                                               {"X", "Y"},
                                                               {"data", "target"},
                                                               {"data", "labels"},
                                                               {"data", "label"},
                                                               {"features", "labels"},
                                                               {"features", "label"},
                                                               {"features", "targets"},
                                                               {"images", "labels"},
                                                               {"inputs", "labels"},
                                                               {"inputs", "targets"},
                                                               {"arr_0", "arr_1"}};

bool Has(const std::string& path, const std::string& name) {
  return SourceFile::OpenZipEntry(path, absl::StrCat(name, ".npy")).ok();
}

// Number and range of all labels.
struct LabelsSeen {
  NumericLabels numbers;
  std::set<double> distinct;  // at most kMostCounted + 1 values
  int64_t rows = 0;
  bool are_finite = true;

  void Add(double value) {
    are_finite = are_finite && std::isfinite(value);
    numbers.min = numbers.values == 0 ? value : std::min(numbers.min, value);
    numbers.max = numbers.values == 0 ? value : std::max(numbers.max, value);
    numbers.fractions += value != std::trunc(value);
    ++numbers.values;
    if (are_finite && distinct.size() <= kMostCounted) distinct.insert(value);
  }

  // Adds the labels of another archive.
  void Append(const LabelsSeen& other) {
    const int64_t values = numbers.values + other.numbers.values;
    const int64_t fractions = numbers.fractions + other.numbers.fractions;
    for (const double value : other.distinct) Add(value);
    Add(other.numbers.min);
    Add(other.numbers.max);
    numbers.values = values;
    numbers.fractions = fractions;
  }
};

StatusOr<LabelsSeen> LookAtLabels(const std::string& path, const std::string& name) {
  DL_ASSIGN_OR_RETURN(SourceFile file, SourceFile::OpenZipEntry(path, absl::StrCat(name, ".npy")));
  DL_ASSIGN_OR_RETURN(NpyArray labels, NpyArray::Open(std::move(file), ""));
  const int64_t row_bytes = labels.row_values() * labels.header().item_bytes;
  const int64_t step = std::max<int64_t>(1, kBytesTogether / row_bytes);
  LabelsSeen seen{.rows = labels.rows()};
  std::vector<std::byte> buffer;
  for (int64_t row = 0; row < labels.rows(); row += step) {
    buffer.resize(static_cast<size_t>(std::min(step, labels.rows() - row) * row_bytes));
    DL_RETURN_IF_ERROR(labels.Read(buffer));
    EachValue(labels.header(), buffer, [&](auto value) {
      seen.Add(static_cast<double>(value));
      return true;
    });
  }
  return seen;
}

// Guesses the type of labels. Classes of arrays are indices, so the classes that no example has
// count too.
LabelGuess GuessIndices(const NumericLabels& labels) {
  LabelGuess guess = GuessNumericLabels(labels);
  if (labels.fractions > 0) {
    return {.type = job::LabelType::kNumber,
            .notes = {"its labels have fractions: they are numbers to predict"}};
  }
  const double indices = labels.max + 1 - std::min(labels.min, 0.0);
  const auto distinct = static_cast<double>(labels.distinct);
  const bool most_occur = 10 * distinct >= 9 * indices, few_occur = 10 * distinct < indices;
  if (guess.type == job::LabelType::kNumber && !most_occur) return guess;
  if (labels.distinct > 2 && few_occur) {
    return {.type = job::LabelType::kNumber,
            .notes = {absl::StrFormat(
                "its %d distinct whole numbers, from %.0f to %.0f, are numbers to predict; "
                "--classes takes them as indices of %.0f classes",
                labels.distinct, labels.min, labels.max, indices)}};
  }
  if (guess.type == job::LabelType::kClass) return guess;
  guess = {};
  if (distinct + 1 < indices) {
    guess.notes = {absl::StrCat("its ", labels.distinct,
                                " distinct whole numbers are classes; --regression takes them as "
                                "numbers to predict")};
  }
  return guess;
}

// Returns a sentence about arrays that have an entry for each example and are not read; "" if there
// are none.
std::string NoteOfOthers(const std::string& path, const job::NpzSource& source, int64_t examples) {
  const auto entries = ZipEntryNames(path);
  if (!entries.ok()) return "";
  constexpr size_t kMostArrays = 100;
  std::vector<std::string> others;
  for (const std::string& entry : *entries) {
    if (!entry.ends_with(".npy") || others.size() == kMostArrays) continue;
    const std::string name = entry.substr(0, entry.size() - 4);
    if (name == source.feature_array || name == source.label_array) continue;
    auto file = SourceFile::OpenZipEntry(path, entry);
    if (!file.ok()) continue;
    const auto array = NpyArray::Open(*std::move(file), "");
    if (array.ok() && array->rows() == examples) others.push_back(name);
  }
  if (others.empty()) return "";
  return absl::StrCat(others.size() == 1 ? "the array " : "the arrays ", FirstOf(others),
                      others.size() == 1 ? " has" : " have", " an entry for each example and ",
                      others.size() == 1 ? "is" : "are",
                      " not read; --example-weights ARRAY takes one as weights, and the key "
                      "length_array of a .json file names the lengths of sequences");
}

}  // namespace

StatusOr<GuessedNpz> GuessNpz(const std::string& path) {
  DL_ASSIGN_OR_RETURN(const std::vector<std::string> paths, SourcePaths(path));
  GuessedNpz guess{.source = {.path = path}, .label_notes = {}, .notes = {}};
  const auto pair =
      std::find_if(std::begin(kUsualNames), std::end(kUsualNames), [&](const auto& usual) {
        return Has(paths.front(), usual.first) && Has(paths.front(), usual.second);
      });
  if (pair == std::end(kUsualNames)) return guess;
  guess.source.Arrays(pair->first, pair->second);
  LabelsSeen all;
  for (const std::string& archive : paths) {
    const auto labels = LookAtLabels(archive, pair->second);
    if (!labels.ok() || !labels->are_finite) return guess;
    if (archive == paths.front()) {
      std::string note = NoteOfOthers(archive, guess.source, labels->rows);
      if (!note.empty()) guess.notes.push_back(std::move(note));
    }
    all.Append(*labels);
  }
  all.numbers.distinct = std::ssize(all.distinct);
  LabelGuess of_labels = GuessIndices(all.numbers);
  if (of_labels.type == job::LabelType::kNumber) guess.source.LabelsAreNumbers();
  guess.label_notes = std::move(of_labels.notes);
  return guess;
}

}  // namespace dl::dataset
