// The evaluation of a job as its page shows it.
#pragma once

#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "base/status.h"

namespace dl::web {

// Larger confusion matrices are not shown as a table. Their most frequent mistakes are.
inline constexpr int64_t kMostMatrixClasses = 40;

// Returns the document of an evaluation:
//
// - "round", "examples"
// - "metrics": [{"name","value","is_share"}], as far as the evaluation has them
// - with a confusion matrix "has_classes", "classes", "mistakes" and "has_rows"
// - "classes": [{"name","support","predicted","precision","recall","f1"}]. "support" is the number
//   of examples of the class
// - "mistakes": [{"of","as","examples"}], the ten most frequent ones
// - "rows": [{"name","cells"}] if "has_rows" is true, which is so for up to kMostMatrixClasses
//   classes. A cell has "examples", "of" and "as", the two classes, "is_diagonal", and "shade" from
//   0 to 9, the root of its share of the row
//
// `record` is an evaluation of the round log (docs/formats.md). Classes without a name in
// `class_names` are named by their numbers. Returns InvalidArgument for another record.
StatusOr<Json> EvaluationDocument(const Json& record, const std::vector<std::string>& class_names);

// Returns the last evaluation in a list of consecutive records of the round log, or nullptr if the
// list has none. An evaluation of a round that a later record rolled back does not count.
const Json* LastEvaluation(const Json& records);

}  // namespace dl::web
