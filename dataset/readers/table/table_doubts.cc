#include "dataset/readers/table/table_doubts.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "dataset/readers/table/total_word.h"

namespace dl::dataset {
namespace {

constexpr int64_t kSomeRows = 20;  // in fewer rows, two columns may agree by chance
constexpr size_t kMostNamed = 5;   // columns named in one sentence

// Returns "column 1 ("a"), column 3 ("c") and 4 more".
std::string Listed(const TableDraft& draft, const std::vector<size_t>& columns) {
  std::vector<std::string> shown;
  for (size_t i = 0; i < std::min(columns.size(), kMostNamed); ++i)
    shown.push_back(draft.Called(columns[i]));
  return absl::StrCat(absl::StrJoin(shown, ", "),
                      columns.size() > kMostNamed
                          ? absl::StrCat(" and ", columns.size() - kMostNamed, " more")
                          : "");
}

void RecordConstants(TableDraft& draft) {
  std::vector<size_t> constants;
  for (size_t i = 0; i < draft.columns().size(); ++i) {
    ColumnProfile& column = draft.columns()[i];
    const bool is_constant = draft.IsFeature(i) && column.Distinct() == 1 && column.missing() == 0;
    if (is_constant && draft.survey.rows() > 1) constants.push_back(i);
  }
  if (constants.empty()) return;
  const bool is_one = constants.size() == 1;
  draft.Note(absl::StrCat(Listed(draft, constants), is_one ? " has" : " have",
                          " the same value in every row, which teaches nothing; --drop ",
                          draft.FlagText(constants.front()), " leaves ",
                          is_one ? "it" : "the first one", " out"));
}

void RecordMissing(TableDraft& draft) {
  for (size_t i = 0; i < draft.columns().size(); ++i) {
    const ColumnProfile& column = draft.columns()[i];
    const int64_t missing = column.missing() + column.CountKnownMissing();
    if (!draft.IsFeature(i) || column.rows() < kSomeRows || 2 * missing <= column.rows()) continue;
    draft.guesses[i].is_doubtful = true;
    draft.Note(absl::StrCat(draft.Called(i), ": ", missing, " of its ", column.rows(),
                            " values are missing; --drop ", draft.FlagText(i), " leaves it out"),
               true);
  }
}

// Adds notes about features with the values of an earlier feature.
void RecordCopies(TableDraft& draft) {
  std::map<uint64_t, size_t> first_with;
  std::map<size_t, std::vector<size_t>> copies;
  for (size_t i = 0; i < draft.columns().size(); ++i) {
    ColumnProfile& column = draft.columns()[i];
    if (!draft.IsFeature(i) || column.rows() < kSomeRows || column.Distinct() < 2) continue;
    const auto [place, is_new] = first_with.emplace(column.content_hash(), i);
    if (!is_new) copies[place->second].push_back(i);
  }
  size_t told = 0;
  for (const auto& [first, others] : copies) {
    if (++told > kMostNamed) break;
    draft.Note(absl::StrCat(Listed(draft, others), others.size() == 1 ? " has" : " have",
                            " the value of ", draft.Called(first), " in every row"));
  }
}

// Adds notes about features that determine the label, and so may be derived from it.
void RecordLeaks(TableDraft& draft) {
  ColumnProfile& label = draft.columns()[*draft.label];
  if (label.rows() < kSomeRows || label.Distinct() < 2) return;
  const bool has_classes = draft.table.source.label_type == job::LabelType::kClass;
  for (size_t i = 0; i < draft.columns().size(); ++i) {
    const ColumnProfile& column = draft.columns()[i];
    if (!draft.IsFeature(i)) continue;
    const bool is_equal = column.content_hash() == label.content_hash();
    const bool goes_along = has_classes && column.HasAllTexts() && label.HasAllTexts() &&
                            column.pattern_hash() == label.pattern_hash();
    if (!is_equal && !goes_along) continue;
    draft.guesses[i].is_doubtful = true;
    draft.Note(absl::StrCat(draft.Called(i),
                            is_equal ? " has the value of the label in every row"
                                     : " has one value for each class, and no class has two",
                            "; where it is made of the label, --drop ", draft.FlagText(i),
                            " leaves it out"),
               true);
  }
}

// Returns how many values are 1 or true, if all values are 0 or 1, or false or true.
std::optional<int64_t> CountOnes(const ColumnProfile& column) {
  if (!column.HasAllTexts() || column.missing() > 0) return std::nullopt;
  int64_t ones = 0;
  for (const auto& [text, occurrence] : column.texts()) {
    const std::string lower = absl::AsciiStrToLower(text);
    if (lower == "1" || lower == "1.0" || lower == "true") {
      ones += occurrence.count;
    } else if (lower != "0" && lower != "0.0" && lower != "false") {
      return std::nullopt;
    }
  }
  return ones;
}

// Returns "species_" for "species_auk" and "c" for "c12"; empty if the name has no such begin.
std::string StemOf(const std::string& name) {
  const size_t sign = name.find_last_of("_.-=: ");
  if (sign != std::string::npos) return name.substr(0, sign + 1);
  const size_t digits = name.find_last_not_of("0123456789") + 1;
  return digits < name.size() ? name.substr(0, digits) : "";
}

// Adds a note if the label is the last of several columns that hold a label in one-hot form, as
// get_dummies of pandas writes it.
void RecordOneHotLabel(TableDraft& draft) {
  const std::string stem = StemOf(draft.NameAt(*draft.label));
  std::optional<int64_t> ones = CountOnes(draft.columns()[*draft.label]);
  if (stem.empty() || !ones || draft.survey.rows() < kSomeRows) return;
  std::vector<size_t> others;
  std::vector<std::string> flags;
  for (size_t i = 0; i < draft.columns().size(); ++i) {
    if (!draft.IsFeature(i) || StemOf(draft.NameAt(i)) != stem) continue;
    const std::optional<int64_t> of_column = CountOnes(draft.columns()[i]);
    if (!of_column) return;
    *ones += *of_column;
    others.push_back(i);
    flags.push_back(draft.FlagText(i));
  }
  if (others.empty() || *ones != draft.survey.rows()) return;
  draft.label_is_doubtful = true;
  draft.Note(absl::StrCat(draft.Called(*draft.label), ": the label and ", Listed(draft, others),
                          " look like one label with a column for each class: together they are 1 "
                          "as often as there are rows. Write the classes into one column, or "
                          "--drop ",
                          absl::StrJoin(flags, ","), " leaves the others out"),
             true);
}

// Returns whether the last number of the column is the sum or the mean of the others.
bool EndsWithTotal(const ColumnProfile& column) {
  const int64_t others = column.of(FieldKind::kNumber).count - 1;
  const double last = column.last_number(), sum = column.sum() - last;
  const auto is_near = [&](double value) {
    constexpr double kRelative = 1e-6;
    return std::fabs(last - value) <= kRelative * std::fabs(value);
  };
  return is_near(sum) || is_near(sum / static_cast<double>(others));
}

void RecordTotal(TableDraft& draft) {
  constexpr int64_t kFewRows = 5;
  if (draft.survey.rows() < kFewRows) return;
  int64_t totals = 0, others = 0;
  std::string word;
  for (size_t i = 0; i < draft.columns().size(); ++i) {
    ColumnProfile& column = draft.columns()[i];
    const auto last = column.texts().find(column.last_value());
    const bool is_alone = last == column.texts().end() || last->second.count == 1;
    if (word.empty() && is_alone && IsTotalWord(column.last_value())) word = column.last_value();
    const bool are_numbers = column.of(FieldKind::kNumber).count == column.values();
    if (!are_numbers || column.values() != draft.survey.rows() || column.DistinctNumbers() < 3)
      continue;
    ++(EndsWithTotal(column) ? totals : others);
  }
  if (word.empty() && (totals == 0 || others > 0)) return;
  draft.Note(absl::StrCat("the last row looks like a sum or a mean of the others",
                          word.empty() ? "" : absl::StrCat(", as it holds ", ShownText(word)),
                          "; where it is one, remove it"),
             true);
}

void RecordNames(TableDraft& draft) {
  if (draft.survey.rows() == 1)
    draft.Note("the table has one row; where it should have more, check its line ends", true);
  if (!draft.HasHeader()) return;
  std::map<std::string, size_t> first_with;
  size_t nameless = 0;
  for (size_t i = 0; i < draft.columns().size(); ++i) {
    const std::string name = draft.NameAt(i);
    nameless += name.empty();
    const auto [place, is_new] = first_with.emplace(name, i);
    if (is_new || name.empty()) continue;
    draft.Note(absl::StrCat(draft.Called(i), " has the name of column ", place->second + 1,
                            ": flags name them by their indices, ", place->second, " and ", i));
  }
  if (nameless > 1 && 2 * nameless > draft.columns().size()) {
    draft.Note(absl::StrCat(nameless, " of ", draft.columns().size(),
                            " columns have no name; where the names stand in a later row, remove "
                            "the rows before it"),
               true);
  }
}

// Few texts that begin with numbers may be categories, such as "2 doors".
constexpr size_t kFewTexts = 20;

// Returns a sentence about texts that all begin with a number; empty if some do not.
std::string NumbersInTexts(const ColumnProfile& profile) {
  const auto begins = [](const auto& entry) {
    std::string_view text = entry.first;
    if (text.starts_with("-") || text.starts_with("+")) text.remove_prefix(1);
    return !text.empty() && absl::ascii_isdigit(static_cast<unsigned char>(text.front()));
  };
  const auto& texts = profile.texts();
  if (texts.size() <= kFewTexts || !std::ranges::all_of(texts, begins)) return "";
  return absl::StrCat("its values begin with numbers, as ", ShownText(texts.begin()->first),
                      ", and are taken as categories; to have numbers, write them alone");
}

// Returns a sentence about several words for yes or for no; empty if there are none.
std::string WordsForYes(const ColumnProfile& profile) {
  std::string yes, no, both;
  for (const auto& [text, occurrence] : profile.texts()) {
    const std::string lower = absl::AsciiStrToLower(text);
    const bool is_yes = lower == "y" || lower == "yes" || lower == "t" || lower == "true";
    const bool is_no = lower == "n" || lower == "no" || lower == "f" || lower == "false";
    if (!is_yes && !is_no) return "";
    std::string& first = is_yes ? yes : no;
    if (!first.empty() && absl::AsciiStrToLower(first) != lower)
      both = absl::StrCat(ShownText(first), " and ", ShownText(text));
    if (first.empty()) first = text;
  }
  return both.empty() ? "" : absl::StrCat(both, " mean the same, and are two categories");
}

// Returns a sentence about a text such as "Total"; empty if there is none.
std::string TotalAmongTexts(const ColumnProfile& profile) {
  for (const auto& [text, occurrence] : profile.texts()) {
    if (!IsTotalWord(text) || profile.texts().size() < 3) continue;
    return absl::StrCat("rows with ", ShownText(text),
                        " look like sums of others; where they are, remove them");
  }
  return "";
}

// Adds notes about columns of categories whose texts may be something else.
void RecordTexts(TableDraft& draft) {
  for (size_t i = 0; i < draft.columns().size(); ++i) {
    const ColumnProfile& column = draft.columns()[i];
    const bool are_texts = draft.IsFeature(i) && column.of(FieldKind::kNumber).count == 0 &&
                           draft.guesses[i].type == ColumnType::kCategories;
    if (!are_texts) continue;
    for (const auto sentence : {&NumbersInTexts, &WordsForYes, &TotalAmongTexts}) {
      const std::string doubt = sentence(column);
      if (doubt.empty()) continue;
      draft.guesses[i].is_doubtful = true;
      draft.Note(absl::StrCat(draft.Called(i), ": ", doubt), true);
    }
  }
}

}  // namespace

Status CheckHeaderIsNotRepeated(const TableDraft& draft) {
  const auto& repeated = draft.survey.repeated_names();
  if (!draft.HasHeader() || !repeated) return absl::OkStatus();
  return InvalidArgument(
      {.message = absl::StrCat("row ", repeated->row, ": the row repeats the header"),
       .where = absl::StrCat(repeated->path, ":", repeated->line),
       .remedy = "Remove the row; if files were concatenated, check that their columns have the "
                 "same order"});
}

Status CheckNoRowIsEmpty(const TableDraft& draft) {
  const auto& empty = draft.survey.empty_row();
  if (!empty) return absl::OkStatus();
  const int64_t rows = draft.survey.empty_rows();
  return InvalidArgument(
      {.message = absl::StrCat("row ", empty->row, ": the row has no values",
                               rows == 1   ? ""
                               : rows == 2 ? ", as has 1 more"
                                           : absl::StrCat(", as have ", rows - 1, " more")),
       .where = absl::StrCat(empty->path, ":", empty->line),
       .remedy = "Remove rows that have separators alone; Excel writes them for cells that were "
                 "emptied"});
}

void RecordDoubts(TableDraft& draft) {
  RecordNames(draft);
  RecordTexts(draft);
  RecordConstants(draft);
  RecordMissing(draft);
  RecordCopies(draft);
  RecordLeaks(draft);
  RecordOneHotLabel(draft);
  RecordTotal(draft);
}

}  // namespace dl::dataset
