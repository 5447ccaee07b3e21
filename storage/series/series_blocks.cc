#include "storage/series/series_blocks.h"

#include <algorithm>
#include <utility>

namespace dl::storage {

StatusOr<SeriesColumns> SeriesBlocks::Columns() const {
  const std::string key = series_keys::Columns(job_);
  DL_ASSIGN_OR_RETURN(const std::optional<std::string> text, store_.Get(key));
  if (!text) return SeriesColumns();
  return ParseSeriesColumns(*text, key);
}

StatusOr<FoldedSeries> SeriesBlocks::Folded() const {
  const std::string key = series_keys::Folded(job_);
  DL_ASSIGN_OR_RETURN(const std::optional<std::string> text, store_.Get(key));
  if (!text) return FoldedSeries();
  return ParseFoldedSeries(*text, key);
}

StatusOr<std::vector<float>> SeriesBlocks::Values(int32_t series, int64_t block) const {
  return ValuesOf(series_keys::Values(job_, series, block));
}

Status SeriesBlocks::AppendValues(std::vector<float>& values, int32_t series, int64_t first,
                                  int64_t last) const {
  while (first <= last) {
    const int64_t block = (first - 1) / kBlockRounds;
    const int64_t end = std::min(last + 1, (block + 1) * kBlockRounds + 1);
    DL_ASSIGN_OR_RETURN(const std::vector<float> whole, Values(series, block));
    const auto from = whole.begin() + (first - 1) % kBlockRounds;
    values.insert(values.end(), from, from + (end - first));
    first = end;
  }
  return absl::OkStatus();
}

StatusOr<std::vector<float>> SeriesBlocks::Branch(int64_t branch, int32_t series,
                                                  int64_t block) const {
  return ValuesOf(series_keys::Branch(job_, branch, series, block));
}

StatusOr<std::vector<float>> SeriesBlocks::ValuesOf(const std::string& key) const {
  DL_ASSIGN_OR_RETURN(const std::optional<std::string> packed, store_.Get(key));
  std::vector<float> values;
  if (packed) {
    DL_ASSIGN_OR_RETURN(values, UnpackValues(*packed));
    if (std::ssize(values) > kBlockRounds)
      return DataLoss({.message = "a block of values is too long", .where = key});
  }
  values.resize(kBlockRounds, kNoValue);
  return values;
}

StatusOr<std::vector<ValueSummary>> SeriesBlocks::Level(int level, int32_t series,
                                                        int64_t block) const {
  const std::string key = series_keys::Level(job_, level, series, block);
  DL_ASSIGN_OR_RETURN(const std::optional<std::string> packed, store_.Get(key));
  std::vector<ValueSummary> summaries;
  if (packed) {
    DL_ASSIGN_OR_RETURN(summaries, UnpackSummaries(*packed));
    if (std::ssize(summaries) > kBlockEntries)
      return DataLoss({.message = "a block of summaries is too long", .where = key});
  }
  summaries.resize(kBlockEntries);
  return summaries;
}

}  // namespace dl::storage
