// Initial values of weights. A WeightInitConf is what the user states; an Initializer is the
// resulting distribution for one tensor.
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
  double std = 0;         // normal only, 0 to 1e6
  double limit = 0;       // uniform only, 0 to 1e6
  bool operator==(const WeightInitConf&) const = default;

  template <typename Self, typename Visit>
  static void Fields(Self& self, Visit&& visit);
};

// U(-a, a), a = sqrt(6 / (fan_in + fan_out)): Glorot, Bengio, "Understanding the difficulty of
// training deep feedforward neural networks", AISTATS 2010, equation 16.
WeightInitConf Xavier();
// N(0, 2 / (fan_in + fan_out)): the variance of the same paper (equation 12), normally distributed.
WeightInitConf XavierNormal();
// N(0, 2 / fan_in): He et al., "Delving deep into rectifiers", ICCV 2015, equation 10.
WeightInitConf He();
WeightInitConf Normal(double std);  // N(0, std^2)
WeightInitConf Zero();
// U(-a, a), a = sqrt(6 / fan_in): the variance of He's equation 10, uniformly distributed.
WeightInitConf HeUniform();
// N(0, 1 / fan_in), and U(-a, a) with the same variance, a = sqrt(3 / fan_in): LeCun, Bottou, Orr,
// Mueller, "Efficient backprop", 1998, equation 16. Used for self-normalizing networks (SELU).
WeightInitConf Lecun();
WeightInitConf LecunUniform();
WeightInitConf Uniform(double limit);  // U(-limit, limit)
WeightInitConf One();
// 1 where the index of the output equals the index of the input, otherwise 0. This is the unit
// matrix for a dense layer with as many outputs as inputs.
WeightInitConf IdentityMatrix();
// U(-a, a), a = 1 / sqrt(fan_in), for weights and biases: the default of PyTorch's Linear and
// Conv2d.
WeightInitConf PyTorch();

// A matrix [outputs, inputs of an output] with orthonormal rows, or orthonormal columns if it has
// more rows than columns. Saxe, McClelland, Ganguli, "Exact solutions to the nonlinear dynamics of
// learning in deep linear neural networks", ICLR 2014. Drawn as in PyTorch and Keras, by the QR
// decomposition of a matrix of N(0, 1) with a positive diagonal of R. Takes 2 min(rows, columns)^2
// max(rows, columns) multiplications.
WeightInitConf Orthogonal();

// Distribution of one tensor's initial values. kConstant: all equal to `scale`. kUniform: in
// [-scale, scale). kNormal: mean 0, standard deviation `scale`. kIdentity: 1 on the diagonal of a
// matrix with rows of `scale` values, otherwise 0. kOrthogonal: an orthogonal matrix with rows of
// `scale` values.
struct Initializer {
  enum class Kind : uint8_t { kConstant, kUniform, kNormal, kIdentity, kOrthogonal };
  Kind kind = Kind::kConstant;
  double scale = 0;
  bool operator==(const Initializer&) const = default;
};

// Returns the initializer of a weight tensor. fan_in is the number of inputs that one output reads,
// fan_out the number of outputs that one input feeds. For Orthogonal() `scale` is fan_in; the
// caller must replace it if the rows of the tensor have another length. Uses portable arithmetic
// only.
Initializer InitializerFor(const WeightInitConf& init, int64_t fan_in, int64_t fan_out);
// Returns the initializer of the layer's biases: 0, except for PyTorch().
Initializer BiasInitializerFor(const WeightInitConf& init, int64_t fan_in);

// Fills `out`. The values are a pure function of (initializer, seed, tensor index, size)
// (base/philox.h, kInitialize). Draws on all cores (base/parallel.h).
void FillInitial(const Initializer& initializer, uint64_t seed, uint64_t tensor_index,
                 std::span<float> out);

std::string_view TagOf(const WeightInitConf& init);  // "xavier", "xavier_normal", "he", ...
std::vector<WeightInitConf> DefaultsOf(const WeightInitConf*);
Json ToJson(const WeightInitConf& init);  // {"type": "xavier"}, {"type": "normal", "std": 0.01}
void ReadValue(JsonObjectReader& reader, std::string_view key, WeightInitConf& out);
void CheckValue(const Field& field, const WeightInitConf& init, Mistakes& mistakes);
void DescribeValue(const Field& field, const WeightInitConf& init, std::vector<KeyRow>& rows);

}  // namespace dl::nn
