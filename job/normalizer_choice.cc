#include "job/normalizer_choice.h"

#include <string>

#include "base/json.h"

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
  return "unknown";
}

void ReadNormalizer(JsonObjectReader& reader, std::string_view key, NormalizerChoice& choice) {
  std::string name(NormalizerName(choice));
  reader.OneOf(key, name, {"none", "standardize", "min_max"});
  for (const NormalizerChoice known :
       {NormalizerChoice::kNone, NormalizerChoice::kStandardize, NormalizerChoice::kMinMax}) {
    if (NormalizerName(known) == name) choice = known;
  }
}

}  // namespace dl::job
