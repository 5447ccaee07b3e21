#include "job/strategy_conf.h"

#include "base/one_of_members.h"
#include "nn/conf/typed_object.h"

namespace dl {

template class OneOf<job::AllStrategies>;

namespace job {
namespace {

template <typename... Strategy>
std::vector<StrategyConf> DefaultStrategies(const std::variant<Strategy...>*) {
  return {StrategyConf(Strategy())...};
}

}  // namespace

std::string_view TagOf(const StrategyConf& strategy) {
  return std::visit([](const auto& x) { return x.kTag; }, strategy);
}

std::vector<StrategyConf> DefaultsOf(const StrategyConf* of) { return DefaultStrategies(of); }

Json ToJson(const StrategyConf& strategy) { return nn::TypedToJson(strategy); }

void ReadValue(JsonObjectReader& reader, std::string_view key, StrategyConf& out) {
  nn::ReadTyped(reader, key, out);
}

void CheckStrategy(const StrategyConf& strategy, nn::Mistakes& mistakes) {
  nn::CheckFields(nn::MembersOf(strategy), mistakes);
}

std::vector<nn::KeyRow> StrategyKeys() {
  std::vector<nn::KeyRow> rows;
  nn::DescribeTyped(
      {.key = "training.strategy", .meaning = "What the contributions of a round become"},
      StrategyConf(),
      "`average` = the mean of the workers' states; `outer` = a step of an outer "
      "optimizer along the mean of their changes",
      rows);
  return rows;
}

}  // namespace job
}  // namespace dl
