#include "dataset/epoch_order.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/limits.h"
#include "base/philox.h"

namespace dl::dataset {
namespace {

// The slots of an executor work on neighbouring windows of one epoch. More windows would only use
// memory.
constexpr size_t kRecentWindows = 4;

// Fisher and Yates shuffle, as in Durstenfeld, "Algorithm 235", 1964.
template <typename T>
void Permute(std::vector<T>& items, RandomStream stream) {
  for (size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[stream.Bounded(i)]);
}

// Returns the number of examples by which each lane advances in a window. It is at most an eighth
// of the smallest block, apart from the last block, which may be small. A lane therefore touches at
// most two blocks in a window, and most lanes touch one.
int64_t StepsInWindow(std::span<const int64_t> block_examples) {
  constexpr int64_t kWindowsInBlock = 8;
  const auto but_last = block_examples.first(std::max<size_t>(1, block_examples.size() - 1));
  return std::max<int64_t>(1, *std::ranges::min_element(but_last) / kWindowsInBlock);
}

RandomStream EpochStream(const EpochOrderKey& key, uint64_t window, uint64_t worker) {
  return RandomStream({.seed = key.seed,
                       .purpose = RandomPurpose::kEpochShuffle,
                       .a = static_cast<uint64_t>(key.epoch),
                       .b = window,
                       .c = worker});
}

}  // namespace

StatusOr<std::shared_ptr<const EpochOrder>> EpochOrder::Create(
    std::span<const int64_t> block_examples, const EpochOrderKey& key) {
  int64_t total = 0;
  for (int64_t count : block_examples) {
    if (count < 1 || count > limits::kMaxBlockBytes || total + count > limits::kMaxExamples) {
      return InvalidArgument({.message = absl::StrCat("a block of ", count, " examples after ",
                                                      total, " examples exceeds the limits")});
    }
    total += count;
  }
  if (total == 0) return InvalidArgument({.message = "the dataset has no examples"});
  if (key.workers < 1 || key.workers > limits::kMaxWorkers) {
    return InvalidArgument(
        {.message = absl::StrCat("workers is ", key.workers, ", but must be from 1 to ",
                                 limits::kMaxWorkers)});
  }

  if (key.lanes < 1 || key.lanes > limits::kMaxBatchSize) {
    return InvalidArgument(
        {.message = absl::StrCat("lanes is ", key.lanes, ", but must be from 1 to ",
                                 limits::kMaxBatchSize)});
  }

  auto order = std::shared_ptr<EpochOrder>(new EpochOrder(key));
  const PlanInput plan = {.examples = total, .workers = key.workers};
  if (key.shuffle == Shuffle::kStream) {
    for (int64_t count : block_examples)
      order->block_ends_.push_back(count +
                                   (order->block_ends_.empty() ? 0 : order->block_ends_.back()));
    for (int64_t worker = 0; worker < key.workers; ++worker)
      order->AppendStream(WorkerRange(plan, worker), StepsInWindow(block_examples));
    return order;
  }
  if (key.shuffle != Shuffle::kPartition) {
    std::vector<Piece> pieces;
    pieces.reserve(block_examples.size());
    for (size_t i = 0; i < block_examples.size(); ++i) {
      pieces.push_back(
          {.block = static_cast<uint32_t>(i), .count = static_cast<uint32_t>(block_examples[i])});
    }
    order->AppendWindows(std::move(pieces), 0);
    return order;
  }

  size_t block = 0;
  int64_t used = 0;  // examples of `block` that belong to earlier workers
  for (int64_t worker = 0; worker < key.workers; ++worker) {
    int64_t left = WorkerRange(plan, worker).examples;
    std::vector<Piece> pieces;
    while (left > 0) {
      const int64_t count = std::min(left, block_examples[block] - used);
      pieces.push_back({.block = static_cast<uint32_t>(block),
                        .first = static_cast<uint32_t>(used),
                        .count = static_cast<uint32_t>(count)});
      left -= count;
      used += count;
      if (used == block_examples[block]) {
        ++block;
        used = 0;
      }
    }
    order->AppendWindows(std::move(pieces), static_cast<uint64_t>(worker) + 1);
  }
  return order;
}

void EpochOrder::AppendWindows(std::vector<Piece> pieces, uint64_t worker) {
  if (key_.shuffle != Shuffle::kNone) dataset::Permute(pieces, EpochStream(key_, 0, worker));
  constexpr size_t kWindow = limits::kShuffleWindowBlocks;
  for (size_t begin = 0; begin < pieces.size(); begin += kWindow) {
    Window window = {.first = examples_,
                     .piece_begin = pieces_.size(),
                     .number = begin / kWindow + 1,
                     .worker = worker};
    for (size_t i = begin; i < std::min(begin + kWindow, pieces.size()); ++i) {
      window.examples += pieces[i].count;
      pieces_.push_back(pieces[i]);
    }
    window.piece_end = pieces_.size();
    examples_ += window.examples;
    windows_.push_back(window);
  }
}

std::shared_ptr<const WindowOrder> EpochOrder::Permute(const Window& window) const {
  auto out = std::make_shared<WindowOrder>();
  out->first = window.first;
  out->examples.reserve(window.examples);
  for (size_t i = window.piece_begin; i < window.piece_end; ++i) {
    const Piece& piece = pieces_[i];
    out->blocks.push_back(piece.block);
    for (uint32_t k = 0; k < piece.count; ++k) {
      out->examples.push_back({.block = piece.block, .offset = piece.first + k});
    }
  }
  if (key_.shuffle != Shuffle::kNone) {
    dataset::Permute(out->examples, EpochStream(key_, window.number, window.worker));
  }
  return out;
}

void EpochOrder::AppendStream(const PositionRange& range, int64_t steps_in_window) {
  const int64_t most = steps_in_window * key_.lanes;
  for (int64_t done = 0; done < range.examples; done += most) {
    windows_.push_back({.first = range.first + done,
                        .examples = std::min(most, range.examples - done),
                        .range = range});
  }
  examples_ += range.examples;
}

ExampleRef EpochOrder::StoredAt(int64_t example) const {
  const auto end = std::ranges::upper_bound(block_ends_, example);
  const int64_t begin = end == block_ends_.begin() ? 0 : *std::prev(end);
  return {.block = static_cast<uint32_t>(end - block_ends_.begin()),
          .offset = static_cast<uint32_t>(example - begin)};
}

std::shared_ptr<const WindowOrder> EpochOrder::SideBySide(const Window& window) const {
  auto out = std::make_shared<WindowOrder>();
  out->first = window.first;
  out->examples.reserve(window.examples);
  const Lanes lanes{.range = window.range, .lanes = key_.lanes};
  for (int64_t i = 0; i < window.examples; ++i) {
    out->examples.push_back(StoredAt(lanes.ExampleAt(window.first + i)));
    out->blocks.push_back(out->examples.back().block);
  }
  std::ranges::sort(out->blocks);
  out->blocks.erase(std::unique(out->blocks.begin(), out->blocks.end()), out->blocks.end());
  return out;
}

std::shared_ptr<const WindowOrder> EpochOrder::WindowAt(int64_t position) const {
  DL_CHECK(position >= 0 && position < examples_);
  const auto after =
      std::upper_bound(windows_.begin(), windows_.end(), position,
                       [](int64_t p, const Window& window) { return p < window.first; });
  const Window& window = *std::prev(after);
  {
    MutexLock lock(mutex_);
    for (size_t i = 0; i < recent_.size(); ++i) {
      if (recent_[i]->first != window.first) continue;
      std::rotate(recent_.begin(), recent_.begin() + i, recent_.begin() + i + 1);
      return recent_.front();
    }
  }
  // The lock is not held here. Two threads may permute the same window, with the same result.
  auto order = key_.shuffle == Shuffle::kStream ? SideBySide(window) : Permute(window);
  MutexLock lock(mutex_);
  recent_.insert(recent_.begin(), order);
  if (recent_.size() > kRecentWindows) recent_.pop_back();
  return order;
}

}  // namespace dl::dataset
