#include "job/unit_memory.h"

#include <algorithm>

#include "base/limits.h"
#include "job/announced_figures.h"
#include "nn/conf/layers/output.h"
#include "nn/conf/network_memory.h"
#include "nn/conf/segments.h"

namespace dl::job {
namespace {

constexpr int64_t kFloat = sizeof(float);

constexpr int64_t kOrderEntry = 16;  // index entry of an example while a window is shuffled

// Returns the bytes of a window's blocks and of its order. `examples`: number of examples of a
// unit; each may be in a different block.
int64_t WindowBytes(const DataShape& data, int64_t examples) {
  const int64_t blocks = std::min(limits::kShuffleWindowBlocks, data.blocks);
  return std::min(blocks, examples) * data.block_bytes + blocks * data.block_examples * kOrderEntry;
}

// Like WindowBytes, for a stream: each lane reads its own block, or crosses from one block to the
// next.
int64_t StreamBytes(const DataShape& data, int64_t examples, int64_t lanes) {
  const int64_t blocks = std::min({2 * lanes, data.blocks, examples});
  return blocks * data.block_bytes +
         std::min(lanes * data.block_examples, data.examples) * kOrderEntry;
}

}  // namespace

LargestBatches LargestBatchesOf(const TrainingConfig& training, const DataShape& train,
                                const DataShape& test) {
  const auto most = [](int64_t batch_size, int64_t examples) {
    return std::max<int64_t>(1, std::min(batch_size, examples));
  };
  return {.training = most(training.batch_size, train.examples),
          .evaluation = most(training.evaluation.batch_size, test.examples)};
}

UnitMemory UnitMemoryOf(const JobSpec& spec, const DataShape& train, const DataShape& test) {
  const TrainingConfig& training = spec.training;
  const LargestBatches largest = LargestBatchesOf(training, train, test);
  const auto bounded = [](double bytes) {
    return static_cast<int64_t>(std::min(bytes, static_cast<double>(nn::kMaxNetworkBytes)));
  };
  UnitMemory memory;
  memory.network = nn::NetworkMemoryAtMost(
                       spec.model, {.max_batch = largest.training,
                                    .max_evaluation_batch = largest.evaluation,
                                    .micro_batch = training.micro_batch_size,
                                    .threads = training.threads_per_worker,
                                    .precision = training.precision,
                                    .carried_rows = training.batch_size,
                                    .checkpoint_activations = training.checkpoint_activations})
                       .Total();
  // Four copies: the input state, the result, the previous result until it is released, and the
  // canonical copy from which layouts for another batch size are made.
  memory.states = 4 * nn::FullTable(spec.model, training.batch_size).size() * kFloat;
  const auto values =
      static_cast<double>(train.features + train.targets + train.labels + train.others);
  const int64_t batch = std::max(largest.training, largest.evaluation);
  memory.batches =
      bounded(static_cast<double>((training.prefetch_batches + 1) * kFloat * batch) * values);
  // Buffer of one example, for the unit that is read and for the unit that is read ahead.
  if (!spec.data.augmentation.empty()) memory.batches += 2 * kFloat * train.features;
  const int64_t trained = std::min(
      train.examples, training.averaging_frequency * std::min(training.batch_size, train.examples));
  const bool streams = training.shuffle == ShuffleMode::kStream;
  memory.blocks = std::max(
      streams ? StreamBytes(train, trained, training.batch_size) : WindowBytes(train, trained),
      IsStateful(spec) ? StreamBytes(test, test.examples, training.evaluation.batch_size)
                       : WindowBytes(test, test.examples));
  if (const int64_t classes = spec.model.output().units;
      test.examples > 0 && classes <= limits::kMaxAnnouncedClasses) {
    memory.metrics = 2 * classes * classes * static_cast<int64_t>(sizeof(int64_t));
  }
  // At most two outputs have kMaxAnnouncedScores counts each; more have fewer in proportion.
  if (const int64_t outputs = AnnouncedFiguresOf(spec, test.examples).scores;
      test.examples > 0 && outputs > 0) {
    memory.metrics += 2 * std::min<int64_t>(outputs, 2) * limits::kMaxAnnouncedScores * 3 *
                      static_cast<int64_t>(sizeof(int64_t));
  }
  return memory;
}

}  // namespace dl::job
