#include "nn/conf/weight_init.h"

#include <algorithm>

#include "base/limits.h"
#include "base/parallel.h"
#include "base/philox.h"
#include "base/portable_math.h"
#include "base/random_fill.h"
#include "nn/conf/kinds.h"
#include "nn/conf/typed_object.h"

namespace dl::nn {
namespace {

std::string_view WeightInitTag(WeightInitKind kind) {
  switch (kind) {
    case WeightInitKind::kXavier:
      return "xavier";
    case WeightInitKind::kXavierNormal:
      return "xavier_normal";
    case WeightInitKind::kHe:
      return "he";
    case WeightInitKind::kNormal:
      return "normal";
    case WeightInitKind::kZero:
      return "zero";
    case WeightInitKind::kHeUniform:
      return "he_uniform";
    case WeightInitKind::kLecun:
      return "lecun";
    case WeightInitKind::kLecunUniform:
      return "lecun_uniform";
    case WeightInitKind::kUniform:
      return "uniform";
    case WeightInitKind::kOne:
      return "one";
    case WeightInitKind::kIdentity:
      return "identity";
    case WeightInitKind::kPyTorch:
      return "pytorch";
    case WeightInitKind::kOrthogonal:
      return "orthogonal";
  }
  return kNoTag;
}

// Makes the vectors orthonormal, in their order (Gram-Schmidt), with two passes to remove rounding
// errors. Vector v begins at v * between in `matrix` and has `length` values, `step` apart.
struct Vectors {
  int64_t count = 0, length = 0, step = 1, between = 0;
};
void Orthonormalize(const Vectors& vectors, std::vector<double>& matrix) {
  const auto at = [&](int64_t v, int64_t i) -> double& {
    return matrix[v * vectors.between + i * vectors.step];
  };
  const auto product = [&](int64_t a, int64_t b) {
    double sum = 0;
    for (int64_t i = 0; i < vectors.length; ++i) sum += at(a, i) * at(b, i);
    return sum;
  };
  for (int64_t v = 0; v < vectors.count; ++v) {
    for (int pass = 0; pass < 2; ++pass) {
      for (int64_t other = 0; other < v; ++other) {
        const double share = product(v, other);
        for (int64_t i = 0; i < vectors.length; ++i) at(v, i) -= share * at(other, i);
      }
    }
    const double norm = portable::Sqrt(product(v, v));
    for (int64_t i = 0; i < vectors.length; ++i) at(v, i) /= norm;
  }
}

void FillOrthogonal(int64_t columns, const RandomStream& stream, std::span<float> out) {
  const int64_t rows = static_cast<int64_t>(out.size()) / columns;
  std::vector<double> matrix(out.size());
  FillNormal(stream, 0, matrix);
  Orthonormalize(rows <= columns
                     ? Vectors{.count = rows, .length = columns, .between = columns}
                     : Vectors{.count = columns, .length = rows, .step = columns, .between = 1},
                 matrix);
  for (size_t i = 0; i < out.size(); ++i) out[i] = static_cast<float>(matrix[i]);
}

// Sets out[i] to value(the i-th number of the stream), on all cores. `fill`: FillUniform or
// FillNormal.
template <typename Fill, typename Value>
void FillFrom(const RandomStream& stream, Fill fill, Value value, std::span<float> out) {
  constexpr int64_t kRange = 1 << 17;  // numbers that a thread draws at a time
  constexpr int64_t kChunk = 1024;     // numbers in the cache
  const auto size = static_cast<int64_t>(out.size());
  InParallel((size + kRange - 1) / kRange, [&](int64_t range) {
    double drawn[kChunk];
    const int64_t end = std::min(size, (range + 1) * kRange);
    for (int64_t begin = range * kRange; begin < end; begin += kChunk) {
      const int64_t count = std::min(kChunk, end - begin);
      fill(stream, begin, std::span(drawn, count));
      for (int64_t i = 0; i < count; ++i) out[begin + i] = static_cast<float>(value(drawn[i]));
    }
  });
}

}  // namespace

template <typename Self, typename Visit>
void WeightInitConf::Fields(Self& self, Visit&& visit) {
  if (self.kind == WeightInitKind::kUniform) {
    visit(Field{.key = "limit",
                .what = "the limit of the uniform weight init",
                .max = limits::kMaxCoefficient,
                .presence = Field::Presence::kRequired,
                .meaning = "Largest magnitude"},
          self.limit);
  }
  if (self.kind != WeightInitKind::kNormal) return;
  visit(Field{.key = "std",
              .what = "the standard deviation of the normal weight init",
              .max = limits::kMaxCoefficient,
              .presence = Field::Presence::kRequired,
              .meaning = "Standard deviation"},
        self.std);
}

WeightInitConf Xavier() { return {WeightInitKind::kXavier}; }
WeightInitConf XavierNormal() { return {WeightInitKind::kXavierNormal}; }
WeightInitConf He() { return {WeightInitKind::kHe}; }
WeightInitConf Normal(double std) { return {WeightInitKind::kNormal, std}; }
WeightInitConf Zero() { return {WeightInitKind::kZero}; }
WeightInitConf HeUniform() { return {WeightInitKind::kHeUniform}; }
WeightInitConf Lecun() { return {WeightInitKind::kLecun}; }
WeightInitConf LecunUniform() { return {WeightInitKind::kLecunUniform}; }
WeightInitConf Uniform(double limit) { return {.kind = WeightInitKind::kUniform, .limit = limit}; }
WeightInitConf One() { return {WeightInitKind::kOne}; }
WeightInitConf IdentityMatrix() { return {WeightInitKind::kIdentity}; }
WeightInitConf PyTorch() { return {WeightInitKind::kPyTorch}; }
WeightInitConf Orthogonal() { return {WeightInitKind::kOrthogonal}; }

Initializer InitializerFor(const WeightInitConf& init, int64_t fan_in, int64_t fan_out) {
  const double in = static_cast<double>(fan_in);
  const double out = static_cast<double>(fan_out);
  switch (init.kind) {
    case WeightInitKind::kXavier:
      return {Initializer::Kind::kUniform, portable::Sqrt(6.0 / (in + out))};
    case WeightInitKind::kXavierNormal:
      return {Initializer::Kind::kNormal, portable::Sqrt(2.0 / (in + out))};
    case WeightInitKind::kHe:
      return {Initializer::Kind::kNormal, portable::Sqrt(2.0 / in)};
    case WeightInitKind::kNormal:
      return {Initializer::Kind::kNormal, init.std};
    case WeightInitKind::kZero:
      break;
    case WeightInitKind::kHeUniform:
      return {Initializer::Kind::kUniform, portable::Sqrt(6.0 / in)};
    case WeightInitKind::kLecun:
      return {Initializer::Kind::kNormal, portable::Sqrt(1.0 / in)};
    case WeightInitKind::kLecunUniform:
      return {Initializer::Kind::kUniform, portable::Sqrt(3.0 / in)};
    case WeightInitKind::kUniform:
      return {Initializer::Kind::kUniform, init.limit};
    case WeightInitKind::kOne:
      return {Initializer::Kind::kConstant, 1};
    case WeightInitKind::kIdentity:
      return {Initializer::Kind::kIdentity, in};
    case WeightInitKind::kPyTorch:
      return {Initializer::Kind::kUniform, portable::Sqrt(1.0 / in)};
    case WeightInitKind::kOrthogonal:
      return {Initializer::Kind::kOrthogonal, in};
  }
  return {Initializer::Kind::kConstant, 0};
}

Initializer BiasInitializerFor(const WeightInitConf& init, int64_t fan_in) {
  if (init.kind != WeightInitKind::kPyTorch) return {};
  return InitializerFor(init, fan_in, /*fan_out=*/1);
}

void FillInitial(const Initializer& initializer, uint64_t seed, uint64_t tensor_index,
                 std::span<float> out) {
  const RandomStream stream(
      {.seed = seed, .purpose = RandomPurpose::kInitialize, .a = tensor_index});
  const double scale = initializer.scale;
  switch (initializer.kind) {
    case Initializer::Kind::kConstant:
      std::ranges::fill(out, static_cast<float>(scale));
      return;
    case Initializer::Kind::kUniform:
      return FillFrom(
          stream, FillUniform, [=](double x) { return scale * (2.0 * x - 1.0); }, out);
    case Initializer::Kind::kNormal:
      return FillFrom(
          stream, FillNormal, [=](double x) { return scale * x; }, out);
    case Initializer::Kind::kOrthogonal:
      return FillOrthogonal(static_cast<int64_t>(initializer.scale), stream, out);
    case Initializer::Kind::kIdentity: {
      const auto row = static_cast<size_t>(initializer.scale);
      for (size_t i = 0; i < out.size(); ++i) out[i] = i / row == i % row ? 1.0f : 0.0f;
      return;
    }
  }
}

std::string_view TagOf(const WeightInitConf& init) { return WeightInitTag(init.kind); }

std::vector<WeightInitConf> DefaultsOf(const WeightInitConf*) {
  std::vector<WeightInitConf> defaults;
  for (const WeightInitKind kind : AllKinds(WeightInitTag)) defaults.push_back({kind});
  return defaults;
}

Json ToJson(const WeightInitConf& init) { return TypedToJson(init); }

void ReadValue(JsonObjectReader& reader, std::string_view key, WeightInitConf& out) {
  ReadTyped(reader, key, out);
}

void CheckValue(const Field&, const WeightInitConf& init, Mistakes& mistakes) {
  CheckFields(MembersOf(init), mistakes);
}

void DescribeValue(const Field& field, const WeightInitConf& init, std::vector<KeyRow>& rows) {
  DescribeTyped(field, init, "Distribution of the initial weights", rows);
}

}  // namespace dl::nn
