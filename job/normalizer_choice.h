// How a job shifts and scales values: the features of its data, and the numbers that it predicts.
#pragma once

#include <cstdint>
#include <string_view>

namespace dl {
class JsonObjectReader;  // base/json.h
}

namespace dl::job {

// kStandardize: to mean 0 and variance 1. kMinMax: to the range 0 to 1. Fitted on the training set.
enum class NormalizerChoice : uint8_t { kNone, kStandardize, kMinMax };
std::string_view NormalizerName(NormalizerChoice choice);  // "none", "standardize", "min_max"

// Reads the name at `key`. `choice` is unchanged if the key is absent. An unknown name adds an
// error to `reader`.
void ReadNormalizer(JsonObjectReader& reader, std::string_view key, NormalizerChoice& choice);

}  // namespace dl::job
