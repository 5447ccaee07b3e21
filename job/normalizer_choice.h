// The kind of normalizer that a job uses. The key data.normalizer selects it for features, and
// training.target_normalizer selects it for numbers to predict. The shifts and scales are fitted on
// the training set (dataset/normalizer.h, dataset/target_normalizer.h).
#pragma once

#include <cstdint>
#include <string_view>

#include "job/job_words.h"

namespace dl::job {

// Each feature, channel or target is shifted and scaled separately. Categories never change.
//   kNone         values do not change; bytes of images stay 0 to 255.
//   kStandardize  the training set gets mean 0 and variance 1.
//   kMinMax       the training set gets the range 0 to 1. Values of other sets may be outside.
// With kStandardize and kMinMax, a feature that is constant in the training set becomes 0 there.
enum class NormalizerChoice : uint8_t { kNone, kStandardize, kMinMax };
template <>
struct WordsOf<NormalizerChoice> {
  static constexpr std::string_view kWords[] = {"none", "standardize", "min_max"};
};

}  // namespace dl::job
