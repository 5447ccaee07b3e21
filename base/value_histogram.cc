#include "base/value_histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <utility>

#include "base/varint.h"

namespace dl {
namespace {

constexpr uint8_t kVersion = 1;
constexpr int kShift = 22;  // bits of a float that do not decide its bucket
constexpr int64_t kMaxValues = int64_t{1} << 53;
// Longest name of a layer, in bytes.
constexpr int64_t kMaxNameBytes = 4096;

// Returns the bucket of the floats with these upper bits; nullopt if they are not finite.
std::optional<int32_t> BucketOf(uint32_t upper) {
  const auto exponent = static_cast<int32_t>(upper >> 1 & 0xff);
  if (exponent == 0xff) return std::nullopt;
  if (exponent == 0) return 0;
  const int32_t magnitude = 2 * (exponent - 1) + static_cast<int32_t>(upper & 1) + 1;
  return upper >> 9 != 0 ? -magnitude : magnitude;
}

std::optional<ValueHistogram> NextHistogram(VarintReader& numbers) {
  ValueHistogram histogram;
  const auto count = numbers.Next(2 * kLastBucket + 2);
  if (!count) return std::nullopt;
  int64_t index = -kLastBucket - 1, values = 0;
  for (int64_t i = 0; i < *count; ++i) {
    const auto distance = numbers.Next(2 * kLastBucket + 2);
    const auto more = numbers.Next(kMaxValues);
    if (!distance || !more || *distance == 0 || *more == 0) return std::nullopt;
    index += *distance;
    values += *more;
    if (index > kLastBucket || values >= kMaxValues) return std::nullopt;
    histogram.buckets.push_back({.index = static_cast<int32_t>(index), .count = *more});
  }
  return histogram;
}

}  // namespace

void AddHistogram(ValueHistogram& sum, const ValueHistogram& more) {
  std::map<int32_t, int64_t> counts;
  for (const ValueHistogram* part : {&std::as_const(sum), &more}) {
    for (const ValueHistogram::Bucket& bucket : part->buckets) counts[bucket.index] += bucket.count;
  }
  sum.buckets.clear();
  for (const auto& [index, count] : counts) sum.buckets.push_back({index, count});
}

int64_t ValuesOf(const ValueHistogram& histogram) {
  int64_t values = 0;
  for (const ValueHistogram::Bucket& bucket : histogram.buckets) values += bucket.count;
  return values;
}

double BucketEdge(int32_t i) {
  if (i == 0) return 0;
  if (i < 0) return -BucketEdge(-i);
  return std::ldexp(i % 2 == 1 ? 1.0 : 1.5, (i - 1) / 2 - 126);
}

double LowerEdge(int32_t bucket) {
  return bucket > 0 ? BucketEdge(bucket) : BucketEdge(bucket - 1);
}

double UpperEdge(int32_t bucket) {
  return bucket < 0 ? BucketEdge(bucket) : BucketEdge(bucket + 1);
}

double QuantileOf(const ValueHistogram& histogram, double p) {
  DL_CHECK(!histogram.buckets.empty());
  const double below = p * static_cast<double>(ValuesOf(histogram));
  double passed = 0;
  for (const ValueHistogram::Bucket& bucket : histogram.buckets) {
    const auto count = static_cast<double>(bucket.count);
    if (passed + count < below) {
      passed += count;
      continue;
    }
    if (bucket.index == 0) return 0;
    const double low = LowerEdge(bucket.index), high = UpperEdge(bucket.index);
    return low + (high - low) * (below - passed) / count;
  }
  const int32_t last = histogram.buckets.back().index;
  return last == 0 ? 0 : UpperEdge(last);
}

void HistogramCounter::Flush() {
  for (auto& table : tables_) {
    for (size_t i = 0; i < totals_.size(); ++i) totals_[i] += table[i];
    table.fill(0);
  }
  pending_ = 0;
}

// REQUIRES: values < kMaxPending.
void HistogramCounter::Reserve(size_t values) {
  pending_ += static_cast<int64_t>(values);
  if (pending_ < kMaxPending) return;
  Flush();
  pending_ = static_cast<int64_t>(values);
}

void HistogramCounter::Add(std::span<const float> values) {
  while (!values.empty()) {
    const auto run = values.first(std::min<size_t>(values.size(), kMaxPending - 1));
    values = values.subspan(run.size());
    Reserve(run.size());
    const auto upper = [&](size_t i) { return std::bit_cast<uint32_t>(run[i]) >> kShift; };
    size_t i = 0;
    for (; i + kTables <= run.size(); i += kTables) {
      for (size_t table = 0; table < kTables; ++table) ++tables_[table][upper(i + table)];
    }
    for (; i < run.size(); ++i) ++tables_[0][upper(i)];
  }
}

void HistogramCounter::AddDifferences(std::span<const float> before, std::span<const float> after) {
  DL_CHECK(before.size() == after.size());
  // Small enough for the fastest cache, large enough for vector instructions.
  std::array<float, 1024> differences;
  for (size_t from = 0; from < after.size(); from += differences.size()) {
    const size_t size = std::min(differences.size(), after.size() - from);
    for (size_t i = 0; i < size; ++i) differences[i] = after[from + i] - before[from + i];
    Add(std::span(differences).first(size));
  }
}

ValueHistogram HistogramCounter::Take() {
  Flush();
  std::array<int64_t, 2 * kLastBucket + 1> counts{};
  for (size_t upper = 0; upper < totals_.size(); ++upper) {
    if (const auto bucket = BucketOf(static_cast<uint32_t>(upper)))
      counts[static_cast<size_t>(*bucket + kLastBucket)] += totals_[upper];
  }
  totals_.fill(0);
  ValueHistogram histogram;
  for (size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] > 0)
      histogram.buckets.push_back(
          {.index = static_cast<int32_t>(i) - kLastBucket, .count = counts[i]});
  }
  return histogram;
}

std::string EncodeHistograms(std::span<const LayerHistogram> histograms) {
  std::string bytes = {static_cast<char>(kVersion)};
  for (const LayerHistogram& histogram : histograms) {
    AppendVarint(bytes, std::ssize(histogram.layer));
    bytes += histogram.layer;
    AppendVarint(bytes, std::ssize(histogram.values.buckets));
    int32_t before = -kLastBucket - 1;
    for (const ValueHistogram::Bucket& bucket : histogram.values.buckets) {
      AppendVarint(bytes, bucket.index - before);
      AppendVarint(bytes, bucket.count);
      before = bucket.index;
    }
  }
  return bytes;
}

std::optional<std::vector<LayerHistogram>> DecodeHistograms(std::string_view bytes) {
  if (bytes.empty() || static_cast<uint8_t>(bytes.front()) != kVersion) return std::nullopt;
  VarintReader numbers(bytes.substr(1));
  std::vector<LayerHistogram> histograms;
  while (numbers.left() > 0) {
    const auto size = numbers.Next(kMaxNameBytes + 1);
    const auto name = size ? numbers.NextText(static_cast<size_t>(*size)) : std::nullopt;
    auto values = name ? NextHistogram(numbers) : std::nullopt;
    if (!values || histograms.size() == kMaxLayerHistograms) return std::nullopt;
    histograms.push_back({.layer = std::string(*name), .values = *std::move(values)});
  }
  return histograms;
}

}  // namespace dl
