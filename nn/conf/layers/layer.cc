#include "nn/conf/layers/layer.h"

#include "base/limits.h"

namespace dl::nn {

void WeightKeys::CheckKeys(Mistakes& mistakes) const {
  if (weight_init) CheckWeightInit(*weight_init, mistakes);
  if (l2) mistakes.Range("l2", *l2, 0.0, limits::kMaxCoefficient);
  if (weight_decay) mistakes.Range("weight decay", *weight_decay, 0.0, limits::kMaxCoefficient);
  CheckActivation(activation, mistakes);
}

void WeightKeys::WriteKeys(Json& json) const {
  json["weight_init"] = weight_init ? ToJson(*weight_init) : Json();
  json["l2"] = l2 ? Json(*l2) : Json();
  json["weight_decay"] = weight_decay ? Json(*weight_decay) : Json();
  json["bias"] = bias;
  json["activation"] = ToJson(activation);
}

namespace {

bool IsStated(JsonObjectReader& reader, std::string_view key) {
  const Json* json = reader.Child(key);
  return json != nullptr && !json->is_null();
}

}  // namespace

void WeightKeys::ReadKeys(JsonObjectReader& reader) {
  if (IsStated(reader, "weight_init")) ReadWeightInit(reader, "weight_init", weight_init.emplace());
  if (IsStated(reader, "l2")) reader.Double("l2", l2.emplace());
  if (IsStated(reader, "weight_decay")) reader.Double("weight_decay", weight_decay.emplace());
  reader.Bool("bias", bias);
  ReadActivation(reader, "activation", activation);
}

std::vector<ParameterConf> WeightKeys::WeightAndBias(std::vector<int64_t> shape, int64_t fan_in,
                                                     int64_t fan_out,
                                                     const WeightDefaults& defaults) const {
  const int64_t outputs = shape[0];
  std::vector<ParameterConf> parameters;
  parameters.push_back(
      {.name = "weight",
       .shape = std::move(shape),
       .initializer = InitializerFor(weight_init.value_or(defaults.weight_init), fan_in, fan_out),
       .l2 = l2.value_or(defaults.l2),
       .weight_decay = weight_decay.value_or(defaults.weight_decay)});
  if (bias) parameters.push_back({.name = "bias", .shape = {outputs}});
  return parameters;
}

}  // namespace dl::nn
