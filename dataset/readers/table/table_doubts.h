// Adds notes about the columns of a table considered together: rows that are not examples, columns
// without information, and columns that reveal the label.
#pragma once

#include "base/status.h"
#include "dataset/readers/table/table_draft.h"

namespace dl::dataset {

// Returns InvalidArgument if a later row repeats the names of the columns, in this or another
// order. Must be called after the decision about the header.
Status CheckHeaderIsNotRepeated(const TableDraft& draft);

// Adds the notes to the report. Must be called when the label and the types of all columns are
// known.
void RecordDoubts(TableDraft& draft);

// Returns InvalidArgument if a row has no value at all, as Excel writes empty rows.
Status CheckNoRowIsEmpty(const TableDraft& draft);

}  // namespace dl::dataset
