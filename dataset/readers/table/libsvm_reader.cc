#include "dataset/readers/table/libsvm_reader.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/limits.h"
#include "base/printable.h"
#include "dataset/readers/class_labels.h"
#include "dataset/readers/feature_rounder.h"
#include "dataset/readers/file_error.h"
#include "dataset/readers/label_texts.h"
#include "dataset/readers/numbers.h"
#include "dataset/readers/source_file.h"
#include "dataset/readers/source_paths.h"
#include "dataset/readers/text/text_lines.h"
#include "dataset/readers/weight_file.h"

namespace dl::dataset {
namespace {

struct IndexedValue {
  int64_t feature = 0;  // counted from 0
  ReadNumber value;
  size_t at = 0;  // position in the line
};

std::string Shown(std::string_view text) { return absl::StrCat("\"", Excerpt(text, 40), "\""); }

// Parses the lines of one file.
class Rows {
 public:
  Rows(SourceFile& file, int64_t index_base) : lines_(file), index_base_(index_base) {}

  // Reads the next example; returns false at the end.
  StatusOr<bool> Next() {
    for (;;) {
      DL_ASSIGN_OR_RETURN(const bool more, lines_.Next(line_));
      if (!more) return false;
      line_ = line_.substr(0, line_.find('#'));
      at_ = 0;
      if (NextWord()) break;
    }
    DL_RETURN_IF_ERROR(ReadLabel());
    entries_.clear();
    has_query_ = false;
    bool ascending = true;
    for (bool first = true; NextWord(); first = false) {
      if (first && word_.starts_with("qid:")) {
        if (!WholeNumber(word_.substr(4)))
          return Bad(absl::StrCat(Shown(word_), " is no query of a whole number"),
                     "Write qid:1, or leave it out");
        has_query_ = true;
        continue;
      }
      IndexedValue entry;
      DL_RETURN_IF_ERROR(ReadEntry(entry));
      ascending = ascending && (entries_.empty() || entries_.back().feature < entry.feature);
      entries_.push_back(entry);
    }
    return ascending ? StatusOr<bool>(true) : Sorted();
  }

  const std::string& label() const { return label_; }
  // Ascending, without repetition.
  const std::vector<IndexedValue>& entries() const { return entries_; }

  bool has_query() const { return has_query_; }  // qid:N

  Status BadLabel(const Status& without_place) const {
    return lines_.Bad(label_at_, std::string(without_place.message()), ErrorRemedy(without_place));
  }
  Status BadIndex(const IndexedValue& entry, int64_t features) const {
    return lines_.Bad(
        entry.at,
        absl::StrCat("index ", entry.feature + index_base_, " is beyond the features, which are ",
                     features),
        "Set feature_count to their number, for the training set and the test set alike");
  }

 private:
  // Finds the next word. Words are separated by spaces and tabs.
  bool NextWord() {
    constexpr std::string_view kSpace = " \t";
    word_at_ = line_.find_first_not_of(kSpace, at_);
    if (word_at_ == std::string_view::npos) return false;
    at_ = std::min(line_.find_first_of(kSpace, word_at_), line_.size());
    word_ = line_.substr(word_at_, at_ - word_at_);
    return true;
  }
  Status Bad(std::string message, std::string remedy, size_t behind = 0) const {
    return lines_.Bad(word_at_ + behind, std::move(message), std::move(remedy));
  }

  Status ReadLabel() {
    label_ = word_;
    label_at_ = word_at_;
    if (word_.find(':') != std::string_view::npos) {
      return Bad(absl::StrCat("the line begins with ", Shown(word_), ", not with a label"),
                 "Write the label first; weights of examples are in a file of their own, which the "
                 "key weights names");
    }
    if (word_.find(',') != std::string_view::npos && line_.find(':') == std::string_view::npos) {
      return Bad("the line has commas and no index:value, as in CSV",
                 "If the file is a table, rename it to end in .csv");
    }
    if (word_.find(',') != std::string_view::npos) {
      return Bad(absl::StrCat("the line has several labels, ", Shown(word_)),
                 "Give each example one label");
    }
    const auto number = FloatOf(label_);
    if (number.ok()) return absl::OkStatus();
    return Bad(std::string(number.status().message()),
               lines_.line() == 1 ? "Write a number first in each line; a file of libsvm has no "
                                    "header, and its classes are numbers, as 0 and 1"
                                  : "Write a number first: classes are numbers, as 0 and 1");
  }

  Status ReadEntry(IndexedValue& entry) {
    const size_t colon = word_.find(':');
    if (colon == std::string_view::npos)
      return Bad(absl::StrCat(Shown(word_), " is no index:value"), "Write it as 3:0.5");
    const auto index = WholeNumber(word_.substr(0, colon));
    if (!index) {
      return Bad(absl::StrCat("the index ", Shown(word_.substr(0, colon)), " is no whole number"),
                 "Number the features, as 3:0.5");
    }
    if (*index < index_base_) {
      return Bad(absl::StrCat("index ", *index, ": features are numbered from ", index_base_),
                 *index == 0 ? "Set index_base to 0, for the training set and the test set alike"
                             : "Correct the index");
    }
    if (*index - index_base_ >= limits::kMaxExtent) {
      return Bad(absl::StrCat("index ", *index, " is too large, the limit is ",
                              limits::kMaxExtent - 1 + index_base_),
                 "Keep fewer features");
    }
    const auto value = NumberOf(std::string(word_.substr(colon + 1)));
    if (!value.ok()) {
      const bool is_empty = colon + 1 == word_.size();
      return Bad(is_empty ? absl::StrCat("no value follows ", Shown(word_))
                          : std::string(value.status().message()),
                 "Write a finite number with a decimal point right after the colon, as 3:0.5; "
                 "leave the entry out where the value is 0",
                 colon + 1);
    }
    entry = {.feature = *index - index_base_, .value = *value, .at = word_at_};
    return absl::OkStatus();
  }

  StatusOr<bool> Sorted() {
    std::stable_sort(
        entries_.begin(), entries_.end(),
        [](const IndexedValue& a, const IndexedValue& b) { return a.feature < b.feature; });
    const auto twice = std::adjacent_find(
        entries_.begin(), entries_.end(),
        [](const IndexedValue& a, const IndexedValue& b) { return a.feature == b.feature; });
    if (twice == entries_.end()) return true;
    return lines_.Bad(std::next(twice)->at,
                      absl::StrCat("index ", twice->feature + index_base_, " comes twice"),
                      "Leave out one of the two");
  }

  TextLines lines_;
  const int64_t index_base_;
  std::string_view line_, word_;
  size_t at_ = 0, word_at_ = 0, label_at_ = 0;
  std::string label_;
  bool has_query_ = false;
  std::vector<IndexedValue> entries_;
};

// Calls `visit` with each example of the files in order.
template <typename Visit>
Status VisitRows(const std::vector<std::string>& paths, int64_t index_base, Visit visit) {
  for (const std::string& path : paths) {
    DL_ASSIGN_OR_RETURN(SourceFile file, SourceFile::Open(path));
    Rows rows(file, index_base);
    int64_t examples = 0;
    for (;; ++examples) {
      DL_ASSIGN_OR_RETURN(const bool more, rows.Next());
      if (!more) break;
      DL_RETURN_IF_ERROR(visit(rows));
    }
    if (examples > 0) continue;
    return AboutFile(InvalidArgument({.message = "the file has no example"}), path,
                     "Name a file with a line for each example");
  }
  return absl::OkStatus();
}

StatusOr<int64_t> CountFeatures(const job::LibsvmSource& source,
                                const std::vector<std::string>& paths, const Schema* training) {
  if (source.feature_count > 0) return source.feature_count;
  if (training != nullptr) return training->FeatureSize();
  int64_t features = 0;
  DL_RETURN_IF_ERROR(VisitRows(paths, source.index_base, [&](const Rows& rows) {
    if (!rows.entries().empty()) features = std::max(features, rows.entries().back().feature + 1);
    return absl::OkStatus();
  }));
  if (features > 0) return features;
  return AboutFile(InvalidArgument({.message = "no example has a feature"}), paths.front(),
                   "Set feature_count to their number");
}

// Sets the features of a row. Features that the line does not name are 0.
void FillRow(const std::vector<IndexedValue>& entries, int64_t features, const ReadOptions& options,
             float* row) {
  FeatureRounder rounder({.origins = options.origins,
                          .watch = options.watch,
                          .features = static_cast<size_t>(features)});
  int64_t next = 0;
  const auto fill_up_to = [&](int64_t end) {
    if (options.origins.empty()) {
      rounder.Skip(static_cast<size_t>(end - next));
    } else {
      for (; next < end; ++next) row[next] = rounder.Next(0, 0);
    }
    next = end;
  };
  for (const IndexedValue& entry : entries) {
    fill_up_to(entry.feature);
    row[next++] = rounder.Next(entry.value.value, entry.value.nearest);
  }
  fill_up_to(features);
}

}  // namespace

StatusOr<ExampleTable> ReadLibsvm(const job::LibsvmSource& source, const ReadOptions& options) {
  DL_ASSIGN_OR_RETURN(const std::vector<std::string> paths, SourcePaths(source.path));
  std::vector<std::string> weights;
  if (source.weights) {
    DL_ASSIGN_OR_RETURN(weights, PathsBeside(paths, *source.weights, "weights"));
  }
  const bool is_class = source.label_type == job::LabelType::kClass;
  if (is_class) DL_RETURN_IF_ERROR(CheckTrainingHasClasses(options.training, paths.front()));
  DL_ASSIGN_OR_RETURN(const int64_t features, CountFeatures(source, paths, options.training));
  const bool from_zero = source.index_base == 0;
  if (options.training != nullptr && options.training->indices_from_zero() && !from_zero) {
    return InvalidArgument(
        {.message = "the training split counts features from 0, but index_base is 1",
         .where = paths.front(),
         .remedy = "Set index_base to 0"});
  }
  ExampleTable table;
  table.schema = {
      .feature_shape = {features},
      .features = FloatFeatures{.indices_from_zero = options.training != nullptr
                                                         ? options.training->indices_from_zero()
                                                         : from_zero}};
  if (is_class)
    table.schema.labels = ClassLabels{.classes = 1};  // placeholder until the classes are known
  else
    table.schema.labels = TargetLabels{.size = 1};
  // Checked before a row is created, because indices determine the memory of a row.
  if (Status status = ValidateSchema(table.schema); !status.ok())
    return AboutFile(status, paths.front(), "Keep fewer features");
  LabelTexts labels(options.training);
  int64_t queries = 0;  // number of examples with qid
  const auto read_row = [&](const Rows& rows) -> Status {
    if (!rows.entries().empty() && rows.entries().back().feature >= features)
      return rows.BadIndex(rows.entries().back(), features);
    DL_RETURN_IF_ERROR(SpillFeatures(options.memory, table));
    table.f32.resize(table.f32.size() + static_cast<size_t>(features));
    float* const row = table.f32.data() + table.f32.size() - features;
    FillRow(rows.entries(), features, options, row);
    ++table.examples;
    queries += rows.has_query() ? 1 : 0;
    if (!is_class) {
      DL_ASSIGN_OR_RETURN(const ReadNumber target, NumberOf(rows.label()));
      table.targets.push_back(RoundTarget(options, 0, target));
      return absl::OkStatus();
    }
    const auto label = labels.Add(CanonicalNumber(rows.label()).value_or(rows.label()));
    if (!label.ok()) return rows.BadLabel(label.status());
    table.classes.push_back(*label);
    return absl::OkStatus();
  };
  for (size_t i = 0; i < paths.size(); ++i) {
    const int64_t before = table.examples;
    DL_RETURN_IF_ERROR(VisitRows({paths[i]}, source.index_base, read_row));
    if (source.weights)
      DL_RETURN_IF_ERROR(AppendWeights(weights[i], table.examples - before, table));
  }
  if (source.weights) DL_RETURN_IF_ERROR(FinishWeights(weights.front(), table));
  if (is_class) labels.Finish(table);
  if (queries > 0) {
    table.warnings.push_back(absl::StrCat(
        "the queries of ", queries, queries == 1 ? " example" : " examples",
        " (qid:) are left out: labels are learned example by example, not as ranks in a query"));
  }
  if (options.training != nullptr)
    DL_RETURN_IF_ERROR(CheckSameSchema(table.schema, *options.training, paths.front()));
  if (Status status = ValidateTable(table); !status.ok())
    return AboutFile(status, paths.front(), "Correct the file");
  return table;
}

}  // namespace dl::dataset
