// The column of a table that has the weights of its examples.
#pragma once

#include "base/status.h"
#include "dataset/example_table.h"
#include "dataset/readers/csv_rows.h"
#include "dataset/readers/missing_texts.h"
#include "dataset/readers/read_options.h"

namespace dl::dataset {

// Reads nothing where the table has no such column, or is read without labels: weights are of the
// loss. Errors name the row and the column. Not thread-safe. The arguments must outlive the object.
class CsvWeights {
 public:
  CsvWeights(const CsvRows& rows, const MissingTexts& missing, LabelColumns labels)
      : rows_(rows), missing_(missing), labels_(labels) {}

  // Notes in the schema that the examples have weights, and where. To be called at the first row.
  void Begin(Schema& schema) const;
  // Appends the weight of the present row. InvalidArgument: the weight is missing, or is no finite
  // number of at least 0.
  Status Read(ExampleTable& table) const;
  // To be called after the last row. InvalidArgument: all weights are 0.
  Status Finish(const ExampleTable& table) const;

 private:
  bool AreRead() const;

  const CsvRows& rows_;
  const MissingTexts& missing_;
  const LabelColumns labels_;
};

}  // namespace dl::dataset
