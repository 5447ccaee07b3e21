// Which activations, schedules and ways to start weights there are. For sources that tell
// them apart: a config, which all others see, knows of its kind only that it has one, so that one
// more is no reason to compile half of the tree again. The first of each is the default.
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
