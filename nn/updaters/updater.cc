#include "nn/updaters/updater.h"

#include <limits>

#include "base/overloaded.h"
#include "base/portable_math.h"
#include "nn/backend/parallel_for.h"
#include "nn/conf/gradient_norms.h"
#include "nn/conf/kinds.h"
#include "nn/kernels/adaptive_updates.h"
#include "nn/kernels/layerwise_updates.h"
#include "nn/kernels/updates.h"

namespace dl::nn {
namespace {

double RateOf(const UpdateStep& step, const UpdateTensors& tensors) {
  return step.learning_rate * tensors.learning_rate_factor;
}

UpdateTerms TermsOf(const ModelConfig& model, const UpdateStep& step,
                    const UpdateTensors& tensors) {
  UpdateTerms terms;
  terms.learning_rate = static_cast<float>(RateOf(step, tensors));
  terms.gradient_scale = static_cast<float>(step.gradient_scale * tensors.gradient_scale);
  if (model.clip_gradients_by_value > 0)
    terms.gradient_bound = static_cast<float>(model.clip_gradients_by_value);
  terms.l2 = static_cast<float>(tensors.l2);
  terms.decay = static_cast<float>(RateOf(step, tensors) * tensors.weight_decay);
  return terms;
}

// Returns the terms for a gradient that is already clipped and scaled.
UpdateTerms AfterClipping(UpdateTerms terms) {
  terms.gradient_scale = 1;
  terms.gradient_bound = std::numeric_limits<float>::infinity();
  return terms;
}

// L1, like L2, is applied between clipping and the rule. With L1 the gradient is therefore clipped
// here.
UpdateTerms WithL1(const UpdateTerms& terms, const UpdateTensors& t) {
  if (t.l1 == 0) return terms;
  AddL1(terms, static_cast<float>(t.l1), t.gradient, t.weights, t.floats);
  return AfterClipping(terms);
}

template <typename Moments>
AdamTerms AdamTermsOf(const Moments& updater, double rate, int64_t update_count) {
  const auto t = static_cast<uint64_t>(update_count);
  const double correction1 = 1.0 - portable::PowInt(updater.beta1, t);
  const double correction2 = 1.0 - portable::PowInt(updater.beta2, t);
  return {.beta1 = static_cast<float>(updater.beta1),
          .beta2 = static_cast<float>(updater.beta2),
          .rest1 = static_cast<float>(1.0 - updater.beta1),
          .rest2 = static_cast<float>(1.0 - updater.beta2),
          .epsilon = static_cast<float>(updater.epsilon),
          .step_size = static_cast<float>(rate / correction1),
          .root_correction = static_cast<float>(1.0 / portable::Sqrt(correction2))};
}

NadamTerms NadamTermsOf(const Nadam& updater, double rate, int64_t update_count) {
  const auto t = static_cast<uint64_t>(update_count);
  const double next = 1.0 - portable::PowInt(updater.beta1, t + 1);
  const double now = 1.0 - portable::PowInt(updater.beta1, t);
  return {.of_m = static_cast<float>(rate * updater.beta1 / next),
          .of_gradient = static_cast<float>(rate * (1.0 - updater.beta1) / now)};
}

template <typename Squares>
SquaresTerms SquaresTermsOf(const Squares& updater) {
  return {.decay = static_cast<float>(updater.decay),
          .rest = static_cast<float>(1.0 - updater.decay),
          .epsilon = static_cast<float>(updater.epsilon)};
}

// Calls the kernel of each rule. No default branch: a rule without kernel is a compile error.
struct Rule {
  const UpdateTerms& terms;
  const UpdateStep& step;
  const UpdateTensors& t;

  double Rate() const { return RateOf(step, t); }
  template <typename Moments>
  AdamTerms Corrected(const Moments& updater) const {
    return AdamTermsOf(updater, Rate(), step.update_count);
  }

  void operator()(const Sgd&) const { SgdUpdate(terms, t.gradient, t.weights, t.floats); }
  void operator()(const HeavyBall& updater) const {
    MomentumUpdate(terms, {static_cast<float>(updater.momentum)}, t.gradient, t.state[0], t.weights,
                   t.floats);
  }
  void operator()(const Nesterov& updater) const {
    NesterovUpdate(terms, {static_cast<float>(updater.momentum)}, t.gradient, t.state[0], t.weights,
                   t.floats);
  }
  void operator()(const Adam& updater) const { AdamStep(Corrected(updater)); }
  void operator()(const AdamW& updater) const { AdamStep(Corrected(updater)); }
  void AdamStep(const AdamTerms& rule) const {
    AdamUpdate(terms, rule, t.gradient, {.m = t.state[0], .v = t.state[1]}, t.weights, t.floats);
  }
  void operator()(const AdaGrad& updater) const {
    AdaGradUpdate(terms, static_cast<float>(updater.epsilon), t.gradient, t.state[0], t.weights,
                  t.floats);
  }
  void operator()(const RmsProp& updater) const {
    if (updater.momentum > 0) {
      return RmsPropMomentumUpdate(
          terms, SquaresTermsOf(updater), static_cast<float>(updater.momentum), t.gradient,
          {.squares = t.state[0], .momentum = t.state[1]}, t.weights, t.floats);
    }
    RmsPropUpdate(terms, SquaresTermsOf(updater), t.gradient, t.state[0], t.weights, t.floats);
  }
  void operator()(const AdaDelta& updater) const {
    AdaDeltaUpdate(terms, SquaresTermsOf(updater), t.gradient,
                   {.squares = t.state[0], .changes = t.state[1]}, t.weights, t.floats);
  }
  void operator()(const AmsGrad& updater) const {
    AmsGradUpdate(terms, Corrected(updater), t.gradient,
                  {.m = t.state[0], .v = t.state[1], .largest_v = t.state[2]}, t.weights, t.floats);
  }
  void operator()(const Nadam& updater) const {
    NadamUpdate(terms, Corrected(updater), NadamTermsOf(updater, Rate(), step.update_count),
                t.gradient, {.m = t.state[0], .v = t.state[1]}, t.weights, t.floats);
  }
  void operator()(const AdaMax& updater) const {
    AdaMaxUpdate(terms, Corrected(updater), t.gradient, {.m = t.state[0], .u = t.state[1]},
                 t.weights, t.floats);
  }
  // For the rules below, PrepareUpdate has prepared the gradient.
  void operator()(const Lars& updater) const {
    LarsUpdate(terms, {static_cast<float>(updater.momentum)},
               static_cast<float>(Rate() * t.trust_ratio), t.gradient, t.state[0], t.weights,
               t.floats);
  }
  void operator()(const Lamb&) const {
    StepAlong(t.gradient, static_cast<float>(Rate() * t.trust_ratio), t.weights, t.floats);
  }
};

void ApplyToPart(const ModelConfig& model, const UpdateStep& step, const UpdateTensors& t) {
  const UpdateTerms plain = TermsOf(model, step, t);
  const UpdateTerms terms = NeedsTensorNorms(model.updater) ? plain : WithL1(plain, t);
  std::visit(Rule{terms, step, t}, model.updater);
}

void PreparePart(const ModelConfig& model, const UpdateStep& step, const UpdateTensors& t) {
  const UpdateTerms terms = TermsOf(model, step, t);
  if (std::holds_alternative<Lars>(model.updater)) {
    ClipGradient(WithL1(terms, t), t.gradient, t.floats);
  } else if (const auto* const lamb = std::get_if<Lamb>(&model.updater)) {
    LambDirection(WithL1(terms, t), AdamTermsOf(*lamb, 1.0, step.update_count),
                  static_cast<float>(t.weight_decay), t.gradient,
                  {.m = t.state[0], .v = t.state[1]}, t.weights, t.floats);
  }
}

}  // namespace

void ApplyUpdate(const ModelConfig& model, const UpdateStep& step, const UpdateTensors& t) {
  ForElements(t.floats, [&](int64_t begin, int64_t end) {
    ApplyToPart(model, step, t.Slice({begin, end}));
  });
}

bool ZerosChangeNothing(const UpdaterConf& updater) {
  return std::holds_alternative<Sgd>(updater) || std::holds_alternative<AdaGrad>(updater);
}

void PrepareUpdate(const ModelConfig& model, const UpdateStep& step, const UpdateTensors& t) {
  ForElements(t.floats, [&](int64_t begin, int64_t end) {
    PreparePart(model, step, t.Slice({begin, end}));
  });
}

double TrustRatio(const UpdaterConf& updater, const TensorNorms& norms, double l2) {
  if (!(norms.weights > 0 && norms.prepared > 0)) return 1;
  const auto* const lars = std::get_if<Lars>(&updater);
  if (lars == nullptr) return norms.weights / norms.prepared;
  return lars->trust * norms.weights / (norms.prepared + l2 * norms.weights);
}

double NormClipScale(const ModelConfig& model, double sum_of_squares) {
  const double norm = portable::Sqrt(sum_of_squares);
  const double limit = model.clip_gradients_by_norm;
  return limit > 0 && norm > limit ? limit / norm : 1.0;
}

double NormalizationScale(const ModelConfig& model, double sum_of_squares) {
  const GradientNormalization& wanted = model.gradient_normalization;
  const double norm = portable::Sqrt(sum_of_squares);
  switch (wanted.kind) {
    case GradientNormalizationKind::kNone:
      break;
    case GradientNormalizationKind::kClipNormPerLayer:
    case GradientNormalizationKind::kClipNormPerParameter:
      return norm > wanted.threshold ? wanted.threshold / norm : 1.0;
    case GradientNormalizationKind::kRenormalizePerLayer:
    case GradientNormalizationKind::kRenormalizePerParameter:
      return norm > 0 ? 1.0 / norm : 1.0;
  }
  return 1.0;
}

}  // namespace dl::nn
