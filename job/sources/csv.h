// Tables of text (RFC 4180): a column holds the label, all others are numeric features.
// dataset/readers/csv.h reads them.
#pragma once

#include <string>
#include <string_view>

#include "job/sources/files.h"
#include "job/sources/labels.h"

namespace dl::job {

struct CsvSource {
  static constexpr std::string_view kTag = "csv";

  Files path;                   // of several each has the header, if there is one
  bool header = true;           // the first row holds the columns' names
  std::string separator = ",";  // one byte
  Column label_column = int64_t{-1};
  LabelType label_type = LabelType::kClass;

  CsvSource& NoHeader() {
    header = false;
    return *this;
  }
  CsvSource& Separator(std::string value) {
    separator = std::move(value);
    return *this;
  }
  CsvSource& LabelColumn(std::string name) {
    label_column = std::move(name);
    return *this;
  }
  CsvSource& LabelColumn(int64_t index) {
    label_column = index;
    return *this;
  }
  CsvSource& LabelsAreNumbers() {
    label_type = LabelType::kNumber;
    return *this;
  }

  bool operator==(const CsvSource&) const = default;
  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit&& visit) {
    visit(kPathField, self.path);
    visit(nn::Field{.key = "header", .meaning = "Whether the first row holds names"}, self.header);
    visit(nn::Field{.key = "separator",
                    .what = "separator",
                    .max = limits::kMaxPath,  // Check() has the rest
                    .meaning = "One character between fields"},
          self.separator);
    visit(nn::Field{.key = "label_column",
                    .what = "label_column",
                    .min = -limits::kMaxExtent,
                    .max = limits::kMaxExtent,
                    .meaning = "Name or index (from 0) of the label's column; negative ones count "
                               "from the end: the last is the default"},
          self.label_column);
    visit(kLabelTypeField, self.label_type);
  }
  void Check(nn::Mistakes& mistakes) const;
};

}  // namespace dl::job
