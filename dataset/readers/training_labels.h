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
//   - If the classes of the training split have no names, labels are numbers of classes. They do
//     not change.
//   - If the test split states `class_names`, label i has the name class_names[i].
//   - Otherwise labels are numbers of classes, unless the names of the training split's classes are
//     whole numbers. Then a label may also be such a name: a libsvm file has the classes 1 to 3, an
//     array the labels 0 to 2 or 1 to 3. The reading that fits all labels is used.
// Returns InvalidArgument, with `path`,
//   - if `class_names` has no name for a label, or the training split lacks the name,
//   - if both readings fit all labels and differ.
// Without `class_names`, labels that are out of range are left to the caller.
Status NumberLikeTraining(const Schema& training, const std::vector<std::string>& class_names,
                          const std::string& path, std::span<int32_t> labels);

}  // namespace dl::dataset
