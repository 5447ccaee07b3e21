#include "storage/series/row_folding.h"

#include <algorithm>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "storage/series/pending_rows.h"
#include "storage/series/series_blocks.h"
#include "storage/series/series_records.h"
#include "storage/series/value_summary.h"

namespace dl::storage {
namespace {

// The end of a row of blocks. Items are values or summaries.
template <typename Item>
struct Tail {
  int64_t first = 0;  // index of the first item; a multiple of the block size
  std::vector<Item> items;

  int64_t end() const { return first + std::ssize(items); }
  // Returns the items from index `from` on.
  std::span<const Item> From(int64_t from) const {
    return std::span(items).subspan(static_cast<size_t>(from - first));
  }
};

using KeyOfBlock = std::function<std::string(int64_t block)>;

bool Exists(float value) { return HasValue(value); }
bool Exists(const ValueSummary& summary) { return summary.count > 0; }

// Writes the tail in blocks, and deletes later blocks of a row that had `old_end` items. A block
// without values does not exist.
template <typename Item, typename Pack>
void WriteTail(const Tail<Item>& tail, int64_t block_items, int64_t old_end, const KeyOfBlock& key,
               Pack pack, MetaBatch& batch) {
  int64_t block = tail.first / block_items;
  for (; block * block_items < tail.end(); ++block) {
    const int64_t from = block * block_items;
    const auto rest = tail.From(from);
    const auto items = rest.first(std::min(rest.size(), static_cast<size_t>(block_items)));
    if (std::ranges::any_of(items, [](const Item& item) { return Exists(item); }))
      batch.Put(key(block), pack(items));
    else
      batch.Delete(key(block));
  }
  for (; block * block_items < old_end; ++block) batch.Delete(key(block));
}

class Folding {
 public:
  Folding(MetaStore& store, const std::string& job, FoldedSeries folded, PendingRows pending)
      : blocks_(store, job), job_(job), folded_(std::move(folded)), pending_(std::move(pending)) {}

  StatusOr<MetaBatch> Run(const SeriesColumns& columns) && {
    const auto series_count = static_cast<int32_t>(columns.columns.size());
    LimitBranches(series_count);
    for (int32_t series = 0; series < series_count; ++series) {
      for (const PendingRows::Branch& branch : pending_.branches)
        DL_RETURN_IF_ERROR(WriteBranch(branch, series));
      DL_RETURN_IF_ERROR(FoldSeries(series, columns.columns[static_cast<size_t>(series)].is_short));
    }
    for (std::string& key : pending_.keys) batch_.Delete(std::move(key));
    WriteFolded();
    return std::move(batch_);
  }

 private:
  void LimitBranches(int32_t series_count) {
    const int64_t rounds = kMaxBranchValues / std::max(series_count, 1);
    for (PendingRows::Branch& branch : pending_.branches)
      branch.branch.first = std::max(branch.branch.first, branch.branch.last - rounds + 1);
  }

  Status WriteBranch(const PendingRows::Branch& removed, int32_t series) {
    const auto& [number, first, last] = removed.branch;
    Tail<float> values;
    DL_RETURN_IF_ERROR(blocks_.AppendValues(values.items, series, first,
                                            std::min(last, removed.rows.first() - 1)));
    std::vector<float> rows;
    removed.rows.AppendTo(rows, series);
    const auto from =
        rows.end() - static_cast<ptrdiff_t>(std::min<int64_t>(std::ssize(rows), last - first + 1));
    values.items.insert(values.items.end(), from, rows.end());
    WriteTail(
        values, kBlockRounds, 0,
        [&](int64_t block) { return series_keys::Branch(job_, number, series, block); }, PackValues,
        batch_);
    return absl::OkStatus();
  }

  Status FoldSeries(int32_t series, bool is_short) {
    const int64_t kept = pending_.kept;
    Tail<float> values{.first = kept / kBlockRounds * kBlockRounds};
    DL_RETURN_IF_ERROR(blocks_.AppendValues(values.items, series, values.first + 1, kept));
    pending_.rows.AppendTo(values.items, series);
    WriteTail(
        values, kBlockRounds, folded_.rounds,
        [&](int64_t block) { return series_keys::Values(job_, series, block); }, PackValues,
        batch_);

    Tail<ValueSummary> level;
    DL_ASSIGN_OR_RETURN(level, MakeLevel(kFirstStoredLevel, values,
                                         RoundsOfEntry(kFirstStoredLevel), series, is_short));
    for (int i = kFirstStoredLevel + 1; i <= kLastLevel; ++i) {
      DL_ASSIGN_OR_RETURN(level, MakeLevel(i, level, 4, series, is_short));
    }
    return absl::OkStatus();
  }

  // Writes the end of a level and returns it. `parts` are the items that it summarizes, `per_entry`
  // for each entry.
  template <typename Item>
  StatusOr<Tail<ValueSummary>> MakeLevel(int level, const Tail<Item>& parts, int64_t per_entry,
                                         int32_t series, bool is_short) {
    const int64_t kept = pending_.kept / RoundsOfEntry(level);  // whole entries that count
    Tail<ValueSummary> tail{.first = kept / kBlockEntries * kBlockEntries};
    if (kept > tail.first) {
      DL_ASSIGN_OR_RETURN(tail.items, blocks_.Level(level, series, kept / kBlockEntries));
      tail.items.resize(static_cast<size_t>(kept - tail.first));
    }
    for (int64_t from = kept * per_entry; from < parts.end(); from += per_entry) {
      const auto rest = parts.From(from);
      const auto size = std::min(rest.size(), static_cast<size_t>(per_entry));
      tail.items.push_back(Summarize(rest.first(size), is_short));
    }
    const int64_t rounds = RoundsOfEntry(level);
    WriteTail(
        tail, kBlockEntries, (folded_.rounds + rounds - 1) / rounds,
        [&](int64_t block) { return series_keys::Level(job_, level, series, block); },
        PackSummaries, batch_);
    return tail;
  }

  void WriteFolded() {
    folded_.rounds = pending_.rows.end() - 1;
    for (const PendingRows::Branch& removed : pending_.branches) {
      folded_.rollbacks = removed.branch.number;
      folded_.branches.push_back(removed.branch);
    }
    while (folded_.branches.size() > kBranchesKept) {
      batch_.DeletePrefix(series_keys::BranchPrefix(job_, folded_.branches.front().number));
      folded_.branches.erase(folded_.branches.begin());
    }
    batch_.Put(series_keys::Folded(job_), RecordText(folded_));
  }

  SeriesBlocks blocks_;
  const std::string& job_;
  FoldedSeries folded_;
  PendingRows pending_;
  MetaBatch batch_;
};

}  // namespace

StatusOr<MetaBatch> FoldRows(MetaStore& store, const std::string& job) {
  SeriesBlocks blocks(store, job);
  DL_ASSIGN_OR_RETURN(FoldedSeries folded, blocks.Folded());
  DL_ASSIGN_OR_RETURN(PendingRows pending, ReadPendingRows(store, job, folded));
  if (pending.rows.empty()) return MetaBatch();
  if (!pending.before_hole) {  // the last round stays
    (void)pending.rows.Split(pending.rows.end() - 1);
    pending.keys.resize(pending.last_keys);
  }
  if (pending.keys.empty() && pending.branches.empty()) return MetaBatch();
  DL_ASSIGN_OR_RETURN(const SeriesColumns columns, blocks.Columns());
  return Folding(store, job, std::move(folded), std::move(pending)).Run(columns);
}

}  // namespace dl::storage
