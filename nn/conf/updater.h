// Updaters (optimizers) as data. t counts steps from 0 (nn/conf/schedule.h), lr =
// RateAt(learning_rate, t), g is the gradient after clipping and L2 (nn/conf/model_config.h states
// the order), w the weight.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json.h"
#include "nn/conf/mistakes.h"
#include "nn/conf/schedule.h"

namespace dl::nn {

enum class UpdaterKind : uint8_t { kSgd, kMomentum, kNesterov, kAdam };

struct UpdaterConf {
  UpdaterKind kind = UpdaterKind::kSgd;
  Schedule learning_rate;
  double momentum = 0.9;  // kMomentum, kNesterov
  double beta1 = 0.9;     // kAdam
  double beta2 = 0.999;   // kAdam
  double epsilon = 1e-8;  // kAdam

  UpdaterConf& Momentum(double value) {
    momentum = value;
    return *this;
  }
  UpdaterConf& Beta1(double value) {
    beta1 = value;
    return *this;
  }
  UpdaterConf& Beta2(double value) {
    beta2 = value;
    return *this;
  }
  UpdaterConf& Epsilon(double value) {
    epsilon = value;
    return *this;
  }
  bool operator==(const UpdaterConf&) const = default;
};

// w -= lr g
UpdaterConf Sgd(Schedule learning_rate);
// v = momentum v + g;  w -= lr v  (Polyak's heavy ball, as Sutskever et al., ICML 2013, and PyTorch
// write it)
UpdaterConf Momentum(Schedule learning_rate);
// v = momentum v + g;  w -= lr (g + momentum v)  (Nesterov momentum in the form of PyTorch's SGD)
UpdaterConf Nesterov(Schedule learning_rate);
// m = beta1 m + (1-beta1) g;  v = beta2 v + (1-beta2) g^2;
// w -= lr (m / (1 - beta1^(t+1))) / (sqrt(v / (1 - beta2^(t+1))) + epsilon)  (Kingma, Ba, ICLR
// 2015, algorithm 1)
UpdaterConf Adam(Schedule learning_rate);

std::string_view UpdaterTag(UpdaterKind kind);  // "sgd", "momentum", "nesterov", "adam"
// Names of the state tensors that each parameter has, in order: {} for sgd, {"momentum"}, {"m",
// "v"} for Adam.
std::vector<std::string> UpdaterStateNames(UpdaterKind kind);

void CheckUpdater(const UpdaterConf& updater, Mistakes& mistakes);
Json ToJson(const UpdaterConf& updater);
void ReadUpdater(JsonObjectReader& reader, std::string_view key, UpdaterConf& out);

}  // namespace dl::nn
