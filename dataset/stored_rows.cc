#include "dataset/stored_rows.h"

#include <algorithm>
#include <cstring>

namespace dl::dataset {
namespace {

// The memory is divided into this many parts: one for the rows of a window, one for sorting.
constexpr int64_t kParts = 4;
constexpr size_t kMostBuffer = 1 << 20;  // largest buffer for rows of one window

}  // namespace

StatusOr<std::unique_ptr<StoredRows>> StoredRows::Create(const ExampleTable& table,
                                                         std::span<const uint64_t> order,
                                                         const Options& options) {
  std::unique_ptr<StoredRows> rows(new StoredRows(table, order));
  if (table.spilled == nullptr) return rows;
  const int64_t block = options.rows_per_block * static_cast<int64_t>(rows->row_bytes_);
  const int64_t blocks = std::max<int64_t>(1, options.memory_bytes / kParts / block);
  rows->window_rows_ = blocks * options.rows_per_block;
  DL_RETURN_IF_ERROR(rows->Sort(options.memory_bytes / kParts));
  return rows;
}

Status StoredRows::Sort(int64_t memory_bytes) {
  const size_t windows = (order_.size() + window_rows_ - 1) / window_rows_;
  std::vector<uint32_t> window_of(order_.size());
  for (size_t i = 0; i < order_.size(); ++i)
    window_of[order_[i]] = static_cast<uint32_t>(i / window_rows_);
  DL_ASSIGN_OR_RETURN(sorted_, SpillFile::Create(table_.spilled->folder(), kRowSpill));
  const size_t buffer =
      std::max(row_bytes_, std::min(kMostBuffer, memory_bytes / windows) / row_bytes_ * row_bytes_);
  std::vector<std::vector<std::byte>> waiting(windows);
  std::vector<int64_t> ends(windows);
  for (size_t w = 0; w < windows; ++w)
    ends[w] = static_cast<int64_t>(w * window_rows_ * row_bytes_);
  const auto write = [&](size_t w) -> Status {
    DL_RETURN_IF_ERROR(sorted_->WriteAt(ends[w], waiting[w]));
    ends[w] += static_cast<int64_t>(waiting[w].size());
    waiting[w].clear();
    return absl::OkStatus();
  };
  size_t row = 0;
  DL_RETURN_IF_ERROR(VisitFeatures(table_, [&](std::span<const std::byte> rows) -> Status {
    for (; !rows.empty(); rows = rows.subspan(row_bytes_)) {
      const size_t w = window_of[row++];
      if (waiting[w].capacity() == 0) waiting[w].reserve(buffer);
      waiting[w].insert(waiting[w].end(), rows.begin(), rows.begin() + row_bytes_);
      if (waiting[w].size() >= buffer) DL_RETURN_IF_ERROR(write(w));
    }
    return absl::OkStatus();
  }));
  for (size_t w = 0; w < windows; ++w) DL_RETURN_IF_ERROR(write(w));
  return absl::OkStatus();
}

Status StoredRows::Load(size_t window) {
  const size_t begin = window * window_rows_;
  const auto ids = order_.subspan(begin, std::min(window_rows_, order_.size() - begin));
  numbers_.assign(ids.begin(), ids.end());
  std::sort(numbers_.begin(), numbers_.end());
  rows_.resize(ids.size() * row_bytes_);
  DL_RETURN_IF_ERROR(sorted_->ReadAt(static_cast<int64_t>(begin * row_bytes_), rows_));
  loaded_ = window;
  return absl::OkStatus();
}

Status StoredRows::Gather(size_t begin, std::span<std::byte> out) {
  const auto ids = order_.subspan(begin, out.size() / row_bytes_);
  if (window_rows_ > 0 && loaded_ != begin / window_rows_)
    DL_RETURN_IF_ERROR(Load(begin / window_rows_));
  const std::byte* const rows = window_rows_ > 0 ? rows_.data() : table_.FeatureBytes().data();
  std::byte* to = out.data();
  for (const uint64_t id : ids) {
    const size_t at =
        window_rows_ == 0
            ? id
            : static_cast<size_t>(std::ranges::lower_bound(numbers_, id) - numbers_.begin());
    std::memcpy(to, rows + at * row_bytes_, row_bytes_);
    to += row_bytes_;
  }
  return absl::OkStatus();
}

}  // namespace dl::dataset
