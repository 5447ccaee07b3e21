// How the contributions of a round become the next state, as data: one type per strategy. Each type
// is its own builder and describes its JSON keys (nn/conf/field.h). averaging/ implements the
// formulas.
#pragma once

#include <string_view>
#include <variant>
#include <vector>

#include "base/json_fwd.h"
#include "base/limits.h"
#include "base/one_of.h"
#include "nn/conf/field.h"
#include "nn/conf/key_row.h"
#include "nn/conf/mistakes.h"

namespace dl::job {

// The next state is the mean of the workers' states, weighted by the number of examples that each
// worker trained in the round.
struct Average {
  static constexpr std::string_view kTag = "average";

  bool operator==(const Average&) const = default;
  template <typename Self, typename Visit>
  static void Fields(Self&, Visit&&) {}
};

// Step of an outer optimizer with momentum along the weighted mean of the workers' parameter
// changes (averaging/outer.h).
struct Outer {
  static constexpr std::string_view kTag = "outer";

  double learning_rate = 0.5;  // 0 to limits::kMaxCoefficient
  double momentum = 0.8;       // 0 to 0.999999
  bool nesterov = true;        // false: Polyak's momentum

  // Rate of the outer step, 0 to limits::kMaxCoefficient. Default: 0.5.
  Outer& LearningRate(double value) {
    learning_rate = value;
    return *this;
  }
  // Momentum of the outer step, 0 to 0.999999. Default: 0.8.
  Outer& Momentum(double value) {
    momentum = value;
    return *this;
  }
  // Nesterov's momentum, else Polyak's. Default: true.
  Outer& Nesterov(bool value) {
    nesterov = value;
    return *this;
  }

  bool operator==(const Outer&) const = default;
  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit&& visit) {
    visit(nn::Field{.key = "learning_rate",
                    .max = limits::kMaxCoefficient,
                    .meaning = "Learning rate of the outer step"},
          self.learning_rate);
    visit(
        nn::Field{
            .key = "momentum", .max = 0.999999, .meaning = "Momentum of the outer step. Below 1"},
        self.momentum);
    visit(nn::Field{.key = "nesterov",
                    .meaning = "`true` = Nesterov momentum, `false` = Polyak momentum"},
          self.nesterov);
  }
};

struct AllStrategies {
  using Variant = std::variant<Average, Outer>;
};
using StrategyConf = OneOf<AllStrategies>;  // by default the first: Average

// Returns the name of the type in JSON: "average" or "outer".
std::string_view TagOf(const StrategyConf& strategy);
// Functions that nn/conf/field.h requires for a member type. DefaultsOf returns a default of each
// type; its argument is not used.
std::vector<StrategyConf> DefaultsOf(const StrategyConf*);
Json ToJson(const StrategyConf& strategy);  // "type" and its keys
void ReadValue(JsonObjectReader& reader, std::string_view key, StrategyConf& out);
void CheckValue(const nn::Field& field, const StrategyConf& strategy, nn::Mistakes& mistakes);
void DescribeValue(const nn::Field& field, const StrategyConf& strategy,
                   std::vector<nn::KeyRow>& rows);

}  // namespace dl::job
