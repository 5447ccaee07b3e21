// Compares the reference with the definition of a derivative: its gradients and its losses were
// written independently of each other.
#include <cmath>

#include "gtest/gtest.h"
#include "tests/gradient/example.h"
#include "tests/gradient/models.h"

namespace dl::gradient {
namespace {

constexpr double kTolerance = 1e-6;  // relative to the norm
constexpr double kStep = 1e-5;       // error about kStep^2, rounding about 1e-16 / kStep
constexpr double kFarFromKinks = 30 * kStep;
constexpr int64_t kElementsPerSegment = 40;

double CentralDifference(reference::Network& network, const reference::Minibatch& batch,
                         int64_t element) {
  double& w = network.state()[element];
  const double before = w;
  w = before + kStep;
  const double above = network.Loss(batch, kPlace);
  w = before - kStep;
  const double below = network.Loss(batch, kPlace);
  w = before;
  return (above - below) / (2 * kStep);
}

void CheckSegment(reference::Network& network, const reference::Minibatch& batch,
                  const Segment& segment) {
  const int64_t stride = (segment.size + kElementsPerSegment - 1) / kElementsPerSegment;
  double error = 0, norm = 0;
  for (int64_t i = segment.offset; i < segment.offset + segment.size; i += stride) {
    const double difference = CentralDifference(network, batch, i);
    error = std::hypot(error, difference - network.gradient()[i]);
    norm = std::hypot(norm, difference);
  }
  EXPECT_LE(error, kTolerance * norm) << segment.name;
  EXPECT_GT(norm, 0) << segment.name << ": nothing is tested";
}

void Check(const std::vector<NamedModel>& models) {
  ASSERT_FALSE(models.empty());
  for (const auto& [name, model] : models) {
    SCOPED_TRACE(name);
    const Example example = MakeExample(model, 5, kFarFromKinks);
    reference::Network network(model, example.examples);
    const reference::Minibatch batch = example.ForReference();
    network.Load(example.state);
    const double loss = network.Gradient(batch, kPlace);
    EXPECT_EQ(loss, network.Loss(batch, kPlace));
    for (const Segment& segment : network.table().segments()) {
      if (segment.kind == SegmentKind::kParameter) CheckSegment(network, batch, segment);
    }
  }
}

TEST(FiniteDifference, EverySampleOfEveryLayerType) { Check(SampleModels()); }
TEST(FiniteDifference, SmallNetworks) { Check(SmallNetworks()); }
TEST(FiniteDifference, Graphs) { Check(Graphs()); }
TEST(FiniteDifference, SharingNetworks) { Check(SharingNetworks()); }
TEST(FiniteDifference, SeveralOutputs) { Check(SeveralOutputs()); }
TEST(FiniteDifference, SequenceNetworks) { Check(SequenceNetworks()); }

}  // namespace
}  // namespace dl::gradient
