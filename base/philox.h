// Counter-based random numbers: Philox4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random
// numbers: as easy as 1, 2, 3", SC 2011). A value is a pure function of (seed, purpose, three
// numbers, position in the stream). So a checkpoint holds no generator state, and any executor
// draws the same numbers.
#pragma once

#include <array>
#include <cstdint>

namespace dl {

// The use of a stream. Each value enters the key, so changing it changes results. Values are never
// reused; an earlier version used 5.
enum class RandomPurpose : uint16_t {
  kInitialize = 1,     // weights
  kDropout = 2,        // masks of dropout layers, and Gaussian noise
  kImportShuffle = 3,  // order of examples at import
  kEpochShuffle = 4,   // order of blocks and examples in an epoch
  // Selects the units that two executors compute, and the partial sums whose contributions are
  // requested one by one to check the sums. Does not influence results.
  kVerifySample = 7,
  kForTests = 6,                   // test code and benchmarks
  kTestSplit = 8,                  // which examples of a source form its test set
  kAugmentation = 9,               // changes of images in an epoch
  kGenerate = 10,                  // tokens of a text that a model generates
  kGaussianSample = 11,            // samples that layers draw from distributions
  kMaskTokens = 12,                // which tokens of a text the model has to predict
  kRecurrentDropout = 13,          // masks of recurrent states
  kBackwardRecurrentDropout = 14,  // masks of a bidirectional layer's backward direction
  kAttentionDropout = 15,          // masks of attention weights
};

// The block function of the generator: maps 128 bits of counter and 64 of key to 128 random bits.
std::array<uint32_t, 4> Philox4x32(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key);

// A stream of 32-bit values. The key is derived from (seed, purpose, a, b, c) by SplitMix64
// finalizers; the counter counts blocks of four values. Cheap to create and copy. Not thread-safe.
class RandomStream {
 public:
  // Identifies the stream. Equal ids give equal values.
  struct StreamId {
    uint64_t seed = 0;
    RandomPurpose purpose = RandomPurpose::kForTests;
    uint64_t a = 0, b = 0, c = 0;  // layer, epoch, round, worker, step, ...: defined by the purpose
  };
  explicit RandomStream(const StreamId& id);

  uint32_t NextU32();
  uint64_t NextU64();
  // Returns a uniform number in [0, bound), without bias (Lemire, "Fast random integer generation
  // in an interval", 2019). REQUIRES: bound > 0.
  uint64_t Bounded(uint64_t bound);
  // Returns a uniform number in [0, 1) with 53 bits.
  double NextDouble();
  // Returns a standard normal number: Box-Muller with the functions of base/portable_math.h.
  double NextNormal();

  // Returns the i-th 32-bit value of the stream without changing the position.
  uint32_t At(uint64_t i) const;
  // For bulk generation: the key of Philox4x32, and the upper half of every counter.
  std::array<uint32_t, 2> key() const { return key_; }
  uint64_t base() const { return base_; }

 private:
  std::array<uint32_t, 2> key_;
  uint64_t base_;
  uint64_t position_ = 0;
  std::array<uint32_t, 4> block_{};
  uint64_t block_index_ = ~uint64_t{0};
  double spare_normal_ = 0;
  int has_spare_ = 0;
};

}  // namespace dl
