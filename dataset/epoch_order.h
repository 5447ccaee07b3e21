// The order in which an epoch visits the examples. It is a bijection from positions [0, examples)
// to (block, offset), and a pure function of (block sizes, shuffle, seed, epoch) and, for
// `partition` and `stream`, of M. For `stream` it also depends on the number of lanes. Positions
// are divided by dataset/plan.h.
//
// global     Blocks are permuted, W = kShuffleWindowBlocks neighbours form a window, and the
//            examples of a window are permuted among themselves. The order does not depend on M.
// partition  Worker m always has positions WorkerRange(m) of the stored order. The pieces of blocks
//            in that range are permuted, grouped into windows and permuted inside them as above.
//            Executors can reuse cached blocks in each epoch.
// stream     Worker m always has positions WorkerRange(m) of the stored order. It reads them as
//            parallel lanes, one for each row of its minibatches (Lanes in plan.h). The order is
//            the same in every epoch.
// none       The stored order. Evaluations use it, except those of stateful models, which use
//            `stream`.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/mutex.h"
#include "base/status.h"
#include "dataset/plan.h"

namespace dl::dataset {

enum class Shuffle : uint8_t { kNone = 1, kGlobal = 2, kPartition = 3, kStream = 4 };

struct ExampleRef {
  uint32_t block = 0;   // index in the manifest's list of blocks
  uint32_t offset = 0;  // index of the example in the block

  auto operator<=>(const ExampleRef&) const = default;
};

// The order of one window: position first + i holds examples[i].
struct WindowOrder {
  int64_t first = 0;
  std::vector<ExampleRef> examples;
  std::vector<uint32_t> blocks;  // the different blocks of the window
};

struct EpochOrderKey {
  Shuffle shuffle = Shuffle::kGlobal;
  uint64_t seed = 0;
  int64_t epoch = 0;
  int64_t workers = 1;  // M; used by `partition` and `stream`
  int64_t lanes = 1;    // b, the rows of a minibatch; used by `stream`

  bool operator==(const EpochOrderKey&) const = default;
};

// Thread-safe. Needs O(blocks + M) memory if all blocks except the last have the same number of
// examples. With `stream`, one smaller block makes all windows smaller and their number larger: up
// to examples / lanes + M windows. Also holds the few permuted windows that were used last.
class EpochOrder {
 public:
  // `block_examples[i]` is the number of examples in block i. Returns InvalidArgument if there are
  // no examples, or if a block is empty. Also returns it if the examples of a block or of all
  // blocks, `workers` or `lanes` exceed base/limits.h.
  static StatusOr<std::shared_ptr<const EpochOrder>> Create(std::span<const int64_t> block_examples,
                                                            const EpochOrderKey& key);

  int64_t examples() const { return examples_; }
  const EpochOrderKey& key() const { return key_; }

  // Returns the window that holds `position`. It is shared with the cache of recent windows.
  // REQUIRES: 0 <= position < examples().
  std::shared_ptr<const WindowOrder> WindowAt(int64_t position) const DL_EXCLUDES(mutex_);

 private:
  struct Piece {  // consecutive examples of one block
    uint32_t block = 0, first = 0, count = 0;
  };
  struct Window {
    int64_t first = 0;
    int64_t examples = 0;
    size_t piece_begin = 0, piece_end = 0;
    uint64_t number = 0;  // 1, 2, ... within the worker's range; key of its permutation
    uint64_t worker = 0;  // 0 for global, m + 1 for partition
    PositionRange range;  // range of its worker; for `stream`
  };

  explicit EpochOrder(const EpochOrderKey& key) : key_(key) {}
  void AppendWindows(std::vector<Piece> pieces, uint64_t worker);
  void AppendStream(const PositionRange& range, int64_t steps_in_window);
  std::shared_ptr<const WindowOrder> Permute(const Window& window) const;
  std::shared_ptr<const WindowOrder> SideBySide(const Window& window) const;
  ExampleRef StoredAt(int64_t example) const;

  EpochOrderKey key_;
  int64_t examples_ = 0;
  std::vector<Piece> pieces_;
  std::vector<Window> windows_;
  std::vector<int64_t> block_ends_;  // ends of blocks in the stored order; for `stream`

  mutable Mutex mutex_;
  mutable std::vector<std::shared_ptr<const WindowOrder>> recent_ DL_GUARDED_BY(mutex_);
};

}  // namespace dl::dataset
