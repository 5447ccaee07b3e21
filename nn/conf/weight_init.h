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
  double limit = 0;       // Uniform only
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
// U(-a, a), a = sqrt(6 / fan_in): the variance of He's equation 10 with a uniform distribution.
WeightInitConf HeUniform();
// N(0, 1 / fan_in), and U(-a, a) of the same variance, a = sqrt(3 / fan_in): LeCun, Bottou, Orr,
// Mueller, "Efficient backprop", 1998, equation 16; self-normalizing networks (SELU) start so.
WeightInitConf Lecun();
WeightInitConf LecunUniform();
WeightInitConf Uniform(double limit);  // U(-limit, limit)
WeightInitConf One();
// 1 where the index of an output is that of the value among those it sees, else 0: the unit matrix
// of a dense layer with as many outputs as inputs.
WeightInitConf IdentityMatrix();
// U(-a, a), a = 1 / sqrt(fan_in), weights and biases alike: what PyTorch's Linear and Conv2d do.
WeightInitConf PyTorch();

// A matrix with orthonormal rows, or columns where it has more rows: of the outputs by what each
// sees. Saxe, McClelland, Ganguli, "Exact solutions to the nonlinear dynamics of learning in deep
// linear neural networks", ICLR 2014; drawn as PyTorch and Keras do, by the QR decomposition of a
// matrix of N(0, 1) with a positive diagonal of R. Takes min(rows, columns)^2 max(rows, columns)
// multiplications, twice.
WeightInitConf Orthogonal();

// One tensor's start values: all equal to `scale`, uniform in [-scale, scale), or normal with mean
// 0 and deviation `scale`; or 1 where the index within a row of `scale` values is that of the row,
// else 0; or an orthogonal matrix with rows of `scale` values.
struct Initializer {
  enum class Kind : uint8_t { kConstant, kUniform, kNormal, kIdentity, kOrthogonal };
  Kind kind = Kind::kConstant;
  double scale = 0;
  bool operator==(const Initializer&) const = default;
};

// fan_in: inputs that one output sees; fan_out: outputs that one input feeds. Portable arithmetic
// only.
Initializer InitializerFor(const WeightInitConf& init, int64_t fan_in, int64_t fan_out);
// Of the layer's biases: 0, in most ways.
Initializer BiasInitializerFor(const WeightInitConf& init, int64_t fan_in);

// Fills `out` from (seed, tensor index) alone: a pure function of both and its size
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
