// What an example counts by its class.
#pragma once

#include <initializer_list>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json_fwd.h"
#include "nn/conf/field.h"
#include "nn/conf/key_row.h"
#include "nn/conf/mistakes.h"

namespace dl::nn {

// Numbers, those of class 0 first; or "balanced", which numbers take the place of when a job is
// submitted (launch/balanced_classes.h): nothing trains with it.
struct WeightsOfClasses {
  std::vector<double> values;
  bool balanced = false;

  WeightsOfClasses() = default;
  WeightsOfClasses(std::vector<double> all) : values(std::move(all)) {}  // NOLINT: they are them
  static WeightsOfClasses Balanced() {
    WeightsOfClasses weights;
    weights.balanced = true;
    return weights;
  }
  bool operator==(const WeightsOfClasses&) const = default;
};

// What nn/conf/field.h asks of a member's type.
void ReadValue(JsonObjectReader& reader, std::string_view key, WeightsOfClasses& out);
Json ToJson(const WeightsOfClasses& weights);
void CheckValue(const Field& field, const WeightsOfClasses& weights, Mistakes& mistakes);
void DescribeValue(const Field& field, const WeightsOfClasses& weights, std::vector<KeyRow>& rows);

}  // namespace dl::nn
