// Predicts a sequence of classes from outputs for every class and the blank at each step. See
// nn/conf/losses/ctc.h.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace dl::nn {

// Takes the index of the largest output of each step (the first if several are equal), merges equal
// adjacent indices and then removes blanks. Writes the remaining classes to the beginning of
// `classes` and returns their number. `outputs` are [steps, width]; index width - 1 is the blank.
// REQUIRES: `classes` has at least as many entries as there are steps.
int64_t BestPath(std::span<const float> outputs, int64_t width, std::span<int32_t> classes);
// Does the same and returns the remaining classes.
std::vector<int32_t> BestPath(std::span<const float> outputs, int64_t width);

// Returns the labels of an example's row before the first kNoLabel.
std::span<const int32_t> SequenceOf(std::span<const int32_t> labels);

}  // namespace dl::nn
