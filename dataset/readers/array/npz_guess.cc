#include "dataset/readers/array/npz_guess.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "dataset/readers/array/npy_array.h"
#include "dataset/readers/array/npy_values.h"
#include "dataset/readers/source_file.h"
#include "dataset/readers/source_paths.h"
#include "dataset/readers/table/label_guess.h"

namespace dl::dataset {
namespace {

constexpr int64_t kBytesTogether = 1 << 20;
constexpr size_t kMostCounted = 1 << 16;
constexpr size_t kManyClasses = 20;

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
  bool are_finite = true;

  void Add(double value) {
    are_finite = are_finite && std::isfinite(value);
    numbers.min = numbers.values == 0 ? value : std::min(numbers.min, value);
    numbers.max = numbers.values == 0 ? value : std::max(numbers.max, value);
    numbers.fractions += value != std::trunc(value);
    ++numbers.values;
    if (are_finite && distinct.size() <= kMostCounted) distinct.insert(value);
  }
};

StatusOr<LabelsSeen> LookAtLabels(const std::string& path, const std::string& name) {
  DL_ASSIGN_OR_RETURN(SourceFile file, SourceFile::OpenZipEntry(path, absl::StrCat(name, ".npy")));
  DL_ASSIGN_OR_RETURN(NpyArray labels, NpyArray::Open(std::move(file), ""));
  const int64_t row_bytes = labels.row_values() * labels.header().item_bytes;
  const int64_t step = std::max<int64_t>(1, kBytesTogether / row_bytes);
  LabelsSeen seen;
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

// Returns whether there are many distinct whole numbers, and more than half of the numbers between
// the smallest and the largest are absent.
bool HaveGaps(const LabelsSeen& labels) {
  const auto distinct = static_cast<double>(labels.distinct.size());
  return labels.distinct.size() > kManyClasses &&
         labels.numbers.max - labels.numbers.min + 1 > 2 * distinct;
}

}  // namespace

StatusOr<GuessedNpz> GuessNpz(const std::string& path) {
  DL_ASSIGN_OR_RETURN(const std::vector<std::string> paths, SourcePaths(path));
  GuessedNpz guess{.source = {.path = path}, .notes = {}};
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
    for (const double value : labels->distinct) all.Add(value);
    all.numbers.fractions += labels->numbers.fractions;
  }
  if (all.numbers.fractions > 0) {
    guess.source.LabelsAreNumbers();
    guess.notes.push_back("its labels have fractions: they are numbers to predict");
  } else if (HaveGaps(all)) {
    guess.source.LabelsAreNumbers();
    guess.notes.push_back(absl::StrCat("its ", all.distinct.size(),
                                       " distinct labels are numbers to predict; --classes takes "
                                       "them as classes"));
  }
  return guess;
}

}  // namespace dl::dataset
