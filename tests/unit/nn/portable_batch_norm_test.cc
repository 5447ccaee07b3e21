// The portable kernel of batch normalization: nn/backend/own/own_batch_normalization.h. It is
// compared, bit for bit, with its definition in single operations.
#include <cmath>
#include <cstring>
#include <map>

#include "absl/strings/str_cat.h"
#include "base/float_buffer.h"
#include "base/philox.h"
#include "gtest/gtest.h"
#include "nn/backend/batch_normalization.h"
#include "nn/backend/compute_scope.h"
#include "nn/backend/parallel_for.h"
#include "tests/support/status_matchers.h"

namespace dl::nn::portable_batch_norm {
namespace {

using Values = std::vector<float>;

constexpr double kEpsilon = 1e-5;

Values RandomValues(int64_t count, uint64_t seed, float low = -1) {
  RandomStream random({.seed = seed, .purpose = RandomPurpose::kForTests});
  Values values(count);
  for (float& v : values) v = low + static_cast<float>(random.NextDouble()) * (1 - low);
  return values;
}

bool SameBits(const Values& a, const Values& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

// Returns the sum over rows in the order of the kernel.
template <typename Term>
double SumOf(int64_t rows, const Term& term) {
  double total = 0;
  for (int64_t first = 0; first < rows; first += 256) {
    float sum = 0;
    for (int64_t row = first; row < std::min(rows, first + 256); ++row) sum += term(row);
    total += static_cast<double>(sum);
  }
  return total;
}

struct Tensors {
  Values x, gamma, beta, mean, variance, dy;
};
struct Results {
  Values y, mean, variance, dx, dgamma, dbeta;
};

Results DefinitionOf(int64_t rows, int64_t channels, BatchStatistics statistics, const Tensors& t) {
  Results r{.y = Values(t.x.size()), .mean = t.mean, .variance = t.variance, .dx = t.x};
  const bool of_batch = statistics == BatchStatistics::kOfBatch;
  const auto n = static_cast<double>(rows);
  for (int64_t c = 0; c < channels; ++c) {
    const auto x = [&](int64_t row) { return t.x[row * channels + c]; };
    const auto dy = [&](int64_t row) { return t.dy[row * channels + c]; };
    if (of_batch) {
      r.mean[c] = static_cast<float>(SumOf(rows, x) / n);
      r.variance[c] = static_cast<float>(SumOf(rows,
                                               [&](int64_t row) {
                                                 const float distance = x(row) - r.mean[c];
                                                 return distance * distance;
                                               }) /
                                         n);
    }
    const auto scale =
        static_cast<float>(1.0 / std::sqrt(static_cast<double>(r.variance[c]) + kEpsilon));
    const auto normalized = [&](int64_t row) { return (x(row) - r.mean[c]) * scale; };
    const double along = SumOf(rows, [&](int64_t row) { return dy(row) * normalized(row); });
    const double all = SumOf(rows, dy);
    r.dgamma.push_back(static_cast<float>(along));
    r.dbeta.push_back(static_cast<float>(all));
    const auto mean_along = static_cast<float>(of_batch ? along / n : 0.0);
    const auto mean_all = static_cast<float>(of_batch ? all / n : 0.0);
    const float factor = scale * t.gamma[c];
    for (int64_t row = 0; row < rows; ++row) {
      r.y[row * channels + c] = (x(row) - r.mean[c]) * factor + t.beta[c];
      r.dx[row * channels + c] = factor * (dy(row) - mean_all - normalized(row) * mean_along);
    }
  }
  return r;
}

// The buffers of a primitive by role.
class Memory {
 public:
  void Add(Role role, const Values& values) {
    FloatBuffer& buffer = buffers_[role];
    buffer = *FloatBuffer::Create(static_cast<int64_t>(values.size()));
    std::ranges::copy(values, buffer.data());
  }
  float* At(Role role) { return buffers_.contains(role) ? buffers_[role].data() : nullptr; }
  Values Of(Role role, size_t size) { return Values(At(role), At(role) + size); }

 private:
  std::map<Role, FloatBuffer> buffers_;
};

Results ResultsOf(const BatchNormalizationGeometry& g, const Tensors& t) {
  const auto forward = BatchNormalizationForward(g), backward = BatchNormalizationBackward(g);
  DL_EXPECT_OK(forward);
  DL_EXPECT_OK(backward);
  Memory m;
  for (const Role role : {Role::kSource, Role::kDestination, Role::kDiffSource}) m.Add(role, t.x);
  m.Add(Role::kDiffDestination, t.dy);
  m.Add(Role::kMean, t.mean);
  m.Add(Role::kVariance, t.variance);
  m.Add(Role::kScale, t.gamma);
  m.Add(Role::kShift, t.beta);
  m.Add(Role::kDiffScale, t.gamma);
  m.Add(Role::kDiffShift, t.beta);
  for (const auto* primitive : {&*forward, &*backward}) {
    const auto bound = primitive->Bind({{Role::kSource, m.At(Role::kSource)},
                                        {Role::kDestination, m.At(Role::kDestination)},
                                        {Role::kDiffSource, m.At(Role::kDiffSource)},
                                        {Role::kDiffDestination, m.At(Role::kDiffDestination)},
                                        {Role::kMean, m.At(Role::kMean)},
                                        {Role::kVariance, m.At(Role::kVariance)},
                                        {Role::kScale, m.At(Role::kScale)},
                                        {Role::kShift, m.At(Role::kShift)},
                                        {Role::kDiffScale, m.At(Role::kDiffScale)},
                                        {Role::kDiffShift, m.At(Role::kDiffShift)}});
    DL_EXPECT_OK(bound);
    DL_EXPECT_OK(bound->Run());
  }
  const size_t size = t.x.size(), channels = t.gamma.size();
  return {.y = m.Of(Role::kDestination, size),
          .mean = m.Of(Role::kMean, channels),
          .variance = m.Of(Role::kVariance, channels),
          .dx = m.Of(Role::kDiffSource, size),
          .dgamma = m.Of(Role::kDiffScale, channels),
          .dbeta = m.Of(Role::kDiffShift, channels)};
}

TEST(PortableBatchNorm, EqualsItsDefinition) {
  for (const auto& [batch, channels, height, width] :
       {std::array<int64_t, 4>{3, 5, 2, 2}, {4, 70, 9, 11}, {40, 130, 1, 1}}) {
    const int64_t rows = batch * height * width;
    const Tensors t{.x = RandomValues(rows * channels, 1),
                    .gamma = RandomValues(channels, 2),
                    .beta = RandomValues(channels, 3),
                    .mean = RandomValues(channels, 4),
                    .variance = RandomValues(channels, 5, 0),
                    .dy = RandomValues(rows * channels, 6)};
    for (const auto statistics : {BatchStatistics::kOfBatch, BatchStatistics::kGiven}) {
      const Results want = DefinitionOf(rows, channels, statistics, t);
      for (const int threads : {1, 2, 3, 5}) {
        SCOPED_TRACE(absl::StrCat(rows, " rows, ", channels, " channels, threads ", threads));
        const ComputeScope scope(1);
        const LoopThreads loops(threads, /*least_floats=*/1);
        const Results got = ResultsOf(
            {.source = Layout::ChannelsLast(std::vector<int64_t>{batch, channels, height, width}),
             .epsilon = kEpsilon,
             .statistics = statistics,
             .kernels = KernelSet::kPortable},
            t);
        EXPECT_TRUE(SameBits(got.y, want.y));
        EXPECT_TRUE(SameBits(got.mean, want.mean));
        EXPECT_TRUE(SameBits(got.variance, want.variance));
        EXPECT_TRUE(SameBits(got.dx, want.dx));
        EXPECT_TRUE(SameBits(got.dgamma, want.dgamma));
        EXPECT_TRUE(SameBits(got.dbeta, want.dbeta));
      }
    }
  }
}

}  // namespace
}  // namespace dl::nn::portable_batch_norm
