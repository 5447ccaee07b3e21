// Reads the column with the weights of examples.
#pragma once

#include "base/status.h"
#include "dataset/example_table.h"
#include "dataset/readers/read_options.h"
#include "dataset/readers/table/csv_rows.h"
#include "dataset/readers/table/missing_texts.h"

namespace dl::dataset {

// Reads nothing if the table has no column of weights, or if it is read without labels, because
// weights apply to the loss. Errors name the column, and the row if one row is wrong. Not
// thread-safe. The arguments must outlive the object.
class CsvWeights {
 public:
  CsvWeights(const CsvRows& rows, const MissingTexts& missing, LabelColumns labels)
      : rows_(rows), missing_(missing), labels_(labels) {}

  // Records in the schema that the examples have weights, and in which column. Must be called at
  // the first row.
  void Begin(Schema& schema) const;
  // Appends the weight of the current row. Returns InvalidArgument if the weight is missing, or if
  // it is not a finite number of at least 0.
  Status Read(ExampleTable& table) const;
  // Reads a row of the same sequence as the row before. Also returns InvalidArgument if the two
  // rows have different weights, because a sequence has one weight.
  Status ReadEqual(ExampleTable& table) const;
  // Must be called after the last row, with the examples. Returns InvalidArgument if all weights
  // are 0.
  Status Finish(const ExampleTable& table) const;

 private:
  bool AreRead() const;

  const CsvRows& rows_;
  const MissingTexts& missing_;
  const LabelColumns labels_;
};

}  // namespace dl::dataset
