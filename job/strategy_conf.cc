#include "job/strategy_conf.h"

#include <string>

#include "base/limits.h"
#include "nn/conf/type_shorthand.h"

namespace dl::job {
namespace {

constexpr double kLargestMomentum = 0.999999;  // below 1: else it would never forget

template <typename... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};

}  // namespace

std::string_view StrategyTag(const StrategyConf& strategy) {
  return std::visit(
      Overloaded{[](const Average&) { return "average"; }, [](const Outer&) { return "outer"; }},
      strategy);
}

void CheckStrategy(const StrategyConf& strategy, nn::Mistakes& mistakes) {
  std::visit(Overloaded{[](const Average&) {},
                        [&](const Outer& outer) {
                          mistakes.Range("strategy.learning_rate", outer.learning_rate, 0.0,
                                         limits::kMaxCoefficient);
                          mistakes.Range("strategy.momentum", outer.momentum, 0.0,
                                         kLargestMomentum);
                        }},
             strategy);
}

Json ToJson(const StrategyConf& strategy) {
  Json json = {{"type", StrategyTag(strategy)}};
  std::visit(Overloaded{[](const Average&) {},
                        [&](const Outer& outer) {
                          json["learning_rate"] = outer.learning_rate;
                          json["momentum"] = outer.momentum;
                          json["nesterov"] = outer.nesterov;
                        }},
             strategy);
  return json;
}

void ReadStrategy(JsonObjectReader& reader, std::string_view key, StrategyConf& out) {
  const Json* json = reader.Child(key);
  if (json == nullptr) return;
  const Json whole = nn::TypeInFull(*json);
  JsonObjectReader nested(whole, reader.PathOf(key));
  std::string tag(StrategyTag(out));
  nested.OneOf("type", tag, {"average", "outer"});
  if (tag != StrategyTag(out)) {
    if (tag == "outer") out = Outer();
    if (tag == "average") out = Average();
  }
  std::visit(Overloaded{[](Average&) {},
                        [&](Outer& outer) {
                          nested.Double("learning_rate", outer.learning_rate);
                          nested.Double("momentum", outer.momentum);
                          nested.Bool("nesterov", outer.nesterov);
                        }},
             out);
  reader.AddErrors(nested.Finish());
}

}  // namespace dl::job
