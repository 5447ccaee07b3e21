// How a job shifts and scales values: the features of its data, and the numbers that it predicts.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/json_fwd.h"
#include "nn/conf/field.h"
#include "nn/conf/key_row.h"
#include "nn/conf/mistakes.h"

namespace dl::job {

// kStandardize: to mean 0 and variance 1. kMinMax: to the range 0 to 1. Fitted on the training set.
enum class NormalizerChoice : uint8_t { kNone, kStandardize, kMinMax };
std::string_view NormalizerName(NormalizerChoice choice);  // "none", "standardize", "min_max"

// Operations on a member (nn/conf/field.h).
void ReadValue(JsonObjectReader& reader, std::string_view key, NormalizerChoice& out);
Json ToJson(NormalizerChoice choice);
inline void CheckValue(const nn::Field&, NormalizerChoice, nn::Mistakes&) {}
void DescribeValue(const nn::Field& field, NormalizerChoice choice, std::vector<nn::KeyRow>& rows);

}  // namespace dl::job
