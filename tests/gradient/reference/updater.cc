#include "tests/gradient/reference/updater.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace dl::reference {
namespace {

void Clip(const nn::ModelConfig& model, Values& gradient) {
  const double bound = model.clip_gradients_by_value;
  double squares = 0;
  for (double& g : gradient) {
    if (bound > 0) g = std::clamp(g, -bound, bound);
    squares += g * g;
  }
  const double limit = model.clip_gradients_by_norm, norm = std::sqrt(squares);
  if (limit <= 0 || norm <= limit) return;
  for (double& g : gradient) g *= limit / norm;
}

// The change u of one weight; w_new = w - u. `state` points to the updater's values of this weight.
double Change(const nn::UpdaterConf& updater, const Step& step, double g,
              const std::vector<double*>& state) {
  const double rate = step.learning_rate;
  switch (updater.kind) {
    case nn::UpdaterKind::kSgd:
      return rate * g;
    case nn::UpdaterKind::kMomentum: {
      double& v = *state.at(0);
      v = updater.momentum * v + g;
      return rate * v;
    }
    case nn::UpdaterKind::kNesterov: {
      double& v = *state.at(0);
      v = updater.momentum * v + g;
      return rate * (g + updater.momentum * v);
    }
    case nn::UpdaterKind::kAdam: {
      double& m = *state.at(0);
      double& v = *state.at(1);
      m = updater.beta1 * m + (1 - updater.beta1) * g;
      v = updater.beta2 * v + (1 - updater.beta2) * g * g;
      const double t = static_cast<double>(step.update_count);
      const double unbiased_m = m / (1 - std::pow(updater.beta1, t));
      const double unbiased_v = v / (1 - std::pow(updater.beta2, t));
      return rate * unbiased_m / (std::sqrt(unbiased_v) + updater.epsilon);
    }
  }
  return 0;
}

const Segment& Find(const SegmentTable& table, const std::string& name) {
  const Segment* segment = table.Find(name);
  if (segment == nullptr) throw std::logic_error("no segment " + name);
  return *segment;
}

std::vector<std::string> StateSuffixes(nn::UpdaterKind kind) {
  if (kind == nn::UpdaterKind::kAdam) return {"/m", "/v"};
  if (kind == nn::UpdaterKind::kSgd) return {};
  return {"/momentum"};
}

}  // namespace

void ApplyUpdate(const nn::ModelConfig& model, const SegmentTable& table, const Step& step,
                 Values gradient, Values& state) {
  Clip(model, gradient);
  for (const nn::LayerConfig& layer : model.layers) {
    for (const nn::ParameterConf& parameter : layer.parameters) {
      if (parameter.kind != SegmentKind::kParameter) continue;
      const std::string name = layer.name + "." + parameter.name;
      const Segment& segment = Find(table, name);
      for (int64_t i = 0; i < segment.size; ++i) {
        std::vector<double*> updater_state;
        for (const std::string& suffix : StateSuffixes(model.updater.kind)) {
          updater_state.push_back(&state[Find(table, name + suffix).offset + i]);
        }
        double& w = state[segment.offset + i];
        const double before = w;
        const double g = gradient[segment.offset + i] + parameter.l2 * before;
        w -= Change(model.updater, step, g, updater_state);
        w -= step.learning_rate * parameter.weight_decay * before;
      }
    }
  }
}

}  // namespace dl::reference
