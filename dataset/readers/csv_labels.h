// The labels of a table's rows: a class by its text, or numbers, of which some may be classes by
// their texts too.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dataset/example_table.h"
#include "dataset/readers/column_fit.h"
#include "dataset/readers/csv_rows.h"
#include "dataset/readers/label_texts.h"
#include "dataset/readers/missing_texts.h"
#include "dataset/readers/read_options.h"
#include "job/sources/csv.h"

namespace dl::dataset {

// Not thread-safe. All that it is made of outlives it.
class CsvLabels {
 public:
  CsvLabels(const job::CsvSource& source, const ReadOptions& options, const CsvRows& rows,
            const MissingTexts& missing)
      : source_(source),
        options_(options),
        rows_(rows),
        missing_(missing),
        texts_(options.training) {}

  // What the schema says of them before a row is read.
  LabelKind kind() const;
  int64_t target_size() const;

  // What the present row says of the columns that hold classes among numbers; and what all rows
  // said of them. The classes are those of all examples, a test split's too, as those of a label
  // alone are.
  Status Fit(FitMemory& memory);
  Status FinishFit(Schema& schema) const;

  // Those of the present row, at the end of the table's: by its schema's target_columns, where
  // these are known. Zeros where the source is read without labels.
  Status Read(ExampleTable& table);
  // Provisional, where labels are a class.
  StatusOr<int32_t> ClassOfRow();
  // Behind the last row.
  void Finish(ExampleTable& table) const;

 private:
  // Though the training split's source has some.
  bool AreLeftOut() const { return options_.labels == LabelColumns::kNone; }
  std::string NameOf(size_t label) const;
  Status ReadTarget(size_t target, ExampleTable& table) const;

  const job::CsvSource& source_;
  const ReadOptions& options_;
  const CsvRows& rows_;
  const MissingTexts& missing_;
  LabelTexts texts_;
  std::vector<ColumnFit> fits_;  // of all labels, where they are numbers
};

}  // namespace dl::dataset
