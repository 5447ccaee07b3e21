#include "nn/updaters/updater.h"

#include "base/overloaded.h"
#include "base/portable_math.h"
#include "nn/kernels/updates.h"

namespace dl::nn {
namespace {

UpdateTerms TermsOf(const ModelConfig& model, const UpdateStep& step,
                    const UpdateTensors& tensors) {
  UpdateTerms terms;
  terms.learning_rate = static_cast<float>(step.learning_rate);
  terms.gradient_scale = static_cast<float>(step.gradient_scale);
  if (model.clip_gradients_by_value > 0)
    terms.gradient_bound = static_cast<float>(model.clip_gradients_by_value);
  terms.l2 = static_cast<float>(tensors.l2);
  terms.decay = static_cast<float>(step.learning_rate * tensors.weight_decay);
  return terms;
}

AdamTerms AdamTermsOf(const Adam& updater, const UpdateStep& step) {
  const auto t = static_cast<uint64_t>(step.update_count);
  const double correction1 = 1.0 - portable::PowInt(updater.beta1, t);
  const double correction2 = 1.0 - portable::PowInt(updater.beta2, t);
  return {.beta1 = static_cast<float>(updater.beta1),
          .beta2 = static_cast<float>(updater.beta2),
          .rest1 = static_cast<float>(1.0 - updater.beta1),
          .rest2 = static_cast<float>(1.0 - updater.beta2),
          .epsilon = static_cast<float>(updater.epsilon),
          .step_size = static_cast<float>(step.learning_rate / correction1),
          .root_correction = static_cast<float>(1.0 / portable::Sqrt(correction2))};
}

}  // namespace

void ApplyUpdate(const ModelConfig& model, const UpdateStep& step, const UpdateTensors& t) {
  const UpdateTerms terms = TermsOf(model, step, t);
  // No default branch: an updater without a kernel does not compile.
  std::visit(Overloaded{
                 [&](const Sgd&) { SgdUpdate(terms, t.gradient, t.weights, t.floats); },
                 [&](const HeavyBall& updater) {
                   MomentumUpdate(terms, {static_cast<float>(updater.momentum)}, t.gradient,
                                  t.state[0], t.weights, t.floats);
                 },
                 [&](const Nesterov& updater) {
                   NesterovUpdate(terms, {static_cast<float>(updater.momentum)}, t.gradient,
                                  t.state[0], t.weights, t.floats);
                 },
                 [&](const Adam& updater) {
                   AdamUpdate(terms, AdamTermsOf(updater, step), t.gradient,
                              {.m = t.state[0], .v = t.state[1]}, t.weights, t.floats);
                 },
             },
             model.updater);
}

double NormClipScale(const ModelConfig& model, double sum_of_squares) {
  const double norm = portable::Sqrt(sum_of_squares);
  const double limit = model.clip_gradients_by_norm;
  return limit > 0 && norm > limit ? limit / norm : 1.0;
}

}  // namespace dl::nn
