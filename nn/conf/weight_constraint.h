// What the weights of each output are held to behind every step, by their L2 norm. An output's
// weights are those at its index of the tensor's first dimension: what a unit or a filter sees, the
// vector of an embedding's index, each gate of each recurrent unit (of inputs and of states apart).
// Keras' MaxNorm and UnitNorm mean the same, with all axes of the inputs.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/json_fwd.h"
#include "nn/conf/field.h"
#include "nn/conf/key_row.h"
#include "nn/conf/mistakes.h"

namespace dl::nn {

enum class WeightConstraintKind : uint8_t;  // nn/conf/kinds.h

struct WeightConstraintConf {
  WeightConstraintKind kind{};  // none
  double max = 0;               // max_norm only
  bool operator==(const WeightConstraintConf&) const = default;

  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit&& visit);
};

WeightConstraintConf NoConstraint();
// w *= max / |w| where |w| > max: Srivastava et al., "Dropout: a simple way to prevent neural
// networks from overfitting", JMLR 2014, section 5.1; Deeplearning4j's MaxNormConstraint.
WeightConstraintConf MaxNorm(double max);
// w /= |w|; weights that are all 0 stay.
WeightConstraintConf UnitNorm();

std::string_view TagOf(const WeightConstraintConf& constraint);
std::vector<WeightConstraintConf> DefaultsOf(const WeightConstraintConf*);
Json ToJson(const WeightConstraintConf& constraint);  // {"type": "max_norm", "max": 2.0}
void ReadValue(JsonObjectReader& reader, std::string_view key, WeightConstraintConf& out);
void CheckValue(const Field& field, const WeightConstraintConf& constraint, Mistakes& mistakes);
void DescribeValue(const Field& field, const WeightConstraintConf& constraint,
                   std::vector<KeyRow>& rows);

}  // namespace dl::nn
