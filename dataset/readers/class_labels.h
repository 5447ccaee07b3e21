// Numeric class labels of a source that has no names for them.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "dataset/example_table.h"
#include "job/sources/labels.h"

namespace dl::dataset {

// What a schema says of labels that a source calls so.
LabelKind LabelKindOf(job::LabelType type);

// That a split of classes is not evaluated by a model of numbers. OK without `training`.
// Labels like those of the training split for a table without any: each is 0, a sequence of classes
// is empty.
void AddAbsentLabels(const Schema& training, ExampleTable& table);

Status CheckTrainingHasClasses(const Schema* training, const std::string& path);

// Sets the table's number of classes: the training split's, else that of `class_names`, else the
// largest label + 1. A label beyond it, or below 0, is an error that names `path` and the example.
Status AssignClasses(ExampleTable& table, const std::vector<std::string>& class_names,
                     const Schema* training, const std::string& path);

// OK when a split with this schema can be evaluated by a model trained on `training`: same shape,
// type, names and kind of labels.
Status CheckSameSchema(const Schema& schema, const Schema& training, const std::string& path);

}  // namespace dl::dataset
