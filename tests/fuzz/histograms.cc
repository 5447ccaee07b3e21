// Histograms of layers as executors send them, and as a disk may return them. Accepted histograms
// are written and read again.
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "base/value_histogram.h"
#include "tests/fuzz/fuzz_target.h"

namespace dl::fuzz {
namespace {

// Calls everything that shows a histogram.
void RequireShown(const ValueHistogram& histogram) {
  int64_t values = 0;
  int32_t before = -kLastBucket - 1;
  for (const ValueHistogram::Bucket& bucket : histogram.buckets) {
    Require(bucket.index > before && bucket.index <= kLastBucket, "buckets ascend");
    Require(bucket.count >= 1, "a bucket has a value");
    Require(LowerEdge(bucket.index) < UpperEdge(bucket.index), "a bucket has a width");
    before = bucket.index;
    values += bucket.count;
    Require(values < int64_t{1} << 53, "the sum of the counts is exact as a double");
  }
  Require(values == ValuesOf(histogram), "the counts are those of the buckets");
  if (histogram.buckets.empty()) return;
  double last = QuantileOf(histogram, 0);
  for (const double share : {0.01, 0.25, 0.5, 0.75, 0.99, 1.0}) {
    const double quantile = QuantileOf(histogram, share);
    Require(std::isfinite(quantile) && quantile >= last, "quantiles ascend");
    last = quantile;
  }
}

}  // namespace

bool FuzzHistograms(std::string_view bytes) {
  const auto histograms = DecodeHistograms(bytes);
  if (!histograms) return false;
  Require(histograms->size() <= kMaxLayerHistograms, "histograms are limited");
  for (const LayerHistogram& histogram : *histograms) RequireShown(histogram.values);
  if (histograms->size() == 2) {
    const ValueHistogram &one = histograms->front().values, &other = histograms->back().values;
    ValueHistogram sum = one;
    AddHistogram(sum, other);
    Require(ValuesOf(sum) == ValuesOf(one) + ValuesOf(other), "a sum has all values");
  }
  const std::string written = EncodeHistograms(*histograms);
  const auto again = DecodeHistograms(written);
  Require(again.has_value(), "histograms that were written are read");
  Require(*again == *histograms, "histograms that were read again are the same");
  Require(EncodeHistograms(*again) == written, "they are written as the same bytes");
  return true;
}

}  // namespace dl::fuzz
