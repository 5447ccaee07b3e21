#include "nn/conf/updater.h"

#include "nn/conf/type_shorthand.h"

namespace dl::nn {
namespace {

UpdaterConf Make(UpdaterKind kind, Schedule rate) {
  UpdaterConf updater;
  updater.kind = kind;
  updater.learning_rate = rate;
  return updater;
}

bool HasMomentum(UpdaterKind kind) {
  return kind == UpdaterKind::kMomentum || kind == UpdaterKind::kNesterov;
}

constexpr double kBelowOne = 0.999999;  // as a float it is below 1 too

}  // namespace

UpdaterConf Sgd(Schedule learning_rate) { return Make(UpdaterKind::kSgd, learning_rate); }
UpdaterConf Momentum(Schedule learning_rate) { return Make(UpdaterKind::kMomentum, learning_rate); }
UpdaterConf Nesterov(Schedule learning_rate) { return Make(UpdaterKind::kNesterov, learning_rate); }
UpdaterConf Adam(Schedule learning_rate) { return Make(UpdaterKind::kAdam, learning_rate); }

std::string_view UpdaterTag(UpdaterKind kind) {
  switch (kind) {
    case UpdaterKind::kSgd:
      return "sgd";
    case UpdaterKind::kMomentum:
      return "momentum";
    case UpdaterKind::kNesterov:
      return "nesterov";
    case UpdaterKind::kAdam:
      return "adam";
  }
  return "unknown";
}

std::vector<std::string> UpdaterStateNames(UpdaterKind kind) {
  if (HasMomentum(kind)) return {"momentum"};
  if (kind == UpdaterKind::kAdam) return {"m", "v"};
  return {};
}

void CheckUpdater(const UpdaterConf& updater, Mistakes& mistakes) {
  CheckSchedule(updater.learning_rate, mistakes);
  if (HasMomentum(updater.kind)) {
    mistakes.Range("the updater's momentum", updater.momentum, 0.0, kBelowOne);
  }
  if (updater.kind == UpdaterKind::kAdam) {
    mistakes.Range("Adam's beta1", updater.beta1, 0.0, kBelowOne);
    mistakes.Range("Adam's beta2", updater.beta2, 0.0, kBelowOne);
    mistakes.Range("Adam's epsilon", updater.epsilon, 1e-30, 1.0);
  }
}

Json ToJson(const UpdaterConf& updater) {
  Json json{{"type", UpdaterTag(updater.kind)}, {"learning_rate", ToJson(updater.learning_rate)}};
  if (HasMomentum(updater.kind)) json["momentum"] = updater.momentum;
  if (updater.kind == UpdaterKind::kAdam) {
    json["beta1"] = updater.beta1;
    json["beta2"] = updater.beta2;
    json["epsilon"] = updater.epsilon;
  }
  return json;
}

void ReadUpdater(JsonObjectReader& reader, std::string_view key, UpdaterConf& out) {
  const Json* json = reader.Child(key);
  if (json == nullptr) return;
  const Json whole = TypeInFull(*json);
  JsonObjectReader nested(whole, reader.PathOf(key));
  std::string tag(UpdaterTag(out.kind));
  nested.Require("type");
  nested.OneOf("type", tag, {"sgd", "momentum", "nesterov", "adam"});
  for (UpdaterKind kind :
       {UpdaterKind::kSgd, UpdaterKind::kMomentum, UpdaterKind::kNesterov, UpdaterKind::kAdam}) {
    if (UpdaterTag(kind) == tag) out.kind = kind;
  }
  ReadSchedule(nested, "learning_rate", out.learning_rate);
  if (HasMomentum(out.kind)) nested.Double("momentum", out.momentum);
  if (out.kind == UpdaterKind::kAdam) {
    nested.Double("beta1", out.beta1);
    nested.Double("beta2", out.beta2);
    nested.Double("epsilon", out.epsilon);
  }
  reader.AddErrors(nested.Finish());
}

}  // namespace dl::nn
