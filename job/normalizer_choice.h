// How values are shifted and scaled, as a job says it: the features of its data, and the numbers
// that it predicts.
#pragma once

#include <cstdint>
#include <string_view>

namespace dl {
class JsonObjectReader;  // base/json.h
}

namespace dl::job {

enum class NormalizerChoice : uint8_t { kNone, kStandardize, kMinMax };
std::string_view NormalizerName(NormalizerChoice choice);  // "none", "standardize", "min_max"

// Reads the name at `key`. Without the key `choice` stays as it is; an unknown name adds an error
// to `reader`.
void ReadNormalizer(JsonObjectReader& reader, std::string_view key, NormalizerChoice& choice);

}  // namespace dl::job
