// Examples of a dataset as pages show them: as pictures, as rows of a table, as texts, or as lists
// of numbers.
#pragma once

#include <cstddef>

#include "base/json_fwd.h"

namespace dl::web {

// Columns of a table that a page shows, and numbers of a list.
inline constexpr size_t kMaxShownColumns = 24;

// Returns what a page template needs to show the member "samples" of `answer` (docs/rest.md). The
// member "columns" of `answer` has the names of columns in order:
//
// - "are_pictures", "are_rows", "are_texts" or "are_lists": true for the form of the first sample.
//   The other three are absent.
// - "columns": for rows, the names of the first kMaxShownColumns columns. "more_columns" is the
//   number of other columns; absent if there are none.
// - "has_labels": whether the samples have labels and are not texts.
// - "samples": the samples, with "label_text" if they have labels and "predicted_text" if they have
//   a prediction. An unknown class is "missing", and so is a value that is null. Rows have "cells":
//   [{"text","is_missing"}]. Texts have "text", and lists "list_text".
//
// The members "values", "label" and "predicted" of the samples are left out, and all other members
// are kept. Without samples, only "samples" is present.
Json SampleView(const Json& answer);

}  // namespace dl::web
