#include "nn/conf/losses/loss_registry.h"

#include <array>
#include <utility>

#include "base/one_of_members.h"
#include "nn/conf/typed_object.h"

namespace dl {

template class OneOf<nn::AllLosses>;

namespace nn {
namespace {

template <size_t I>
LossType LossTypeOf() {
  using Loss = std::variant_alternative_t<I, AllLosses::Variant>;
  return {.tag = Loss::kTag,
          .make_default = [] { return LossConf(Loss()); },
          .samples =
              [] {
                const std::vector<Loss> samples = Loss::Samples();
                return std::vector<LossConf>(samples.begin(), samples.end());
              }};
}

template <size_t... I>
std::array<LossType, sizeof...(I)> AllLossTypes(std::index_sequence<I...>) {
  return {LossTypeOf<I>()...};
}

}  // namespace

std::span<const LossType> LossTypes() {
  static const auto rows =
      AllLossTypes(std::make_index_sequence<std::variant_size_v<AllLosses::Variant>>());
  return rows;
}

std::string_view TagOf(const LossConf& loss) {
  return std::visit([](const auto& x) { return x.kTag; }, loss);
}
const Labels& LabelsOf(const LossConf& loss) {
  return std::visit([](const auto& x) -> const Labels& { return x.kLabels; }, loss);
}
bool PredictsClasses(const LossConf& loss) { return LabelsOf(loss).kind == Labels::Kind::kClass; }
bool JudgesSequences(const LossConf& loss) {
  return LabelsOf(loss).kind == Labels::Kind::kClassSequence;
}
bool HasAccuracy(const LossConf& loss) { return PredictsClasses(loss) || JudgesSequences(loss); }
bool WantsBalancedClasses(const LossConf& loss) {
  return std::visit(
      [](const auto& x) {
        if constexpr (requires { x.class_weights; }) return x.class_weights.balanced;
        return false;
      },
      loss);
}

void SetClassWeights(std::vector<double> weights, LossConf& loss) {
  std::visit(
      [&](auto& x) {
        if constexpr (requires { x.class_weights; }) x.class_weights = std::move(weights);
      },
      loss);
}

void CheckJudged(const LossConf& loss, const Output& output, Mistakes& mistakes) {
  std::visit([&](const auto& x) { x.Check(output, mistakes); }, loss);
}

std::vector<LossConf> DefaultsOf(const LossConf*) {
  std::vector<LossConf> defaults;
  for (const LossType& type : LossTypes()) defaults.push_back(type.make_default());
  return defaults;
}

Json ToJson(const LossConf& loss) {
  if (loss == LossTypes()[loss.index()].make_default()) return TagOf(loss);
  return TypedToJson(loss);
}

void ReadValue(JsonObjectReader& reader, std::string_view key, LossConf& out) {
  ReadTyped(reader, key, out);
}

void CheckValue(const Field&, const LossConf& loss, Mistakes& mistakes) {
  CheckFields(MembersOf(loss), mistakes);
}

void DescribeValue(const Field& field, const LossConf& loss, std::vector<KeyRow>& rows) {
  DescribeTyped(field, loss, "Name of the loss", rows);
}

}  // namespace nn
}  // namespace dl
