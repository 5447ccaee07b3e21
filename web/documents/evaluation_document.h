// The evaluation of a job as its page shows it.
#pragma once

#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "base/status.h"

namespace dl::web {

// Larger confusion matrices are not shown as a table. Their most frequent mistakes are.
inline constexpr int64_t kMaxMatrixClasses = 40;

// Returns the document of an evaluation:
//
// - "round", "examples"
// - "metrics": [{"key","name","value","is_share"}], as far as the evaluation has them
// - with a confusion matrix "has_classes" and "classes":
//   [{"name","support","predicted","true_positives","false_positives","false_negatives",
//   "true_negatives","specificity","precision","recall","f1"}], each class against all others.
//   "support" is the number of examples of the class. "specificity" is the share of the other
//   examples that were not predicted as the class, without weights of examples. Figures without a
//   value are null: those of a class that is neither a label nor a prediction
// - with a confusion matrix "mistakes": [{"of","as","examples"}], the ten most frequent ones
// - with a confusion matrix "rows": [{"name","cells"}] if "has_rows" is true, which is so for up to
//   kMaxMatrixClasses classes ("max_matrix_classes"). A cell has "examples", "of" (the class of
//   the label), "as" (the predicted class), "is_diagonal", and "shade": 9 times the root of its
//   share of the row, rounded
//
// `record` is an evaluation of the round log (docs/formats.md). Classes without a name in
// `class_names` are named by their numbers. Returns InvalidArgument for another record.
StatusOr<Json> EvaluationDocument(const Json& record, const std::vector<std::string>& class_names);

// Returns the last evaluation that counts in a list of consecutive records of the round log, as a
// pointer into `records`. An evaluation does not count if a later record rolled its round back.
// Returns nullptr if none counts.
const Json* LastEvaluation(const Json& records);

}  // namespace dl::web
