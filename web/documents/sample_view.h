// Examples of a dataset as pages show them: as pictures, as rows of a table, as texts, or as lists
// of numbers.
#pragma once

#include <cstddef>

#include "base/json_fwd.h"

namespace dl::web {

// Columns of a table that a page shows, and numbers of a list.
inline constexpr size_t kMostShownColumns = 24;

// Returns the document of the member "samples" of `answer` (docs/rest.md). "columns" of `answer`
// has the names of columns in order:
//
// - "are_pictures", "are_rows", "are_texts" or "are_lists": true for the form of the samples
// - "columns": for rows, the names of the first kMostShownColumns columns, and "more_columns", the
//   number of other columns
// - "has_labels", and "has_filled" if a number may stand for a missing value
// - "samples": the samples, with "label_text" if they have labels and "predicted_text" if they have
//   a prediction. An unknown class is "missing". Rows have "cells": [{"text","is_missing",
//   "is_filled"}]. Texts have "text", and lists "list_text".
//
// Other members of the samples are kept.
Json SampleView(const Json& answer);

}  // namespace dl::web
