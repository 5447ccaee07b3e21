#include "nn/conf/updaters/registry.h"

#include "nn/conf/type_shorthand.h"

namespace dl::nn {
namespace {

template <size_t I>
UpdaterType RowOf() {
  using Updater = std::variant_alternative_t<I, UpdaterConf>;
  return {.tag = Updater::kTag,
          .make_default = [] { return UpdaterConf(Updater()); },
          .samples =
              [] {
                const std::vector<Updater> samples = Updater::Samples();
                return std::vector<UpdaterConf>(samples.begin(), samples.end());
              }};
}

template <size_t... I>
std::array<UpdaterType, sizeof...(I)> AllRows(std::index_sequence<I...>) {
  return {RowOf<I>()...};
}

}  // namespace

std::span<const UpdaterType> UpdaterTypes() {
  static const auto rows = AllRows(std::make_index_sequence<std::variant_size_v<UpdaterConf>>());
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
std::span<const std::string_view> StateNamesOf(const UpdaterConf& updater) {
  return std::visit([](const auto& x) { return std::span<const std::string_view>(x.kStateNames); },
                    updater);
}

void CheckUpdater(const UpdaterConf& updater, Mistakes& mistakes) {
  std::visit([&](const auto& x) { CheckFields(x, mistakes); }, updater);
}

Json ToJson(const UpdaterConf& updater) {
  Json json{{"type", TagOf(updater)}};
  std::visit([&](const auto& x) { WriteFields(x, json); }, updater);
  return json;
}

void ReadUpdater(JsonObjectReader& reader, std::string_view key, UpdaterConf& out) {
  const Json* json = reader.Child(key);
  if (json == nullptr) return;
  const Json whole = TypeInFull(*json);
  JsonObjectReader nested(whole, reader.PathOf(key));
  std::string tag(TagOf(out));
  std::vector<std::string_view> tags;
  for (const UpdaterType& type : UpdaterTypes()) tags.push_back(type.tag);
  nested.Require("type");
  nested.OneOf("type", tag, tags);
  for (const UpdaterType& type : UpdaterTypes()) {
    if (type.tag == tag) out = type.make_default();
  }
  std::visit([&](auto& x) { ReadFields(nested, x); }, out);
  reader.AddErrors(nested.Finish());
}

}  // namespace dl::nn
