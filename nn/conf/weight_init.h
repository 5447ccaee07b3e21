// How weights start. A WeightInitConf is what the user writes; an Initializer is what it comes to
// for one tensor.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/json_fwd.h"
#include "nn/conf/field.h"
#include "nn/conf/key_row.h"
#include "nn/conf/mistakes.h"

namespace dl::nn {

enum class WeightInitKind : uint8_t;  // nn/conf/kinds.h

struct WeightInitConf {
  WeightInitKind kind{};  // Xavier
  double std = 0;         // Normal only
  bool operator==(const WeightInitConf&) const = default;

  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit&& visit);
};

// U(-a, a), a = sqrt(6 / (fan_in + fan_out)): Glorot, Bengio, "Understanding the difficulty of
// training deep feedforward neural networks", AISTATS 2010, equation 16.
WeightInitConf Xavier();
// N(0, 2 / (fan_in + fan_out)): the same paper's variance (equation 12) with a normal distribution.
WeightInitConf XavierNormal();
// N(0, 2 / fan_in): He et al., "Delving deep into rectifiers", ICCV 2015, equation 10.
WeightInitConf He();
WeightInitConf Normal(double std);  // N(0, std^2)
WeightInitConf Zero();

// One tensor's start values: all equal to `scale`, uniform in [-scale, scale), or normal with mean
// 0 and deviation `scale`.
struct Initializer {
  enum class Kind : uint8_t { kConstant, kUniform, kNormal };
  Kind kind = Kind::kConstant;
  double scale = 0;
  bool operator==(const Initializer&) const = default;
};

// fan_in: inputs that one output sees; fan_out: outputs that one input feeds. Portable arithmetic
// only.
Initializer InitializerFor(const WeightInitConf& init, int64_t fan_in, int64_t fan_out);

// Fills `out` from (seed, tensor index) alone: element i is a pure function of both and i
// (base/philox.h, kInitialize).
void FillInitial(const Initializer& initializer, uint64_t seed, uint64_t tensor_index,
                 std::span<float> out);

std::string_view TagOf(const WeightInitConf& init);  // "xavier", "xavier_normal", "he", ...
std::vector<WeightInitConf> DefaultsOf(const WeightInitConf*);
Json ToJson(const WeightInitConf& init);  // {"type": "xavier"}, {"type": "normal", "std": 0.01}
void ReadValue(JsonObjectReader& reader, std::string_view key, WeightInitConf& out);
void CheckValue(const Field& field, const WeightInitConf& init, Mistakes& mistakes);
void DescribeValue(const Field& field, const WeightInitConf& init, std::vector<KeyRow>& rows);

}  // namespace dl::nn
