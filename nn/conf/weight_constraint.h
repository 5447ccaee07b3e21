// Constraint on the L2 norm of the weights of each output, applied after every step to weights that
// are not frozen. The weights of an output are those at one index of the tensor's first dimension:
// the inputs of a unit or filter, the vector of an embedding's index, each gate of a recurrent unit
// (separately for inputs and states). Biases have no constraint. Equals MaxNorm and UnitNorm of
// Keras with all axes of the inputs, except that Keras adds an epsilon to the norm.
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
  double max = 0;               // max_norm only; 1e-30 to 1e30
  bool operator==(const WeightConstraintConf&) const = default;

  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit&& visit);
};

WeightConstraintConf NoConstraint();
// w *= max / |w| if |w| > max. Srivastava et al., "Dropout: a simple way to prevent neural networks
// from overfitting", JMLR 2014, section 5.1; MaxNormConstraint of Deeplearning4j.
WeightConstraintConf MaxNorm(double max);
// w /= |w|. Weights that are all 0 stay 0.
WeightConstraintConf UnitNorm();

std::string_view TagOf(const WeightConstraintConf& constraint);
std::vector<WeightConstraintConf> DefaultsOf(const WeightConstraintConf*);
Json ToJson(const WeightConstraintConf& constraint);  // {"type": "max_norm", "max": 2.0}
void ReadValue(JsonObjectReader& reader, std::string_view key, WeightConstraintConf& out);
void CheckValue(const Field& field, const WeightConstraintConf& constraint, Mistakes& mistakes);
void DescribeValue(const Field& field, const WeightConstraintConf& constraint,
                   std::vector<KeyRow>& rows);

}  // namespace dl::nn
