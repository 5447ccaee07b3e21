#include "storage/series/pending_rows.h"

#include <algorithm>

#include "storage/series/value_packing.h"

namespace dl::storage {

void RoundValues::Add(const RoundRow& row) {
  DL_CHECK(row.round >= end_ || (row.is_addition && row.round == end_ - 1));
  for (const RoundRow::Value& value : row.values) {
    std::vector<float>& values = series_[value.series];
    values.resize(static_cast<size_t>(row.round - first_ + 1), kNoValue);
    values.back() = value.value;
  }
  end_ = row.round + 1;
}

RoundValues RoundValues::Split(int64_t round) {
  DL_CHECK(round >= first_ && round <= end_);
  RoundValues removed(round);
  removed.end_ = end_;
  const auto kept = static_cast<size_t>(round - first_);
  for (auto& [series, values] : series_) {
    if (values.size() <= kept) continue;
    const auto from = values.begin() + static_cast<ptrdiff_t>(kept);
    removed.series_.emplace(series, std::vector<float>(from, values.end()));
    values.resize(kept);
  }
  end_ = round;
  return removed;
}

void RoundValues::AppendTo(std::vector<float>& values, int32_t series) const {
  const size_t size = values.size() + static_cast<size_t>(end_ - first_);
  if (const auto found = series_.find(series); found != series_.end())
    values.insert(values.end(), found->second.begin(), found->second.end());
  values.resize(size, kNoValue);
}

namespace {

class RowCollector {
 public:
  explicit RowCollector(const FoldedSeries& folded)
      : pending_{.kept = folded.rounds, .rows = RoundValues(folded.rounds + 1)},
        rollbacks_(folded.rollbacks) {}

  // Adds the next row. Returns false if no more rows can be added.
  bool Add(std::string_view key, const RoundRow& row) {
    if (std::ssize(pending_.keys) == kMaxPendingRows) return false;
    if (row.is_addition) {
      // Without its round, an addition has no place. The round was lost with other records.
      if (row.round == pending_.rows.end() - 1 && !pending_.rows.empty()) pending_.rows.Add(row);
      pending_.keys.emplace_back(key);
      return true;
    }
    if (row.round < pending_.rows.end()) RollBack(row.round);
    if (row.round - pending_.rows.end() > kMaxPendingRows) {
      // The rounds between have no rows: an earlier build computed them, or records were lost.
      if (!pending_.rows.empty()) {
        pending_.last_keys = pending_.keys.size();
        pending_.before_hole = true;
        return false;
      }
      pending_.kept = row.round - 1;
      pending_.rows = RoundValues(row.round);
    }
    pending_.rows.Add(row);
    pending_.last_keys = pending_.keys.size();
    pending_.keys.emplace_back(key);
    return true;
  }

  PendingRows Take() && { return std::move(pending_); }

 private:
  // `round` and later rounds no longer count.
  void RollBack(int64_t round) {
    PendingRows::Branch removed{
        .branch = {.number = ++rollbacks_, .first = round, .last = pending_.rows.end() - 1},
        .rows = pending_.rows.Split(std::max(round, pending_.rows.first()))};
    pending_.branches.push_back(std::move(removed));
    if (round > pending_.kept) return;
    pending_.kept = round - 1;
    pending_.rows = RoundValues(round);
  }

  PendingRows pending_;
  int64_t rollbacks_;
};

void LeaveOut(RoundRow& row, const std::vector<bool>& kept) {
  std::erase_if(row.values, [&](const RoundRow::Value& value) {
    const auto series = static_cast<size_t>(value.series);
    return series >= kept.size() || !kept[series];
  });
}

}  // namespace

StatusOr<PendingRows> ReadPendingRows(MetaStore& store, const std::string& job,
                                      const FoldedSeries& folded, const std::vector<bool>* kept) {
  RowCollector collector(folded);
  const Status full = Cancelled({.message = "enough rows"});
  const Status read = store.Scan(series_keys::RowPrefix(job),
                                 [&](std::string_view key, std::string_view value) -> Status {
                                   DL_ASSIGN_OR_RETURN(RoundRow row, DecodeRow(value));
                                   if (kept != nullptr) LeaveOut(row, *kept);
                                   return collector.Add(key, row) ? absl::OkStatus() : full;
                                 });
  if (!read.ok() && read != full) return read;
  return std::move(collector).Take();
}

}  // namespace dl::storage
