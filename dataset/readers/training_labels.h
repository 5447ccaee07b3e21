// Converts numeric labels of a test split to the classes of its training split.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "dataset/schema.h"

namespace dl::dataset {

// Replaces each label, except kNoLabel, by the number of its class in the training split.
// `class_names` are those that the test split states; empty: none.
//   - If the classes of the training split have no names, or if `class_names` equals these names,
//     labels are numbers of classes. They do not change.
//   - With other `class_names`, label i has the name class_names[i].
//   - Without `class_names`, labels are numbers of classes. If the names of the training split's
//     classes are different whole numbers, all labels may also be such names. For example, the
//     classes of a libsvm training file are 1 to 3, and the labels of a test array are 0 to 2 or 1
//     to 3. The reading that fits all labels is used. If neither fits, labels do not change.
// Returns InvalidArgument with `path`, and changes no label, in these cases:
//   - `class_names` are other names, and have no name for a label.
//   - `class_names` are other names, and the training split lacks the name of a label.
//   - Both readings fit all labels and differ.
// In all other cases, labels that are out of range are left to the caller.
Status NumberLikeTraining(const Schema& training, const std::vector<std::string>& class_names,
                          const std::string& path, std::span<int32_t> labels);

}  // namespace dl::dataset
