#include "nn/conf/weight_init.h"

#include "base/limits.h"
#include "base/philox.h"
#include "base/portable_math.h"
#include "nn/conf/type_shorthand.h"

namespace dl::nn {
namespace {

std::string_view WeightInitTag(WeightInitKind kind) {
  switch (kind) {
    case WeightInitKind::kXavier:
      return "xavier";
    case WeightInitKind::kXavierNormal:
      return "xavier_normal";
    case WeightInitKind::kHe:
      return "he";
    case WeightInitKind::kNormal:
      return "normal";
    case WeightInitKind::kZero:
      return "zero";
  }
  return "unknown";
}

}  // namespace

Initializer InitializerFor(const WeightInitConf& init, int64_t fan_in, int64_t fan_out) {
  const double in = static_cast<double>(fan_in);
  const double out = static_cast<double>(fan_out);
  switch (init.kind) {
    case WeightInitKind::kXavier:
      return {Initializer::Kind::kUniform, portable::Sqrt(6.0 / (in + out))};
    case WeightInitKind::kXavierNormal:
      return {Initializer::Kind::kNormal, portable::Sqrt(2.0 / (in + out))};
    case WeightInitKind::kHe:
      return {Initializer::Kind::kNormal, portable::Sqrt(2.0 / in)};
    case WeightInitKind::kNormal:
      return {Initializer::Kind::kNormal, init.std};
    case WeightInitKind::kZero:
      break;
  }
  return {Initializer::Kind::kConstant, 0};
}

void FillInitial(const Initializer& initializer, uint64_t seed, uint64_t tensor_index,
                 std::span<float> out) {
  RandomStream stream({.seed = seed, .purpose = RandomPurpose::kInitialize, .a = tensor_index});
  switch (initializer.kind) {
    case Initializer::Kind::kConstant:
      for (float& x : out) x = static_cast<float>(initializer.scale);
      return;
    case Initializer::Kind::kUniform:
      for (float& x : out) {
        x = static_cast<float>(initializer.scale * (2.0 * stream.NextDouble() - 1.0));
      }
      return;
    case Initializer::Kind::kNormal:
      for (float& x : out) x = static_cast<float>(initializer.scale * stream.NextNormal());
      return;
  }
}

void CheckWeightInit(const WeightInitConf& init, Mistakes& mistakes) {
  if (init.kind == WeightInitKind::kNormal) {
    mistakes.Range("the standard deviation of the normal weight init", init.std, 0.0,
                   limits::kMaxCoefficient);
  }
}

Json ToJson(const WeightInitConf& init) {
  Json json{{"type", WeightInitTag(init.kind)}};
  if (init.kind == WeightInitKind::kNormal) json["std"] = init.std;
  return json;
}

void ReadWeightInit(JsonObjectReader& reader, std::string_view key, WeightInitConf& out) {
  const Json* json = reader.Child(key);
  if (json == nullptr) return;
  const Json whole = TypeInFull(*json);
  JsonObjectReader nested(whole, reader.PathOf(key));
  std::string tag(WeightInitTag(out.kind));
  nested.Require("type");
  nested.OneOf("type", tag, {"xavier", "xavier_normal", "he", "normal", "zero"});
  for (WeightInitConf candidate : {Xavier(), XavierNormal(), He(), Normal(0), Zero()}) {
    if (WeightInitTag(candidate.kind) == tag) out = candidate;
  }
  if (out.kind == WeightInitKind::kNormal) {
    nested.Require("std");
    nested.Double("std", out.std);
  }
  reader.AddErrors(nested.Finish());
}

}  // namespace dl::nn
