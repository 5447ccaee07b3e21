// Enumerations of activations, schedules, weight initializations and others. Only sources that
// distinguish kinds include this header. The configs, which most sources include, only declare the
// enumerations, so that adding a kind recompiles little. The first enumerator is the default.
#pragma once

#include <cstdint>

namespace dl::nn {

enum class ActivationKind : uint8_t {
  kIdentity,
  kRelu,
  kLeakyRelu,
  kTanh,
  kSigmoid,
  kSoftmax,
  kGelu,
  kGeluTanh,
  kSilu,
  kMish,
  kElu,
  kSelu,
  kSoftplus,
  kSoftsign,
  kHardSigmoid,
  kHardSwish,
  kRelu6
};
enum class ScheduleKind : uint8_t {
  kFixed,
  kStep,
  kCosine,
  kExponential,
  kInverse,
  kPolynomial,
  kOneCycle,
  kTable,
  kPlateau
};
enum class WeightInitKind : uint8_t {
  kXavier,
  kXavierNormal,
  kHe,
  kNormal,
  kZero,
  kHeUniform,
  kLecun,
  kLecunUniform,
  kUniform,
  kOne,
  kIdentity,
  kPyTorch,
  kOrthogonal
};

enum class GradientNormalizationKind : uint8_t {
  kNone,
  kClipNormPerLayer,
  kClipNormPerParameter,
  kRenormalizePerLayer,
  kRenormalizePerParameter
};
enum class WeightConstraintKind : uint8_t { kNone, kMaxNorm, kUnitNorm };

}  // namespace dl::nn
