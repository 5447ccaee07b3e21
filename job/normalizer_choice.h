// How a job shifts and scales values: the features of its data, and the numbers that it predicts.
#pragma once

#include <cstdint>
#include <string_view>

#include "job/job_words.h"

namespace dl::job {

// kStandardize: to mean 0 and variance 1. kMinMax: to the range 0 to 1. Fitted on the training set.
enum class NormalizerChoice : uint8_t { kNone, kStandardize, kMinMax };
template <>
struct WordsOf<NormalizerChoice> {
  static constexpr std::string_view kWords[] = {"none", "standardize", "min_max"};
};

}  // namespace dl::job
