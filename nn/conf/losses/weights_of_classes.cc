#include "nn/conf/losses/weights_of_classes.h"

#include "absl/strings/str_cat.h"
#include "base/json.h"

namespace dl::nn {
namespace {

constexpr const char* kBalanced = "balanced";

}  // namespace

void ReadValue(JsonObjectReader& reader, std::string_view key, WeightsOfClasses& out) {
  const Json* json = reader.Child(key);
  if (json == nullptr) return;
  if (*json == kBalanced) {
    out = WeightsOfClasses::Balanced();
  } else if (json->is_string()) {
    reader.AddError(
        key, absl::StrCat("must be a list of numbers or \"", kBalanced, "\", is ", json->dump()));
  } else {
    out.balanced = false;
    ReadValue(reader, key, out.values);
  }
}

Json ToJson(const WeightsOfClasses& weights) {
  return weights.balanced ? Json(kBalanced) : ToJson(weights.values);
}

void CheckValue(const Field& field, const WeightsOfClasses& weights, Mistakes& mistakes) {
  CheckValue(field, weights.values, mistakes);
}

void DescribeValue(const Field& field, const WeightsOfClasses& weights, std::vector<KeyRow>& rows) {
  DescribeValue(field, weights.values, rows);
  rows.back().choices = kBalanced;
}

}  // namespace dl::nn
