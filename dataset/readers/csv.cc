#include "dataset/readers/csv.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/limits.h"
#include "base/suggest.h"
#include "base/utf8.h"
#include "dataset/readers/class_labels.h"
#include "dataset/readers/csv_mistakes.h"
#include "dataset/readers/csv_scanner.h"
#include "dataset/readers/file_error.h"
#include "dataset/readers/source_file.h"

namespace dl::dataset {
namespace {

bool IsMissing(const std::string& text) {
  const std::string lower = absl::AsciiStrToLower(text);
  return lower.empty() || lower == "?" || lower == "na" || lower == "n/a" || lower == "nan" ||
         lower == "null";
}

StatusOr<float> NumberOf(const CsvScanner& scanner, int64_t column, const std::string& text) {
  if (IsMissing(text)) {
    return scanner.Bad(column, "a value is missing", "Fill it in or remove the row");
  }
  const char* begin = text.data();
  const char* end = begin + text.size();
  if (*begin == '+' && text.size() > 1 && text[1] != '-') ++begin;
  float value = 0;
  const auto [stop, error] = std::from_chars(begin, end, value);
  if (error == std::errc::result_out_of_range) {
    return scanner.Bad(column, absl::StrCat(text.substr(0, 40), " is out of range of a float32"),
                       "Give a number from -3.4e38 to 3.4e38, and not closer to 0 than 1e-45");
  }
  if (error != std::errc() || stop != end || !std::isfinite(value)) {
    NumberMistake mistake = ExplainNumber(text);
    return scanner.Bad(column, std::move(mistake.message), std::move(mistake.remedy));
  }
  return value;
}

// The first names of a list, for a remedy.
std::string FirstOf(const std::vector<std::string>& names) {
  constexpr size_t kMost = 10;
  std::vector<std::string> shown;
  for (const std::string& name : names) {
    if (shown.size() == kMost) break;
    shown.push_back(absl::CHexEscape(name.substr(0, 40)));
  }
  return absl::StrCat(absl::StrJoin(shown, ", "), names.size() > kMost ? ", ..." : "");
}

std::optional<int64_t> WholeNumber(const std::string& text) {
  int64_t value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || stop != text.data() + text.size()) return std::nullopt;
  return value;
}

// "7" and "07" are one class when all labels are whole numbers.
std::string CanonicalLabel(const std::string& text) {
  const auto number = WholeNumber(text);
  return number ? std::to_string(*number) : text;
}

class CsvReader {
 public:
  CsvReader(const CsvOptions& options, CsvScanner& scanner) : options_(options), scanner_(scanner) {
    if (options_.training == nullptr) return;
    class_names_ = options_.training->class_names;
    // Without names the classes are their numbers.
    for (int64_t i = static_cast<int64_t>(class_names_.size()); i < options_.training->classes; ++i)
      class_names_.push_back(absl::StrCat(i));
    for (size_t i = 0; i < class_names_.size(); ++i)
      training_classes_[class_names_[i]] = static_cast<int32_t>(i);
  }

  StatusOr<ExampleTable> Read() {
    table_.schema = {.feature_type = FeatureType::kF32,
                     .label_kind = options_.label_kind,
                     .target_size = options_.label_kind == LabelKind::kTarget ? 1 : 0};
    DL_ASSIGN_OR_RETURN(bool more, scanner_.NextRow(fields_));
    if (!more) {
      return AboutFile(InvalidArgument({.message = "the file is empty"}), options_.path,
                       "Name a file with a row for each example");
    }
    DL_RETURN_IF_ERROR(FindColumns());
    if (options_.header) {
      DL_ASSIGN_OR_RETURN(more, scanner_.NextRow(fields_));
    }
    while (more) {
      DL_RETURN_IF_ERROR(ReadRow());
      DL_ASSIGN_OR_RETURN(more, scanner_.NextRow(fields_));
    }
    if (table_.examples == 0) {
      return AboutFile(InvalidArgument({.message = "no row follows the header"}), options_.path,
                       "Add a row for each example, or set header to false");
    }
    if (options_.label_kind == LabelKind::kClass && options_.training == nullptr) NumberClasses();
    if (options_.training != nullptr) {
      table_.schema.classes = options_.training->classes;
      table_.schema.class_names = options_.training->class_names;
      DL_RETURN_IF_ERROR(CheckSameSchema(table_.schema, *options_.training, options_.path));
    }
    if (Status status = ValidateTable(table_); !status.ok())
      return AboutFile(status, options_.path, "Correct the table");
    return std::move(table_);
  }

 private:
  // From the first row: number of columns, names, which one is the label.
  Status FindColumns() {
    columns_ = static_cast<int64_t>(fields_.size());
    label_ = options_.label_index < 0 ? columns_ + options_.label_index : options_.label_index;
    if (!options_.label_column.empty()) {
      if (!options_.header) {
        return scanner_.Bad(-1, "a label column is named, but the file has no header",
                            "Give its index instead");
      }
      label_ = std::find(fields_.begin(), fields_.end(), options_.label_column) - fields_.begin();
      if (label_ == columns_) {
        return scanner_.Bad(-1,
                            absl::StrCat("there is no column \"", options_.label_column, "\"",
                                         DidYouMean(options_.label_column, fields_)),
                            absl::StrCat("Set label_column to one of ", FirstOf(fields_)));
      }
      if (std::count(fields_.begin(), fields_.end(), options_.label_column) > 1) {
        return scanner_.Bad(-1,
                            absl::StrCat("two columns are named \"", options_.label_column, "\""),
                            "Give the index of the label's column, from 0");
      }
    }
    if (columns_ < 2) {
      return scanner_.Bad(-1, "there is one column, a label and at least one feature are needed",
                          absl::StrCat("Check the separator, which is \"",
                                       absl::CHexEscape(std::string(1, options_.separator)), "\""));
    }
    if (label_ < 0 || label_ >= columns_) {
      return scanner_.Bad(
          -1, absl::StrCat("there is no column ", options_.label_index, ": the row has ", columns_),
          absl::StrCat("Set label_column to an index from 0 to ", columns_ - 1, ", or from ",
                       -columns_, " to -1, which count from the end"));
    }
    table_.schema.feature_shape = {columns_ - 1};
    if (!options_.header) return absl::OkStatus();
    for (int64_t i = 0; i < columns_; ++i) {
      if (!IsUtf8(fields_[i])) {
        return scanner_.Bad(i, "the column's name is not UTF-8", "Save the file as UTF-8");
      }
      if (i != label_) table_.schema.feature_names.push_back(fields_[i]);
    }
    return absl::OkStatus();
  }

  Status ReadRow() {
    if (static_cast<int64_t>(fields_.size()) != columns_) {
      return scanner_.Bad(
          -1,
          absl::StrCat("has ", fields_.size(), fields_.size() == 1 ? " field" : " fields",
                       ", the first row has ", columns_),
          "Correct the row; check the separator and the quotes");
    }
    if (!options_.header && table_.examples == 0) DL_RETURN_IF_ERROR(CheckNoHeader());
    DL_RETURN_IF_ERROR(SpillFeatures(options_.memory, table_));
    for (int64_t i = 0; i < columns_; ++i) {
      if (i == label_) continue;
      DL_ASSIGN_OR_RETURN(const float value, NumberOf(scanner_, i, fields_[i]));
      table_.f32.push_back(value);
    }
    ++table_.examples;
    return ReadLabel(fields_[label_]);
  }

  // A first row of nothing but words.
  Status CheckNoHeader() const {
    for (int64_t i = 0; i < columns_; ++i) {
      if (i != label_ && (IsMissing(fields_[i]) || NumberOf(scanner_, i, fields_[i]).ok()))
        return absl::OkStatus();
    }
    const std::string& first = fields_[label_ == 0 ? 1 : 0];
    return scanner_.Bad(-1,
                        absl::StrCat("it looks like a header: \"",
                                     absl::CHexEscape(first.substr(0, 40)), "\" is not a number"),
                        "Set header to true, or remove the row");
  }

  Status ReadLabel(const std::string& text) {
    if (options_.label_kind == LabelKind::kTarget) {
      DL_ASSIGN_OR_RETURN(const float value, NumberOf(scanner_, label_, text));
      table_.targets.push_back(value);
      return absl::OkStatus();
    }
    if (IsMissing(text))
      return scanner_.Bad(label_, "the label is missing", "Fill it in or remove the row");
    if (!IsUtf8(text)) {
      return scanner_.Bad(label_, "the label is not UTF-8", "Save the file as UTF-8");
    }
    if (options_.training != nullptr) {
      auto found = training_classes_.find(text);
      if (found == training_classes_.end()) found = training_classes_.find(CanonicalLabel(text));
      if (found == training_classes_.end()) {
        return scanner_.Bad(
            label_, absl::StrCat("the training split has no class \"", text.substr(0, 40), "\""),
            absl::StrCat("Its classes are ", FirstOf(class_names_)));
      }
      table_.classes.push_back(found->second);
      return absl::OkStatus();
    }
    // The number is provisional, in order of appearance, until all classes are known.
    const auto [found, added] = seen_.emplace(text, static_cast<int32_t>(seen_.size()));
    if (added && static_cast<int64_t>(seen_.size()) > limits::kMaxClasses) {
      return scanner_.Bad(label_, absl::StrCat("more than ", limits::kMaxClasses, " classes"),
                          "Check the label column, or set label_type to number");
    }
    table_.classes.push_back(found->second);
    return absl::OkStatus();
  }

  void NumberClasses() {
    const bool whole = std::all_of(seen_.begin(), seen_.end(), [](const auto& item) {
      return WholeNumber(item.first).has_value();
    });
    std::vector<std::string> names;
    for (const auto& [text, provisional] : seen_)
      names.push_back(whole ? CanonicalLabel(text) : text);
    std::sort(names.begin(), names.end(), [whole](const std::string& a, const std::string& b) {
      return whole ? *WholeNumber(a) < *WholeNumber(b) : a < b;
    });
    names.erase(std::unique(names.begin(), names.end()), names.end());
    std::map<std::string, int32_t> number;
    for (size_t i = 0; i < names.size(); ++i) number[names[i]] = static_cast<int32_t>(i);
    std::vector<int32_t> final_number(seen_.size());
    for (const auto& [text, provisional] : seen_) {
      final_number[provisional] = number[whole ? CanonicalLabel(text) : text];
    }
    for (int32_t& label : table_.classes) label = final_number[label];
    table_.schema.classes = static_cast<int64_t>(names.size());
    table_.schema.class_names = std::move(names);
  }

  const CsvOptions& options_;
  CsvScanner& scanner_;
  ExampleTable table_;
  std::vector<std::string> fields_;
  int64_t columns_ = 0;
  int64_t label_ = 0;
  std::map<std::string, int32_t> seen_;
  std::vector<std::string> class_names_;  // the training split's
  std::map<std::string, int32_t> training_classes_;
};

}  // namespace

StatusOr<ExampleTable> ReadCsv(const CsvOptions& options) {
  if (options.separator == '"' || options.separator == '\n' || options.separator == '\r') {
    return InvalidArgument({.message = "a quote or a line end cannot separate columns",
                            .remedy = "Use another separator"});
  }
  DL_ASSIGN_OR_RETURN(SourceFile file, SourceFile::Open(options.path));
  CsvScanner scanner(file, options.separator);
  auto table = CsvReader(options, scanner).Read();
  if (table.ok() || !absl::IsInvalidArgument(table.status())) return table;
  // Whatever a reader stumbles over in a table of another separator, that is the mistake.
  const auto found = LooksSeparatedBy(scanner.begin(), options.separator);
  return found ? OtherSeparator(options.path, options.separator, *found) : table;
}

}  // namespace dl::dataset
