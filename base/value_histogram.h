// Histograms of floats. The buckets are the same for all data, so histograms of different times can
// be added and compared.
//
// Bucket 0 holds zero and all values whose magnitude is below 2^-126, the smallest normal float.
// Bucket i from 1 to 508 holds the values from edge(i) up to, but not including, edge(i + 1):
//   edge(i) = 2^(floor((i - 1) / 2) - 126) * (1 if i is odd, 1.5 if i is even)
// Bucket -i holds the negated values of bucket i.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace dl {

inline constexpr int32_t kLastBucket = 508;

struct ValueHistogram {
  struct Bucket {
    int32_t index = 0;
    int64_t count = 0;  // at least 1

    bool operator==(const Bucket&) const = default;
  };
  std::vector<Bucket> buckets;  // ascending by index; buckets without values are left out

  bool operator==(const ValueHistogram&) const = default;
};

// Adds the counts of `more` to `sum`.
void AddHistogram(ValueHistogram& sum, const ValueHistogram& more);
// Returns the number of values.
int64_t ValuesOf(const ValueHistogram& histogram);

// Returns edge(i) for i from 1 to kLastBucket + 1, and -edge(-i) for negative i; 0 for i = 0.
double BucketEdge(int32_t i);
// Return the lower and upper bound of the values of a bucket. The lower bound belongs to buckets
// above 0, the upper bound to buckets below 0.
double LowerEdge(int32_t bucket);
double UpperEdge(int32_t bucket);

// Returns an estimate of the value below which the share `p` of the values lies: the values of a
// bucket are assumed to be spread evenly over it, and those of bucket 0 to be 0. p = 0 and p = 1
// give the outer edges of the first and last bucket. REQUIRES: 0 <= p <= 1, and the histogram has
// values.
double QuantileOf(const ValueHistogram& histogram, double p);

// Counts values. Takes about a nanosecond for each value. Uses 24 KiB. Values that are not finite
// are not counted. Not thread-safe.
class HistogramCounter {
 public:
  void Add(std::span<const float> values);
  // Adds after[i] - before[i], rounded to a float. REQUIRES: both have the same size.
  void AddDifferences(std::span<const float> before, std::span<const float> after);
  // Returns the histogram of all values since the last call, and begins again with none.
  ValueHistogram Take();

 private:
  // The upper ten bits of a float are its sign, its exponent, and the half of the range between two
  // powers of two. Neighbours of one table are counted in turn in different tables, because an
  // increment must otherwise wait for an increment of the same counter before it.
  static constexpr int kBits = 10;
  static constexpr int kTables = 4;
  // A table is emptied into `totals_` before a counter can overflow.
  static constexpr int64_t kMaxPending = int64_t{1} << 31;

  void Reserve(size_t values);
  void Flush();

  std::array<std::array<uint32_t, 1 << kBits>, kTables> tables_{};
  std::array<int64_t, 1 << kBits> totals_{};
  int64_t pending_ = 0;  // values in tables_
};

// Histogram of a layer of a model.
struct LayerHistogram {
  std::string layer;
  ValueHistogram values;

  bool operator==(const LayerHistogram&) const = default;
};

// Most histograms that DecodeHistograms accepts.
inline constexpr size_t kMaxLayerHistograms = 1024;

// Most bytes of a unit's histograms in a message.
inline constexpr int64_t kMaxHistogramBytes = 256 << 10;

// Returns the histograms as bytes, in the form of docs/formats.md, "Histograms".
std::string EncodeHistograms(std::span<const LayerHistogram> histograms);
// Returns the histograms, or nullopt if `bytes` does not have the form that EncodeHistograms
// writes. Then also counts are at least 1, and the sum of all counts of a histogram is below 2^53.
std::optional<std::vector<LayerHistogram>> DecodeHistograms(std::string_view bytes);

}  // namespace dl
