#include "tests/gradient/reference/updater.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>

#include "base/overloaded.h"
#include "nn/conf/layer_config.h"

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

// One weight's values among the updater's tensors, by their names.
using StateOfWeight = std::map<std::string, double*, std::less<>>;

// The change u of one weight; w_new = w - u.
double Change(const nn::UpdaterConf& updater, const Step& step, double g,
              const StateOfWeight& state) {
  const double rate = step.learning_rate;
  // No default branch: an updater without a reference does not compile.
  return std::visit(Overloaded{
                        [&](const nn::Sgd&) { return rate * g; },
                        [&](const nn::HeavyBall& conf) {
                          double& v = *state.at("momentum");
                          v = conf.momentum * v + g;
                          return rate * v;
                        },
                        [&](const nn::Nesterov& conf) {
                          double& v = *state.at("momentum");
                          v = conf.momentum * v + g;
                          return rate * (g + conf.momentum * v);
                        },
                        [&](const nn::Adam& conf) {
                          double& m = *state.at("m");
                          double& v = *state.at("v");
                          m = conf.beta1 * m + (1 - conf.beta1) * g;
                          v = conf.beta2 * v + (1 - conf.beta2) * g * g;
                          const double t = static_cast<double>(step.update_count);
                          const double unbiased_m = m / (1 - std::pow(conf.beta1, t));
                          const double unbiased_v = v / (1 - std::pow(conf.beta2, t));
                          return rate * unbiased_m / (std::sqrt(unbiased_v) + conf.epsilon);
                        },
                    },
                    updater);
}

const Segment& Find(const SegmentTable& table, const std::string& name) {
  const Segment* segment = table.Find(name);
  if (segment == nullptr) throw std::logic_error("no segment " + name);
  return *segment;
}

// The updater's tensors of a parameter, as the table has them: by name, and where they begin.
std::map<std::string, int64_t, std::less<>> StatesOf(const SegmentTable& table,
                                                     const Segment& parameter) {
  std::map<std::string, int64_t, std::less<>> states;
  const std::string prefix = parameter.name + "/";
  for (const Segment& segment : table.segments()) {
    if (segment.kind != SegmentKind::kUpdater || !segment.name.starts_with(prefix)) continue;
    if (segment.shape != parameter.shape) throw std::logic_error("shape of " + segment.name);
    states[segment.name.substr(prefix.size())] = segment.offset;
  }
  return states;
}

}  // namespace

void ApplyUpdate(const nn::ModelConfig& model, const SegmentTable& table, const Step& step,
                 Values gradient, Values& state) {
  Clip(model, gradient);
  for (const nn::LayerConfig& layer : model.layers) {
    for (const nn::ParameterConf& parameter : layer.parameters) {
      if (parameter.kind != SegmentKind::kParameter) continue;
      const Segment& segment = Find(table, layer.name + "." + parameter.name);
      const auto states = StatesOf(table, segment);
      for (int64_t i = 0; i < segment.size; ++i) {
        StateOfWeight updater_state;
        for (const auto& [name, offset] : states) updater_state[name] = &state[offset + i];
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
