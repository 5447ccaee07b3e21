#include "job/normalizer_choice.h"

#include <string>

#include "base/json.h"
#include "nn/conf/object_field.h"

namespace dl::job {

std::string_view NormalizerName(NormalizerChoice choice) {
  switch (choice) {
    case NormalizerChoice::kNone:
      return "none";
    case NormalizerChoice::kStandardize:
      return "standardize";
    case NormalizerChoice::kMinMax:
      return "min_max";
  }
  return nn::kNoTag;
}

void ReadValue(JsonObjectReader& reader, std::string_view key, NormalizerChoice& out) {
  nn::ReadChoice(reader, key, out, NormalizerName);
}
Json ToJson(NormalizerChoice choice) { return std::string(NormalizerName(choice)); }
void DescribeValue(const nn::Field& field, NormalizerChoice choice, std::vector<nn::KeyRow>& rows) {
  nn::DescribeChoice(field, choice, NormalizerName, rows);
}

}  // namespace dl::job
