// Reads the labels of a table's rows: one class given as text, or several targets, each a number or
// a class given as text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dataset/example_table.h"
#include "dataset/readers/label_texts.h"
#include "dataset/readers/read_options.h"
#include "dataset/readers/table/column_fit.h"
#include "dataset/readers/table/csv_rows.h"
#include "dataset/readers/table/missing_texts.h"
#include "job/sources/csv.h"

namespace dl::dataset {

// Not thread-safe. All constructor arguments must outlive the object.
class CsvLabels {
 public:
  CsvLabels(const job::CsvSource& source, const ReadOptions& options, const CsvRows& rows,
            const MissingTexts& missing)
      : source_(source),
        options_(options),
        rows_(rows),
        missing_(missing),
        texts_(options.training) {}

  // The labels for the schema, without their classes. Target columns have the classes of the
  // training split. Available before a row is read.
  Labels EmptyLabels() const;

  // Collect the classes of target columns: Fit reads the current row, FinishFit adds the columns to
  // the schema. The classes are those of all examples, including a test split, as for a single
  // class label. Return the errors of ColumnFit, with the row and the column.
  Status Fit(FitMemory& memory);
  Status FinishFit(Schema& schema) const;

  // Appends the labels of the current row to the table. Uses the schema's target_columns if these
  // are known. Appends zeros if the source is read without labels. A missing class of a target
  // column becomes kNoLabel. Returns InvalidArgument, with the row and the column, for any other
  // missing label, for an unknown class, and for a text in place of a number.
  Status Read(ExampleTable& table);
  // Returns the provisional class of the current row. Errors are those of Read. Must be called only
  // for class labels.
  StatusOr<int32_t> ClassOfRow();
  // Replaces provisional classes by the final ones (LabelTexts::Finish). Does nothing if the labels
  // are targets. Must be called after the last row.
  void Finish(ExampleTable& table) const;

 private:
  // Returns whether labels are not read, although the source of the training split has labels.
  bool AreLeftOut() const { return options_.labels == LabelColumns::kNone; }
  std::string NameOf(size_t label) const;
  Status ReadTarget(size_t target, ExampleTable& table) const;

  const job::CsvSource& source_;
  const ReadOptions& options_;
  const CsvRows& rows_;
  const MissingTexts& missing_;
  LabelTexts texts_;
  std::vector<ColumnFit> fits_;  // for all labels, if they are numbers
};

}  // namespace dl::dataset
