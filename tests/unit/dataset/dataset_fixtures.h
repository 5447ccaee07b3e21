// Blocks in memory and tables of known content, for the tests of dataset/.
#pragma once

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "dataset/block_source.h"
#include "dataset/example_table.h"
#include "dataset/normalizer.h"
#include "gtest/gtest.h"

namespace dl::dataset {

class MemoryBlocks : public BlockSource, public BlockSink {
 public:
  Status Put(const std::string& sha256, std::span<const std::byte> bytes) override {
    MutexLock lock(mutex_);
    blocks_[sha256] = std::make_shared<Bytes>(bytes.begin(), bytes.end());
    return absl::OkStatus();
  }
  StatusOr<std::shared_ptr<const Bytes>> Get(const std::string& sha256) override {
    MutexLock lock(mutex_);
    ++gets;
    got_.NotifyAll();
    auto found = blocks_.find(sha256);
    if (found == blocks_.end()) return NotFound({.message = "no block " + sha256});
    return std::shared_ptr<const Bytes>(found->second);
  }
  void FlipBit(const std::string& sha256, size_t bit) {
    MutexLock lock(mutex_);
    auto copy = std::make_shared<Bytes>(*blocks_.at(sha256));
    (*copy)[bit / 8] ^= std::byte(1 << bit % 8);
    blocks_[sha256] = copy;
  }
  void Remove(const std::string& sha256) {
    MutexLock lock(mutex_);
    blocks_.erase(sha256);
  }
  // Waits until Get was called `count` times. Returns false after one minute.
  bool WaitForGets(int count) {
    MutexLock lock(mutex_);
    for (int i = 0; i < 600 && gets < count; ++i)
      got_.WaitFor(mutex_, std::chrono::milliseconds(100));
    return gets >= count;
  }
  std::atomic<int> gets = 0;

 private:
  Mutex mutex_;
  CondVar got_;
  std::map<std::string, std::shared_ptr<const Bytes>> blocks_;
};

// Returns images (2, 1, 2) of bytes with three classes. Every value is a function of the example's
// id.
inline ExampleTable ImageTable(int64_t examples) {
  ExampleTable table = {.schema = {.feature_shape = {2, 1, 2},
                                   .features = ByteFeatures{},
                                   .labels = ClassLabels{.classes = 3}},
                        .examples = examples};
  for (int64_t i = 0; i < examples; ++i) {
    for (int64_t k = 0; k < 4; ++k) table.u8.push_back(static_cast<uint8_t>(i * 5 + k * 31));
    table.classes.push_back(static_cast<int32_t>(i % 3));
  }
  return table;
}

// Returns rows of three floats with two float targets.
inline ExampleTable TargetTable(int64_t examples) {
  ExampleTable table = {.schema = {.feature_shape = {3}, .labels = TargetLabels{.size = 2}},
                        .examples = examples};
  for (int64_t i = 0; i < examples; ++i) {
    for (int64_t k = 0; k < 3; ++k) table.f32.push_back(0.5f * static_cast<float>(i) - 3.0f * k);
    table.targets.push_back(static_cast<float>(i));
    table.targets.push_back(static_cast<float>(-i));
  }
  return table;
}

// Returns the features of a table in memory, as a model without normalizer reads them: with the
// numbers that replace missing ones.
inline std::vector<float> WithoutMissing(const ExampleTable& table) {
  const auto size = static_cast<size_t>(table.schema.FeatureSize());
  const FeatureScaler scaler(table.schema, {});
  std::vector<float> features(table.f32.size());
  for (size_t at = 0; at < features.size(); at += size)
    scaler.Apply(std::span(table.f32).subspan(at, size), std::span(features).subspan(at, size));
  return features;
}

}  // namespace dl::dataset
