// Weights of examples by their class.
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

// A number for each class, class 0 first, or "balanced". Classes after the last number have 1.
// Submission of a job replaces "balanced" by numbers (launch/import/balanced_classes.h), so
// training never uses it.
struct WeightsOfClasses {
  std::vector<double> values;
  bool balanced = false;

  WeightsOfClasses() = default;
  WeightsOfClasses(std::vector<double> all) : values(std::move(all)) {}  // NOLINT: implicit
  static WeightsOfClasses Balanced() {
    WeightsOfClasses weights;
    weights.balanced = true;
    return weights;
  }
  bool operator==(const WeightsOfClasses&) const = default;
};

// Functions that nn/conf/field.h requires for the type of a member.
void ReadValue(JsonObjectReader& reader, std::string_view key, WeightsOfClasses& out);
Json ToJson(const WeightsOfClasses& weights);
void CheckValue(const Field& field, const WeightsOfClasses& weights, Mistakes& mistakes);
void DescribeValue(const Field& field, const WeightsOfClasses& weights, std::vector<KeyRow>& rows);

}  // namespace dl::nn
