#include "dataset/readers/csv.h"

#include <algorithm>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "base/suggest.h"
#include "base/utf8.h"
#include "dataset/readers/class_labels.h"
#include "dataset/readers/csv_mistakes.h"
#include "dataset/readers/csv_scanner.h"
#include "dataset/readers/file_error.h"
#include "dataset/readers/label_texts.h"
#include "dataset/readers/numbers.h"
#include "dataset/readers/source_file.h"
#include "dataset/readers/source_paths.h"

namespace dl::dataset {
namespace {

bool IsMissing(const std::string& text) {
  const std::string lower = absl::AsciiStrToLower(text);
  return lower.empty() || lower == "?" || lower == "na" || lower == "n/a" || lower == "nan" ||
         lower == "null";
}

class CsvReader {
 public:
  CsvReader(const job::CsvSource& source, const ReadOptions& options)
      : source_(source), options_(options), labels_(options.training) {
    table_.schema = {.feature_type = FeatureType::kF32,
                     .label_kind = IsClass() ? LabelKind::kClass : LabelKind::kTarget,
                     .target_size = IsClass() ? 0 : 1};
  }

  // One file, behind those before it.
  Status Read(const std::string& path) {
    DL_ASSIGN_OR_RETURN(SourceFile file, SourceFile::Open(path));
    CsvScanner scanner(file, source_.separator[0]);
    scanner_ = &scanner;
    const Status status = ReadRows(path);
    scanner_ = nullptr;
    if (!absl::IsInvalidArgument(status)) return status;
    // Whatever a reader stumbles over in a table of another separator, that is the mistake.
    const auto found = LooksSeparatedBy(scanner.begin(), source_.separator[0]);
    return found ? OtherSeparator(path, source_.separator[0], *found) : status;
  }

  // `first`: the first file, for errors about the table as a whole.
  StatusOr<ExampleTable> Finish(const std::string& first) {
    if (IsClass()) labels_.Finish(table_);
    if (options_.training != nullptr)
      DL_RETURN_IF_ERROR(CheckSameSchema(table_.schema, *options_.training, first));
    if (Status status = ValidateTable(table_); !status.ok())
      return AboutFile(status, first, "Correct the table");
    return std::move(table_);
  }

 private:
  bool IsClass() const { return source_.label_type == job::LabelType::kClass; }

  Status ReadRows(const std::string& path) {
    DL_ASSIGN_OR_RETURN(bool more, scanner_->NextRow(fields_));
    if (!more) {
      return AboutFile(InvalidArgument({.message = "the file is empty"}), path,
                       "Name a file with a row for each example");
    }
    if (first_file_.empty()) {
      first_file_ = path;
      DL_RETURN_IF_ERROR(FindColumns());
      first_row_ = fields_;
    } else if (source_.header) {
      DL_RETURN_IF_ERROR(CheckSameHeader());
    }
    if (source_.header) {
      DL_ASSIGN_OR_RETURN(more, scanner_->NextRow(fields_));
    }
    if (!more) {
      return AboutFile(InvalidArgument({.message = "no row follows the header"}), path,
                       "Add a row for each example, or set header to false");
    }
    while (more) {
      DL_RETURN_IF_ERROR(ReadRow());
      DL_ASSIGN_OR_RETURN(more, scanner_->NextRow(fields_));
    }
    return absl::OkStatus();
  }

  // Of a file behind the first, whose columns are its columns.
  Status CheckSameHeader() const {
    for (size_t i = 0; i < std::min(fields_.size(), first_row_.size()); ++i) {
      if (fields_[i] == first_row_[i]) continue;
      return Bad(static_cast<int64_t>(i),
                 absl::StrCat("the column is \"", absl::CHexEscape(fields_[i].substr(0, 40)),
                              "\", in ", first_file_, " it is \"",
                              absl::CHexEscape(first_row_[i].substr(0, 40)), "\""),
                 "Give all files the same header");
    }
    if (fields_.size() == first_row_.size()) return absl::OkStatus();
    return Bad(-1,
               absl::StrCat("the header has ", fields_.size(), " columns, that of ", first_file_,
                            " has ", first_row_.size()),
               "Give all files the same header");
  }

  // From the first row: number of columns, names, which one is the label.
  Status FindColumns() {
    columns_ = static_cast<int64_t>(fields_.size());
    const auto* index = std::get_if<int64_t>(&source_.label_column);
    const auto* name = std::get_if<std::string>(&source_.label_column);
    if (index != nullptr) label_ = *index < 0 ? columns_ + *index : *index;
    if (name != nullptr) {
      if (!source_.header) {
        return Bad(-1, "a label column is named, but the file has no header",
                   "Give its index instead");
      }
      label_ = std::find(fields_.begin(), fields_.end(), *name) - fields_.begin();
      if (label_ == columns_) {
        return Bad(-1,
                   absl::StrCat("there is no column \"", *name, "\"", DidYouMean(*name, fields_)),
                   absl::StrCat("Set label_column to one of ", FirstOf(fields_)));
      }
      if (std::count(fields_.begin(), fields_.end(), *name) > 1) {
        return Bad(-1, absl::StrCat("two columns are named \"", *name, "\""),
                   "Give the index of the label's column, from 0");
      }
    }
    if (columns_ < 2) {
      return Bad(-1, "there is one column, a label and at least one feature are needed",
                 absl::StrCat("Check the separator, which is \"",
                              absl::CHexEscape(source_.separator), "\""));
    }
    if (label_ < 0 || label_ >= columns_) {
      return Bad(-1, absl::StrCat("there is no column ", *index, ": the row has ", columns_),
                 absl::StrCat("Set label_column to an index from 0 to ", columns_ - 1, ", or from ",
                              -columns_, " to -1, which count from the end"));
    }
    table_.schema.feature_shape = {columns_ - 1};
    if (!source_.header) return absl::OkStatus();
    for (int64_t i = 0; i < columns_; ++i) {
      if (!IsUtf8(fields_[i])) {
        return Bad(i, "the column's name is not UTF-8", "Save the file as UTF-8");
      }
      if (i != label_) table_.schema.feature_names.push_back(fields_[i]);
    }
    return absl::OkStatus();
  }

  Status ReadRow() {
    if (static_cast<int64_t>(fields_.size()) != columns_) {
      return Bad(-1,
                 absl::StrCat("has ", fields_.size(), fields_.size() == 1 ? " field" : " fields",
                              ", the first row has ", columns_),
                 "Correct the row; check the separator and the quotes");
    }
    if (!source_.header && table_.examples == 0) DL_RETURN_IF_ERROR(CheckNoHeader());
    DL_RETURN_IF_ERROR(SpillFeatures(options_.memory, table_));
    for (int64_t i = 0; i < columns_; ++i) {
      if (i == label_) continue;
      DL_ASSIGN_OR_RETURN(const float value, NumberOf(i));
      table_.f32.push_back(value);
    }
    ++table_.examples;
    return ReadLabel();
  }

  StatusOr<float> NumberOf(int64_t column) const {
    const std::string& text = fields_[column];
    if (IsMissing(text)) return Bad(column, "a value is missing", "Fill it in or remove the row");
    const auto number = FloatOf(text);
    return number.ok() ? number : Bad(column, number.status());
  }

  // A first row of nothing but words.
  Status CheckNoHeader() const {
    for (int64_t i = 0; i < columns_; ++i) {
      if (i != label_ && (IsMissing(fields_[i]) || NumberOf(i).ok())) return absl::OkStatus();
    }
    const std::string& first = fields_[label_ == 0 ? 1 : 0];
    return Bad(-1,
               absl::StrCat("it looks like a header: \"", absl::CHexEscape(first.substr(0, 40)),
                            "\" is not a number"),
               "Set header to true, or remove the row");
  }

  Status ReadLabel() {
    const std::string& text = fields_[label_];
    if (!IsClass()) {
      DL_ASSIGN_OR_RETURN(const float value, NumberOf(label_));
      table_.targets.push_back(value);
      return absl::OkStatus();
    }
    if (IsMissing(text)) return Bad(label_, "the label is missing", "Fill it in or remove the row");
    const auto label = labels_.Add(text);
    if (!label.ok()) return Bad(label_, label.status());
    table_.classes.push_back(*label);
    return absl::OkStatus();
  }

  Status Bad(int64_t column, std::string message, std::string remedy) const {
    return scanner_->Bad(column, std::move(message), std::move(remedy));
  }
  Status Bad(int64_t column, const Status& without_place) const {
    return Bad(column, std::string(without_place.message()), ErrorRemedy(without_place));
  }

  const job::CsvSource& source_;
  const ReadOptions& options_;
  CsvScanner* scanner_ = nullptr;  // of the file that is read
  ExampleTable table_;
  LabelTexts labels_;
  std::string first_file_;
  std::vector<std::string> first_row_;  // its
  std::vector<std::string> fields_;     // of the row that is read
  int64_t columns_ = 0;
  int64_t label_ = 0;
};

}  // namespace

StatusOr<ExampleTable> ReadCsv(const job::CsvSource& source, const ReadOptions& options) {
  const std::string& separator = source.separator;
  if (separator.size() != 1 || separator == "\"" || separator == "\n" || separator == "\r") {
    return InvalidArgument(
        {.message = "the separator is not one character that can separate columns",
         .remedy = "Use another separator"});
  }
  DL_ASSIGN_OR_RETURN(const std::vector<std::string> paths, SourcePaths(source.path));
  if (source.label_type == job::LabelType::kClass)
    DL_RETURN_IF_ERROR(CheckTrainingHasClasses(options.training, paths.front()));
  CsvReader reader(source, options);
  for (const std::string& path : paths) DL_RETURN_IF_ERROR(reader.Read(path));
  return reader.Finish(paths.front());
}

}  // namespace dl::dataset
