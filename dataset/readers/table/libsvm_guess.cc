#include "dataset/readers/table/libsvm_guess.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/checksum.h"
#include "dataset/readers/numbers.h"
#include "dataset/readers/source_paths.h"
#include "dataset/readers/table/distinct_count.h"
#include "dataset/readers/table/field_kind.h"
#include "dataset/readers/table/label_guess.h"
#include "dataset/readers/text/text_lines.h"

namespace dl::dataset {
namespace {

constexpr size_t kMostCountedLabels = 1 << 14;

bool HasIndexZero(std::string_view line) {
  return line.find(" 0:") != std::string_view::npos || line.find("\t0:") != std::string_view::npos;
}

}  // namespace

StatusOr<GuessedLibsvm> GuessLibsvm(const std::string& path) {
  DL_ASSIGN_OR_RETURN(const std::vector<std::string> paths, SourcePaths(path));
  GuessedLibsvm guess{.source = {.path = path}, .label_notes = {}};
  NumericLabels labels;
  DistinctCount distinct(kMostCountedLabels);
  bool are_numbers = true, has_zero = false;
  for (const std::string& name : paths) {
    DL_ASSIGN_OR_RETURN(SourceFile file, SourceFile::Open(name));
    TextLines lines(file);
    for (std::string_view line;;) {
      DL_ASSIGN_OR_RETURN(const bool more, lines.Next(line));
      if (!more) break;
      line = line.substr(0, line.find('#'));
      const std::string label(line.substr(0, line.find_first_of(" \t")));
      if (label.empty()) continue;
      const FieldLook look = LookAtField(label);
      are_numbers = are_numbers && look.kind == FieldKind::kNumber;
      labels.min = labels.values == 0 ? look.value : std::min(labels.min, look.value);
      labels.max = labels.values == 0 ? look.value : std::max(labels.max, look.value);
      labels.fractions += look.value != std::trunc(look.value);
      ++labels.values;
      distinct.Add(Xxh3(CanonicalNumber(label).value_or(label)));
      has_zero = has_zero || HasIndexZero(line);
    }
  }
  labels.distinct = distinct.Count();
  if (has_zero) guess.source.index_base = 0;
  if (!are_numbers) return guess;
  LabelGuess of_labels = GuessNumericLabels(labels);
  guess.source.label_type = of_labels.type;
  guess.label_notes = std::move(of_labels.notes);
  return guess;
}

}  // namespace dl::dataset
