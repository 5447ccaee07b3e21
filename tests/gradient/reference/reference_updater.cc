#include "tests/gradient/reference/reference_updater.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/overloaded.h"
#include "nn/conf/layer_config.h"

namespace dl::reference {
namespace {

double Norm(std::span<const double> values) {
  double squares = 0;
  for (const double value : values) squares += value * value;
  return std::sqrt(squares);
}

// A trained tensor of the model: its layer and its gradient.
struct TrainedTensor {
  const nn::LayerConfig* layer;
  std::span<double> gradient;
};
using TrainedTensors = std::vector<TrainedTensor>;

void Scale(const TrainedTensors& tensors, double factor) {
  for (const TrainedTensor& tensor : tensors) {
    for (double& g : tensor.gradient) g *= factor;
  }
}

double NormOf(const TrainedTensors& tensors) {
  double norm = 0;
  for (const TrainedTensor& tensor : tensors) norm = std::hypot(norm, Norm(tensor.gradient));
  return norm;
}

void Normalize(const nn::GradientNormalization& wanted, const TrainedTensors& group) {
  const std::string tag(TagOf(wanted));
  const double norm = NormOf(group);
  if (tag.starts_with("clip") && norm > wanted.threshold) Scale(group, wanted.threshold / norm);
  if (tag.starts_with("renormalize") && norm > 0) Scale(group, 1 / norm);
}

void Clip(const nn::ModelConfig& model, const TrainedTensors& tensors) {
  const double bound = model.clip_gradients_by_value;
  for (const TrainedTensor& tensor : tensors) {
    for (double& g : tensor.gradient) {
      if (bound > 0) g = std::clamp(g, -bound, bound);
    }
  }
  const bool by_layer = std::string(TagOf(model.gradient_normalization)).ends_with("per_layer");
  for (size_t i = 0; i < tensors.size();) {
    TrainedTensors group;
    do {
      group.push_back(tensors[i++]);
    } while (by_layer && i < tensors.size() && tensors[i].layer == group.front().layer);
    Normalize(model.gradient_normalization, group);
  }
  const double limit = model.clip_gradients_by_norm, norm = NormOf(tensors);
  if (limit > 0 && norm > limit) Scale(tensors, limit / norm);
}

// Values of one weight in the updater's tensors, by name.
using StateOfWeight = std::map<std::string, double*, std::less<>>;

// Input of a rule for one weight: g includes L1 and L2.
struct Seen {
  double rate = 0, t = 1, g = 0;
  const StateOfWeight& state;

  double& operator[](std::string_view name) const { return *state.find(name)->second; }
  // Updates Adam's m and v. Returns the corrected m.
  template <typename Conf>
  double Moments(const Conf& conf) const {
    double& m = (*this)["m"];
    double& v = (*this)["v"];
    m = conf.beta1 * m + (1 - conf.beta1) * g;
    v = conf.beta2 * v + (1 - conf.beta2) * g * g;
    return m / (1 - std::pow(conf.beta1, t));
  }
  template <typename Conf>
  double Root(const Conf& conf, double v) const {
    return std::sqrt(v / (1 - std::pow(conf.beta2, t))) + conf.epsilon;
  }
  template <typename Conf>
  double AdamStep(const Conf& conf) const {
    const double m = Moments(conf);
    return m / Root(conf, (*this)["v"]);
  }
};

// Returns the change u of one weight; w_new = w - u. For rules that use norms of tensors, u is the
// change before the norms are applied.
double Change(const nn::UpdaterConf& updater, const Seen& x) {
  // No default branch: an updater without a reference does not compile.
  return std::visit(
      Overloaded{
          [&](const nn::Sgd&) { return x.rate * x.g; },
          [&](const nn::HeavyBall& conf) {
            double& v = x["momentum"];
            v = conf.momentum * v + x.g;
            return x.rate * v;
          },
          [&](const nn::Nesterov& conf) {
            double& v = x["momentum"];
            v = conf.momentum * v + x.g;
            return x.rate * (x.g + conf.momentum * v);
          },
          [&](const nn::Adam& conf) { return x.rate * x.AdamStep(conf); },
          [&](const nn::AdamW& conf) { return x.rate * x.AdamStep(conf); },
          [&](const nn::AdaGrad& conf) {
            double& s = x["squares"];
            s += x.g * x.g;
            return x.rate * x.g / (std::sqrt(s) + conf.epsilon);
          },
          [&](const nn::RmsProp& conf) {
            double& s = x["squares"];
            s = conf.decay * s + (1 - conf.decay) * x.g * x.g;
            const double d = x.g / (std::sqrt(s) + conf.epsilon);
            if (conf.momentum == 0) return x.rate * d;
            double& v = x["momentum"];
            v = conf.momentum * v + d;
            return x.rate * v;
          },
          [&](const nn::AdaDelta& conf) {
            double& s = x["squares"];
            double& c = x["changes"];
            s = conf.decay * s + (1 - conf.decay) * x.g * x.g;
            const double d = std::sqrt(c + conf.epsilon) / std::sqrt(s + conf.epsilon) * x.g;
            c = conf.decay * c + (1 - conf.decay) * d * d;
            return x.rate * d;
          },
          [&](const nn::AmsGrad& conf) {
            const double m = x.Moments(conf);
            double& largest = x["largest_v"];
            largest = std::max(largest, x["v"]);
            return x.rate * m / x.Root(conf, largest);
          },
          [&](const nn::Nadam& conf) {
            x.Moments(conf);
            const double ahead = conf.beta1 * x["m"] / (1 - std::pow(conf.beta1, x.t + 1));
            const double now = (1 - conf.beta1) * x.g / (1 - std::pow(conf.beta1, x.t));
            return x.rate * (ahead + now) / x.Root(conf, x["v"]);
          },
          [&](const nn::AdaMax& conf) {
            double& m = x["m"];
            double& u = x["u"];
            m = conf.beta1 * m + (1 - conf.beta1) * x.g;
            u = std::max(conf.beta2 * u, std::abs(x.g));
            return x.rate / (1 - std::pow(conf.beta1, x.t)) * m / (u + conf.epsilon);
          },
          [&](const nn::Lars&) { return x.g; },
          [&](const nn::Lamb& conf) { return x.AdamStep(conf); },
      },
      updater);
}

const Segment& Find(const SegmentTable& table, const std::string& name) {
  const Segment* segment = table.Find(name);
  if (segment == nullptr) throw std::logic_error("no segment " + name);
  return *segment;
}

// Returns the updater's tensors of a parameter in the table: name and offset.
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

// A tensor and its training settings.
struct Trained {
  const nn::ParameterConf& conf;
  std::span<double> weights, gradient;  // clipped
};

// Completes a step of rules that use norms. `changes` is the result of Change for each weight.
void FinishByNorms(const nn::UpdaterConf& updater, double rate, const Trained& tensor,
                   Values& changes, std::span<double> state) {
  const bool scales = tensor.conf.shape.size() >= 2;
  const double of_weights = Norm(tensor.weights);
  if (const auto* lars = std::get_if<nn::Lars>(&updater)) {
    const double of_gradient = Norm(tensor.gradient);
    double ratio = 1;
    if (scales && of_weights > 0 && of_gradient > 0)
      ratio = lars->trust * of_weights / (of_gradient + tensor.conf.l2 * of_weights);
    for (size_t i = 0; i < changes.size(); ++i)
      changes[i] = state[i] = lars->momentum * state[i] + rate * ratio * changes[i];
  } else if (std::holds_alternative<nn::Lamb>(updater)) {
    for (size_t i = 0; i < changes.size(); ++i)
      changes[i] += tensor.conf.weight_decay * tensor.weights[i];
    const double length = Norm(changes);
    const double ratio = scales && of_weights > 0 && length > 0 ? of_weights / length : 1;
    for (double& change : changes) change *= rate * ratio;
  }
}

// Applies the constraint to the weights of each output separately.
void Constrain(const nn::WeightConstraintConf& constraint, int64_t outputs,
               std::span<double> weights) {
  const std::string tag(TagOf(constraint));
  const size_t inputs = weights.size() / outputs;
  for (int64_t o = 0; o < outputs; ++o) {
    const std::span<double> row = weights.subspan(o * inputs, inputs);
    const double norm = Norm(row);
    double factor = 1;
    if (tag == "max_norm" && norm > constraint.max) factor = constraint.max / norm;
    if (tag == "unit_norm" && norm > 0) factor = 1 / norm;
    for (double& w : row) w *= factor;
  }
}

void Train(const nn::ModelConfig& model, const SegmentTable& table, const Step& step,
           const Segment& segment, const Trained& tensor, Values& state) {
  const auto states = StatesOf(table, segment);
  const double rate = step.learning_rate * tensor.conf.learning_rate_factor;
  Values changes;
  for (int64_t i = 0; i < segment.size; ++i) {
    StateOfWeight updater_state;
    for (const auto& [name, offset] : states) updater_state[name] = &state[offset + i];
    const double w = tensor.weights[i];
    const double pull = w > 0 ? tensor.conf.l1 : w < 0 ? -tensor.conf.l1 : 0;
    if (std::holds_alternative<nn::Lars>(model.updater)) tensor.gradient[i] += pull;
    const double g = tensor.gradient[i] + tensor.conf.l2 * w +
                     (std::holds_alternative<nn::Lars>(model.updater) ? 0 : pull);
    changes.push_back(Change(model.updater, {.rate = rate,
                                             .t = static_cast<double>(step.update_count),
                                             .g = g,
                                             .state = updater_state}));
  }
  const std::span<double> first =
      states.empty() ? std::span<double>()
                     : std::span(state).subspan(states.begin()->second, segment.size);
  FinishByNorms(model.updater, rate, tensor, changes, first);
  const bool decays = !std::holds_alternative<nn::Lamb>(model.updater);
  for (int64_t i = 0; i < segment.size; ++i) {
    const double before = tensor.weights[i];
    tensor.weights[i] -= changes[i];
    if (decays) tensor.weights[i] -= rate * tensor.conf.weight_decay * before;
  }
  Constrain(tensor.conf.weight_constraint, tensor.conf.shape.front(), tensor.weights);
}

}  // namespace

void ApplyUpdate(const nn::ModelConfig& model, const SegmentTable& table, const Step& step,
                 Values gradient, Values& state) {
  const auto for_each_trained = [&](auto visit) {
    for (const nn::LayerConfig& layer : model.layers) {
      for (const nn::ParameterConf& parameter : layer.parameters) {
        if (parameter.kind != SegmentKind::kParameter || parameter.frozen) continue;
        const Segment& segment = Find(table, layer.name + "." + parameter.name);
        visit(layer, parameter, segment, std::span(gradient).subspan(segment.offset, segment.size));
      }
    }
  };
  TrainedTensors tensors;
  for_each_trained([&](const nn::LayerConfig& layer, const nn::ParameterConf&, const Segment&,
                       std::span<double> own) {
    tensors.push_back({&layer, own});
  });
  Clip(model, tensors);
  for_each_trained([&](const nn::LayerConfig&, const nn::ParameterConf& parameter,
                       const Segment& segment, std::span<double> own) {
    const auto weights = std::span(state).subspan(segment.offset, segment.size);
    Train(model, table, step, segment, {parameter, weights, own}, state);
  });
}

}  // namespace dl::reference
