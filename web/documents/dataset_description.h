// The datasets of a job as their page shows them.
#pragma once

#include "base/json_fwd.h"

namespace dl::web {

// Returns the document of a dataset from its manifest (docs/formats.md):
//
// - "examples", "order", "fingerprint", "blocks", and "normalizer" unless it is "none"
// - "features" and "label": texts such as "1 × 28 × 28" and "10 classes"
// - if labels are classes "has_classes" and "classes": [{"name","examples","share"}]
// - for a table "has_columns" and "columns": [{"name","encoding","categories","fill"}], where
//   "categories" is their number
//
// The manifest may have a list of blocks or their number. Members that the manifest lacks, or has
// in another form, are absent.
Json DatasetDescription(const Json& manifest);

}  // namespace dl::web
