// Records and keys of a job's series in the meta store (docs/formats.md, "Series").
//
// A series is one figure of a job by round, such as the loss. The core writes a row of values with
// each commit. Rows are later folded into blocks by series (storage/series/row_folding.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/document_kind.h"
#include "base/status.h"

namespace dl::storage {

// Largest number of series of a job.
inline constexpr int64_t kMaxSeries = 1536;
// Number of rounds of a block of values.
inline constexpr int64_t kBlockRounds = 1024;
// An entry of level L summarizes 4^L rounds. Level 0 has the values themselves. Levels 1 and 2 are
// not stored, but computed from the values.
inline constexpr int kFirstStoredLevel = 3;
inline constexpr int kLastLevel = 12;
// Number of entries of a block of a level.
inline constexpr int64_t kBlockEntries = 64;

// Returns 4^level, the rounds of an entry.
constexpr int64_t RoundsOfEntry(int level) { return int64_t{1} << (2 * level); }

// A series of a job.
struct SeriesColumn {
  std::string name;       // "train/loss"
  bool is_short = false;  // values are rounded as in RoundToShort

  bool operator==(const SeriesColumn&) const = default;
};

// The series of a job. Their indices are fixed, and new series are added at the end.
struct SeriesColumns {
  std::vector<SeriesColumn> columns;

  // Returns the index of a series, or nullopt.
  std::optional<int32_t> Find(std::string_view name) const;
};

// Rounds that a rollback removed, or the last of them if their values exceed kMaxBranchValues
// (storage/series/row_folding.h).
struct SeriesBranch {
  int64_t number = 0;           // number of the rollback, from 1
  int64_t first = 0, last = 0;  // rounds, inclusive

  bool operator==(const SeriesBranch&) const = default;
};

// Describes the part of a job's rows that is in blocks. Rows that are not folded yet may roll back
// rounds of the blocks.
struct FoldedSeries {
  int64_t rounds = 0;                  // the blocks have rounds 1 to `rounds`
  int64_t rollbacks = 0;               // number of rollbacks in the folded rows
  std::vector<SeriesBranch> branches;  // the newest of these rollbacks, by number
};

inline constexpr DocumentKind kSeriesColumnsDocument({.name = "series columns", .version = 1});
inline constexpr DocumentKind kFoldedSeriesDocument({.name = "folded series", .version = 1});

// Convert between records and their text, a JSON document. Parsing returns DataLoss for a damaged
// record and VersionMismatch for a record of a later version. `where` names the record in errors.
std::string RecordText(const SeriesColumns& columns);
StatusOr<SeriesColumns> ParseSeriesColumns(std::string_view text, std::string_view where);
std::string RecordText(const FoldedSeries& folded);
StatusOr<FoldedSeries> ParseFoldedSeries(std::string_view text, std::string_view where);

namespace series_keys {

std::string Prefix(const std::string& job);  // of all keys of the job's series
std::string Columns(const std::string& job);
std::string Folded(const std::string& job);
std::string RowPrefix(const std::string& job);
// `place` is the index of the round's commit in the job's log.
std::string Row(const std::string& job, int64_t place);
// Values of rounds 1024 block + 1 to 1024 (block + 1).
std::string Values(const std::string& job, int32_t series, int64_t block);
// Summaries 64 block to 64 block + 63 of a level. Summary i has rounds 4^level i + 1 to
// 4^level (i + 1).
std::string Level(const std::string& job, int level, int32_t series, int64_t block);
std::string BranchPrefix(const std::string& job, int64_t branch);
// Values of a branch, from its first round, in blocks of 1024 rounds.
std::string Branch(const std::string& job, int64_t branch, int32_t series, int64_t block);

}  // namespace series_keys
}  // namespace dl::storage
