// Warnings about the labels and texts of an imported table of examples.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dataset/example_table.h"
#include "dataset/readers/feature_rounder.h"

namespace dl::dataset {

// Adds a warning for each pair of texts, at most 5, that differ only in how they are written.
void WarnOfAlike(std::string_view what, const std::vector<std::string>& texts, ExampleTable& table);

// Adds warnings about labels that are all equal, classes without examples, classes that may be one,
// and many classes with one example each. Looks for the last three only if an example has one
// label, because a model of texts has a class for each byte or word.
void WarnOfLabels(const PrecisionWatch& targets, ExampleTable& table);

// Adds a warning about classes of the training set that the test set has no example of. Does
// nothing if an example has several labels.
void WarnOfUntestedClasses(ExampleTable& table);

}  // namespace dl::dataset
