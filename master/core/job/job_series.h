// The figures of a job by round, as the core records them (storage/series).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "storage/series/series_records.h"

namespace dl::master {

struct JobSeries {
  storage::SeriesColumns columns;                     // as stored
  std::map<std::string, int32_t, std::less<>> index;  // of `columns`, by name
  // Indices of the series of layers, layer by layer. Empty: not known yet, or the model has too
  // many layers.
  std::vector<int32_t> of_layers;
  Instant opened;         // when the open round or evaluation was opened
  int64_t of_rounds = 0;  // last round that this master recorded; 0: none
  uint64_t folding = 0;   // number of the FoldSeries effect in progress; 0: none
  // Stored figures are damaged. No more are recorded while this master runs.
  bool failed = false;

  void Restore(storage::SeriesColumns stored) {
    columns = std::move(stored);
    for (const storage::SeriesColumn& column : columns.columns)
      index.emplace(column.name, static_cast<int32_t>(index.size()));
  }
};

}  // namespace dl::master
