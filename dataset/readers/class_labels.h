// Assigns and checks numeric labels of a source.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "dataset/example_table.h"
#include "job/sources/labels.h"

namespace dl::dataset {

// Returns labels of the kind that a source declares, whose numbers are still unknown. `no_label` is
// the label that stands for an absent class; nullopt: every example has its class.
Labels LabelsOfType(job::LabelType type, std::optional<int64_t> no_label = std::nullopt);

// Adds placeholder labels to a table without labels, in the form of the training split's labels.
// Each class or number is 0; a sequence of classes is empty. Steps after the end of an example have
// kNoLabel.
void AddAbsentLabels(const Schema& training, ExampleTable& table);

// Returns InvalidArgument if the labels of the training split are not classes, so that a split of
// classes is not evaluated by a model of numbers. OK if `training` is null.
Status CheckTrainingHasClasses(const Schema* training, const std::string& path);

// Sets the number of classes of the table: that of the training split, else that of `class_names`,
// else the largest label + 1. For a test split, labels first become numbers of classes of the
// training split (training_labels.h). Returns InvalidArgument, which names `path` and the example,
// for a label outside of the range, and errors of CheckTrainingHasClasses and NumberLikeTraining.
// REQUIRES: the labels of the table are classes.
Status AssignClasses(ExampleTable& table, const std::vector<std::string>& class_names,
                     const Schema* training, const std::string& path);

// Returns OK if a split with this schema can be evaluated by a model trained on `training`, else
// InvalidArgument with the first difference. Features and labels must have the same form, and
// features the same names. Does not compare the classes.
// The split may lack weights, and the longest of its sequences of classes may have another length.
Status CheckSameSchema(const Schema& schema, const Schema& training, const std::string& path);

}  // namespace dl::dataset
