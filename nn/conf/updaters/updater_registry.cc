#include "nn/conf/updaters/updater_registry.h"

#include "base/one_of_members.h"
#include "nn/conf/typed_object.h"

namespace dl {

template class OneOf<nn::AllUpdaters>;

namespace nn {
namespace {

template <size_t I>
UpdaterType UpdaterTypeOf() {
  using Updater = std::variant_alternative_t<I, AllUpdaters::Variant>;
  return {.tag = Updater::kTag,
          .make_default = [] { return UpdaterConf(Updater()); },
          .samples =
              [] {
                const std::vector<Updater> samples = Updater::Samples();
                return std::vector<UpdaterConf>(samples.begin(), samples.end());
              }};
}

template <size_t... I>
std::array<UpdaterType, sizeof...(I)> AllUpdaterTypes(std::index_sequence<I...>) {
  return {UpdaterTypeOf<I>()...};
}

}  // namespace

std::span<const UpdaterType> UpdaterTypes() {
  static const auto rows =
      AllUpdaterTypes(std::make_index_sequence<std::variant_size_v<AllUpdaters::Variant>>());
  return rows;
}

std::string_view TagOf(const UpdaterConf& updater) {
  return std::visit([](const auto& x) { return x.kTag; }, updater);
}
const Schedule& LearningRateOf(const UpdaterConf& updater) {
  return std::visit([](const auto& x) -> const Schedule& { return x.learning_rate; }, updater);
}
void SetLearningRate(UpdaterConf& updater, const Schedule& rate) {
  std::visit([&](auto& x) { x.learning_rate = rate; }, updater);
}
double WeightDecayOf(const UpdaterConf& updater) {
  const auto* const adamw = std::get_if<AdamW>(&updater);
  return adamw == nullptr ? 0 : adamw->weight_decay;
}
std::span<const std::string_view> StateNamesOf(const UpdaterConf& updater) {
  return std::visit(
      [](const auto& x) {
        const std::span<const std::string_view> all(x.kStateNames);
        if constexpr (requires { x.StateCount(); }) return all.first(x.StateCount());
        return all;
      },
      updater);
}

std::vector<UpdaterConf> DefaultsOf(const UpdaterConf*) {
  std::vector<UpdaterConf> defaults;
  for (const UpdaterType& type : UpdaterTypes()) defaults.push_back(type.make_default());
  return defaults;
}

Json ToJson(const UpdaterConf& updater) { return TypedToJson(updater); }

void ReadValue(JsonObjectReader& reader, std::string_view key, UpdaterConf& out) {
  ReadTyped(reader, key, out);
}

void CheckValue(const Field&, const UpdaterConf& updater, Mistakes& mistakes) {
  CheckFields(MembersOf(updater), mistakes);
}

void DescribeValue(const Field& field, const UpdaterConf& updater, std::vector<KeyRow>& rows) {
  DescribeTyped(field, updater, "Rule of the updater", rows);
}

}  // namespace nn
}  // namespace dl
