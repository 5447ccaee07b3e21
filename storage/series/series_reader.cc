#include "storage/series/series_reader.h"

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "storage/series/row_folding.h"

namespace dl::storage {
namespace {

// A store with changes that are not written. It reads single keys, and scans for keys that the
// changes do not write.
class ChangedStore final : public MetaStore {
 public:
  ChangedStore(MetaStore& store, const MetaBatch& batch) : store_(store) {
    for (const MetaBatch::Change& change : batch.changes()) {
      if (!change.prefix) changes_[change.key] = change.value;
    }
  }

  StatusOr<std::optional<std::string>> Get(std::string_view key) override {
    const auto found = changes_.find(key);
    return found != changes_.end() ? found->second : store_.Get(key);
  }

  Status Write(const MetaBatch&) override { return ReadOnly(); }
  Status Scan(std::string_view prefix, const Visitor& visit) override {
    return store_.Scan(prefix, [&](std::string_view key, std::string_view value) {
      return changes_.contains(key) ? absl::OkStatus() : visit(key, value);
    });
  }
  Status Reclaim(std::string_view) override { return ReadOnly(); }
  uint64_t index() const override { return store_.index(); }

 private:
  static Status ReadOnly() { return Internal({.message = "the changed store can only be read"}); }

  MetaStore& store_;
  std::map<std::string, std::optional<std::string>, std::less<>> changes_;
};

// Summarizes values in entries of `per_entry`.
std::vector<ValueSummary> EntriesOf(std::span<const float> values, int64_t per_entry,
                                    bool is_short) {
  std::vector<ValueSummary> entries;
  for (size_t from = 0; from < values.size(); from += static_cast<size_t>(per_entry)) {
    const size_t size = std::min(values.size() - from, static_cast<size_t>(per_entry));
    entries.push_back(Summarize(values.subspan(from, size), is_short));
  }
  return entries;
}

// Returns the lowest level at which rounds `first` to `last` have at most `max_entries` entries.
int LevelFor(int64_t first, int64_t last, int64_t max_entries) {
  int level = 0;
  while (level < kLastLevel &&
         (last - 1) / RoundsOfEntry(level) - (first - 1) / RoundsOfEntry(level) + 1 > max_entries)
    ++level;
  return level;
}

}  // namespace

StatusOr<SeriesReader> SeriesReader::Open(MetaStore& store, const std::string& job,
                                          const Wanted& wanted) {
  const SeriesBlocks stored(store, job);
  DL_ASSIGN_OR_RETURN(SeriesColumns columns, stored.Columns());
  std::vector<bool> kept;
  for (const SeriesColumn& column : columns.columns) kept.push_back(wanted(column));
  DL_ASSIGN_OR_RETURN(FoldedSeries folded, stored.Folded());
  const int64_t folded_before = folded.rounds, rollbacks_before = folded.rollbacks;
  DL_ASSIGN_OR_RETURN(PendingRows pending, ReadPendingRows(store, job, folded, &kept));
  std::shared_ptr<MetaStore> changed;
  if (!pending.branches.empty()) {
    DL_ASSIGN_OR_RETURN(const MetaBatch batch, FoldRows(store, job));
    changed = std::make_shared<ChangedStore>(store, batch);
    DL_ASSIGN_OR_RETURN(folded, SeriesBlocks(*changed, job).Folded());
    DL_ASSIGN_OR_RETURN(pending, ReadPendingRows(*changed, job, folded, &kept));
  }
  SeriesReader reader(std::move(changed), store, job);
  reader.folded_before_ = {folded_before, rollbacks_before};
  reader.columns_ = std::move(columns);
  reader.folded_ = std::move(folded);
  reader.rows_ = std::move(pending.rows);
  return reader;
}

StatusOr<bool> SeriesReader::IsCurrent() const {
  DL_ASSIGN_OR_RETURN(const FoldedSeries now, stored_.Folded());
  return std::pair(now.rounds, now.rollbacks) == folded_before_;
}

Status SeriesReader::AppendValues(std::vector<float>& values, int32_t series, int64_t first,
                                  int64_t last) const {
  DL_RETURN_IF_ERROR(
      blocks_.AppendValues(values, series, first, std::min(last, rows_.first() - 1)));
  first = std::max(first, rows_.first());
  if (first > last) return absl::OkStatus();
  std::vector<float> rows;
  rows_.AppendTo(rows, series);
  const auto from = rows.begin() + (first - rows_.first());
  values.insert(values.end(), from, from + (last - first + 1));
  return absl::OkStatus();
}

StatusOr<std::vector<ValueSummary>> SeriesReader::StoredEntries(int level, int32_t series,
                                                                int64_t first, int64_t end) const {
  std::vector<ValueSummary> entries;
  while (first < end) {
    const int64_t block = first / kBlockEntries;
    const int64_t stop = std::min(end, (block + 1) * kBlockEntries);
    DL_ASSIGN_OR_RETURN(const std::vector<ValueSummary> whole, blocks_.Level(level, series, block));
    const auto from = whole.begin() + first % kBlockEntries;
    entries.insert(entries.end(), from, from + (stop - first));
    first = stop;
  }
  return entries;
}

StatusOr<Curve> SeriesReader::Read(int32_t series, int64_t first, int64_t last,
                                   int64_t max_entries) const {
  DL_CHECK(max_entries >= 2 && series >= 0 && series < std::ssize(columns_.columns));
  first = std::max<int64_t>(first, 1);
  last = std::min(last, rounds());
  if (first > last) return Curve{.first = first};
  Curve curve{.level = LevelFor(first, last, max_entries)};
  const bool is_short = columns_.columns[static_cast<size_t>(series)].is_short;
  const int64_t rounds = RoundsOfEntry(curve.level);
  const int64_t entry = (first - 1) / rounds, end = (last - 1) / rounds + 1;
  curve.first = entry * rounds + 1;
  const int64_t last_round = std::min(end * rounds, this->rounds());
  std::vector<float> values;
  if (curve.level < kFirstStoredLevel) {
    DL_RETURN_IF_ERROR(AppendValues(values, series, curve.first, last_round));
    curve.entries = EntriesOf(values, rounds, is_short);
    return curve;
  }
  const int64_t folded = rows_.first() - 1;
  const int64_t stored_end = std::min(end, (folded + rounds - 1) / rounds);
  DL_ASSIGN_OR_RETURN(curve.entries, StoredEntries(curve.level, series, entry, stored_end));
  if (last_round <= folded) return curve;
  // Rows continue the last stored entry, then make entries of their own.
  const int64_t from = std::max(folded + 1, curve.first);
  DL_RETURN_IF_ERROR(AppendValues(values, series, from, last_round));
  std::span<const float> rest = values;
  const auto continued = std::min(std::ssize(values), (rounds - (from - 1) % rounds) % rounds);
  if (continued > 0) {
    const auto size = static_cast<size_t>(continued);
    const ValueSummary added = Summarize(rest.first(size), is_short);
    if (curve.entries.empty())
      curve.entries.push_back(added);
    else
      curve.entries.back() = Summarize(std::vector{curve.entries.back(), added}, is_short);
    rest = rest.subspan(size);
  }
  const std::vector<ValueSummary> more = EntriesOf(rest, rounds, is_short);
  curve.entries.insert(curve.entries.end(), more.begin(), more.end());
  return curve;
}

StatusOr<Curve> SeriesReader::ReadBranch(const SeriesBranch& branch, int32_t series,
                                         int64_t max_entries) const {
  const int64_t count = branch.last - branch.first + 1;
  Curve curve{.level = LevelFor(1, count, max_entries), .first = branch.first};
  std::vector<float> values;
  for (int64_t block = 0; block * kBlockRounds < count; ++block) {
    DL_ASSIGN_OR_RETURN(const std::vector<float> whole,
                        blocks_.Branch(branch.number, series, block));
    const int64_t size = std::min(kBlockRounds, count - block * kBlockRounds);
    values.insert(values.end(), whole.begin(), whole.begin() + size);
  }
  curve.entries = EntriesOf(values, RoundsOfEntry(curve.level),
                            columns_.columns[static_cast<size_t>(series)].is_short);
  return curve;
}

}  // namespace dl::storage
