// The merge measures histograms of each layer in the rounds that record them.
#include "master/merge/layer_measures.h"

#include "averaging/average.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace dl::master {
namespace {

using testing::IsEmpty;

class LayerHistograms : public testing::Test {
 protected:
  LayerHistograms() {
    SegmentTable table;
    table.Add("a.weight", SegmentKind::kParameter, {2});
    table.Add("a.bias", SegmentKind::kParameter, {1});
    table.Add("b.weight", SegmentKind::kParameter, {1});
    table.Add("a.mean", SegmentKind::kMean, {1});
    table.Add("a.variance", SegmentKind::kVariance, {1});
    material_.strategy = std::make_shared<averaging::Average>(
        *averaging::StateLayout::Create(table, averaging::UpdaterStatePolicy::kAverage));
    material_.histograms_every = 3;
  }
  LayerMeasures::Histograms Measure(int64_t round) const {
    return LayerMeasures(material_).HistogramsOf(round, before_, after_);
  }
  static ValueHistogram HistogramOf(const std::vector<float>& values) {
    HistogramCounter counter;
    counter.Add(values);
    return counter.Take();
  }

  JobMaterial material_;
  const std::vector<float> before_ = {1, 2, 3, 4, 100, 50}, after_ = {1, 5, 0, 4.5F, 200, 60};
};

TEST_F(LayerHistograms, CountTheParametersOfALayerTogether) {
  const LayerMeasures::Histograms measured = Measure(1);
  EXPECT_EQ(
      *DecodeHistograms(measured.parameters),
      (std::vector<LayerHistogram>{{"a", HistogramOf({1, 5, 0})}, {"b", HistogramOf({4.5F})}}));
  EXPECT_EQ(
      *DecodeHistograms(measured.changes),
      (std::vector<LayerHistogram>{{"a", HistogramOf({0, 3, -3})}, {"b", HistogramOf({0.5F})}}));
}

TEST_F(LayerHistograms, BelongToRoundsThatAreDue) {
  for (const int64_t round : {1, 4, 7}) EXPECT_FALSE(Measure(round).changes.empty()) << round;
  for (const int64_t round : {2, 3, 5, 6}) EXPECT_THAT(Measure(round).parameters, IsEmpty());
  material_.histograms_every = 0;
  EXPECT_THAT(Measure(1).parameters, IsEmpty());
  material_.histograms_every = 1;
  material_.measures_layers = false;
  EXPECT_THAT(Measure(1).parameters, IsEmpty());
}

}  // namespace
}  // namespace dl::master
