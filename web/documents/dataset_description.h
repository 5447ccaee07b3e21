// The datasets of a job as their page shows them.
#pragma once

#include "base/json_fwd.h"

namespace dl::web {

// Returns the document of a dataset from its manifest (docs/formats.md):
//
// - "examples", "order", "fingerprint", "blocks", and "normalizer" unless it is absent or "none"
// - "features" and "label": texts such as "1 × 28 × 28" and "10 classes"
// - "classes": [{"name","examples","share"}], and "has_classes". The list is empty, and
//   "has_classes" false, if the manifest does not count classes
// - "counted": "Examples", or "Labels" if an example has several of them: what "classes" counts
// - "columns": [{"name","encoding","categories","fill","fill_number"}], and "has_columns".
//   "encoding" is a phrase for people. "categories" is the number of categories. "fill" is the
//   category and "fill_number" the number for missing values. They are absent for a column without
//   them. The list is empty, and "has_columns" false, if the dataset is no table
// - "feature_names": the names of features that are no columns of a table, as a text. Absent
//   without names
// - "normalizer_rows": [{"name","first","second"}], and "has_normalizer_rows": mean and deviation
// of
//   each feature, or its smallest and largest value if "is_range" is true. "more_features" is the
//   number of features that are left out, or null
//
// The manifest may have a list of blocks or their number. Without a schema, the document has only
// the first group of members. It is an empty object if the manifest is no object. A missing number
// of examples is 0, a missing order "shuffled". REQUIRES: the members that the manifest has are in
// the form of docs/formats.md.
Json DatasetDescription(const Json& manifest);

}  // namespace dl::web
