// What a sequence says of which each step has an output for every class and one for the blank
// (nn/conf/losses/ctc.h).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace dl::nn {

// The classes of the path of the largest output of each step, of equal ones the first: of equal
// outputs beside each other one, without blanks. Sets the first of `classes` and returns how many.
// `outputs` are [steps, width], the last of each step the blank's. REQUIRES: as many `classes` as
// steps.
int64_t BestPath(std::span<const float> outputs, int64_t width, std::span<int32_t> classes);
std::vector<int32_t> BestPath(std::span<const float> outputs, int64_t width);

// Of an example's row of labels those before the first kNoLabel.
std::span<const int32_t> SequenceOf(std::span<const int32_t> labels);

}  // namespace dl::nn
