#include "job/strategy_conf.h"

#include "base/one_of_members.h"
#include "nn/conf/members.h"
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

void CheckValue(const nn::Field& field, const StrategyConf& strategy, nn::Mistakes& mistakes) {
  nn::CheckFieldsByKey(std::string(field.what) + ".", nn::MembersOf(strategy), mistakes);
}

void DescribeValue(const nn::Field& field, const StrategyConf& strategy,
                   std::vector<nn::KeyRow>& rows) {
  nn::DescribeTyped(
      field, strategy,
      "`average` = the mean of the workers' states, weighted by their examples; `outer` = a step "
      "of an outer optimizer along the weighted mean of their changes",
      rows);
}

}  // namespace job
}  // namespace dl
