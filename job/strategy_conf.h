// How the contributions of a round become the next state, as data (averaging/ has the formulas).
#pragma once

#include <string_view>
#include <variant>

#include "base/json.h"
#include "nn/conf/mistakes.h"

namespace dl::job {

// The weighted mean of the workers' states.
struct Average {
  bool operator==(const Average&) const = default;
};

// The weighted mean of how much the workers' parameters changed, as a step of an outer optimizer
// with momentum (averaging/outer.h).
struct Outer {
  double learning_rate = 1.0;
  double momentum = 0.5;
  bool nesterov = true;

  Outer& LearningRate(double value) {
    learning_rate = value;
    return *this;
  }
  Outer& Momentum(double value) {
    momentum = value;
    return *this;
  }
  Outer& Nesterov(bool value) {
    nesterov = value;
    return *this;
  }
  bool operator==(const Outer&) const = default;
};

using StrategyConf = std::variant<Average, Outer>;

std::string_view StrategyTag(const StrategyConf& strategy);  // "average", "outer"

void CheckStrategy(const StrategyConf& strategy, nn::Mistakes& mistakes);
Json ToJson(const StrategyConf& strategy);
// Absent keys keep the defaults of the type; an absent type is that of `out`.
void ReadStrategy(JsonObjectReader& reader, std::string_view key, StrategyConf& out);

}  // namespace dl::job
