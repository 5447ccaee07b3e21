// Convolutions in bf16 against float32, over random geometries. oneDNN has kernels for bf16 that
// read memory that nothing wrote or that skip pixels; BestTypes must avoid them.
#include <cmath>
#include <cstdlib>
#include <sstream>

#include "base/philox.h"
#include "gtest/gtest.h"
#include "nn/backend/convolution_primitive.h"
#include "nn/conf/segments.h"
#include "nn/conf/sequential.h"
#include "nn/kernel_contract.h"
#include "nn/network.h"
#include "tests/support/status_matchers.h"

namespace dl::nn {
namespace {

struct Trial {
  std::string name;
  ModelConfig model;
  int64_t examples = 1;
  int threads = 1;
};

// A convolution that computes a gradient with respect to its input, because a layer before it has
// parameters.
class RandomConvolutions {
 public:
  explicit RandomConvolutions(uint64_t seed)
      : random_({.seed = seed, .purpose = RandomPurpose::kForTests}) {}

  // Returns nullopt if the kernel does not fit into the image.
  std::optional<Trial> Next() {
    const int64_t height = From1To(14), width = From1To(16);
    const int64_t groups = random_.Bounded(4) == 0 ? From1To(4) : 1;
    const int64_t in = groups * From1To(groups == 1 ? 72 : 20);
    const int64_t out = groups * From1To(groups == 1 ? 72 : 20);
    Conv2D conv(out);
    conv.groups = groups;
    conv.window.kernel = {From1To(4), From1To(5)};
    conv.window.stride = {From1To(2), From1To(2)};
    conv.window.dilation = {From1To(2), From1To(2)};
    conv.Padding(random_.Bounded(3));
    Trial trial{.examples = From1To(6), .threads = static_cast<int>(From1To(3))};
    std::ostringstream name;
    name << trial.examples << " x " << in << " of " << height << "x" << width << " to " << out
         << ", groups " << groups << ", kernel " << conv.window.kernel.height << "x"
         << conv.window.kernel.width << ", stride " << conv.window.stride.height << "x"
         << conv.window.stride.width << ", dilation " << conv.window.dilation.height << "x"
         << conv.window.dilation.width << ", threads " << trial.threads;
    trial.name = name.str();
    auto model = Sequential("convolution")
                     .Updater(Sgd(0.1))
                     .Input(Image(in, height, width))
                     .Layer(PRelu())
                     .Layer(conv)
                     .Layer(GlobalAvgPool2D())
                     .Layer(Output(3).Loss(SoftmaxCrossEntropy()))
                     .Build();
    if (!model.ok()) return std::nullopt;
    trial.model = *std::move(model);
    return trial;
  }
  std::vector<float> Features(const Trial& trial) {
    std::vector<float> features(trial.examples * ElementsOf(trial.model.inputs));
    for (float& value : features) value = static_cast<float>(2 * random_.NextDouble() - 1);
    return features;
  }

 private:
  int64_t From1To(int64_t most) { return 1 + static_cast<int64_t>(random_.Bounded(most)); }

  RandomStream random_;
};

std::vector<float> GradientOf(const Trial& trial, const std::vector<float>& features,
                              Precision precision) {
  auto network = Network::Create(
      trial.model, {.max_batch = trial.examples, .threads = trial.threads, .precision = precision});
  EXPECT_THAT(network, test::IsOk()) << trial.name;
  EXPECT_THAT((*network)->Load(InitialState(trial.model, 3)), test::IsOk());
  std::vector<int32_t> labels;
  // Equal numbers of each class would let sums over the examples cancel.
  for (int64_t i = 0; i < trial.examples; ++i) labels.push_back(i % 3 == 0 ? 0 : 2);
  std::vector<float> gradient((*network)->table().SizeOf(SegmentKind::kParameter));
  EXPECT_THAT(
      (*network)->Gradient({.examples = trial.examples, .features = features, .labels = labels}, {},
                           gradient),
      test::IsOk());
  return gradient;
}

double Length(std::span<const float> values) {
  double squares = 0;
  for (const float value : values) squares += std::pow(static_cast<double>(value), 2);
  return std::sqrt(squares);
}
double Distance(std::span<const float> a, std::span<const float> b) {
  std::vector<float> differences;
  for (size_t i = 0; i < a.size(); ++i) differences.push_back(a[i] - b[i]);
  return Length(differences);
}

TEST(Bf16Convolutions, EqualFloat32WithinRoundingAndRepeat) {
  const auto level = ProcessIsa();
  ASSERT_THAT(level, test::IsOk());
  if (!CheckPrecision(*level, Precision::kBf16).ok())
    GTEST_SKIP() << "this CPU has no instructions for bf16";
  const char* const many = std::getenv("DL_BF16_TRIALS");
  RandomConvolutions trials(many == nullptr ? 1 : 2);
  for (int left = many == nullptr ? 120 : std::atoi(many); left > 0; --left) {
    const std::optional<Trial> trial = trials.Next();
    if (!trial) continue;
    const std::vector<float> features = trials.Features(*trial);
    const std::vector<float> exact = GradientOf(*trial, features, Precision::kFloat32);
    const std::vector<float> rounded = GradientOf(*trial, features, Precision::kBf16);
    EXPECT_EQ(rounded, GradientOf(*trial, features, Precision::kBf16)) << trial->name;
    const SegmentTable table = FullTable(trial->model);
    for (const Segment& segment : table.segments()) {
      if (segment.kind != SegmentKind::kParameter) continue;
      const auto tensor = [&](const std::vector<float>& gradient) {
        return std::span(gradient).subspan(segment.offset, segment.size);
      };
      // The sums of a bias may cancel, so its errors are compared with the whole gradient, too.
      const double length = std::max(Length(tensor(exact)), 0.1 * Length(exact));
      EXPECT_LT(Distance(tensor(exact), tensor(rounded)), 0.05 * length)
          << segment.name << " of " << trial->name;
    }
  }
}

TEST(Bf16Convolutions, GeometriesWithWrongOrSlowKernelsStayInFloat32) {
  const ProductTypes bf16{.factors = DataType::kBf16, .for_weights = DataType::kBf16};
  ConvolutionGeometry geometry{.in_channels = 48, .out_channels = 20};
  geometry.window = {.in = {9, 9}, .out = {5, 5}, .kernel = {3, 3}, .stride = {2, 2}};
  const auto for_weights = [&] { return BestTypes(geometry, bf16).for_weights; };
  EXPECT_EQ(for_weights(), DataType::kBf16);
  geometry.in_channels = 36;
  EXPECT_EQ(for_weights(), DataType::kFloat32);
  EXPECT_EQ(BestTypes(geometry, bf16).factors, DataType::kBf16);
  geometry.in_channels = 20;
  EXPECT_EQ(for_weights(), DataType::kFloat32) << "few channels";
  geometry.in_channels = 64;
  EXPECT_EQ(for_weights(), DataType::kBf16);
  geometry.window.out = {2, 2};
  EXPECT_EQ(for_weights(), DataType::kFloat32) << "few pixels";
  geometry.window.out = {5, 5};
  geometry.window.kernel = {1, 3};
  EXPECT_EQ(BestTypes(geometry, bf16).factors, DataType::kFloat32);
  geometry.window.kernel = {1, 1};
  EXPECT_EQ(BestTypes(geometry, bf16).factors, DataType::kBf16) << "as in residual networks";
}

}  // namespace
}  // namespace dl::nn
