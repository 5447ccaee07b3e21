// Sentences about what the columns of a bare table show together: rows that are no examples,
// columns that say nothing, and columns that say what the label says.
#pragma once

#include "base/status.h"
#include "dataset/readers/table_draft.h"

namespace dl::dataset {

// InvalidArgument: a row after the first repeats the names of the columns, in this or another
// order. Needs the decision about the header.
Status CheckHeaderIsNotRepeated(const TableDraft& draft);

// Adds the sentences to the report. Needs the label and the types of all columns.
void RecordDoubts(TableDraft& draft);

}  // namespace dl::dataset
