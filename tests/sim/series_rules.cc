#include "tests/sim/series_rules.h"

#include "absl/strings/str_cat.h"
#include "master/log_reading.h"
#include "storage/series/series_reader.h"

namespace dl::sim {

void CheckSeries(const Audit& audit, const std::string& job) {
  const auto log = master::LoadWholeLog(*audit.meta, job);
  const auto reader = storage::SeriesReader::Open(*audit.meta, job);
  if (!log.ok() || log->records.empty()) return;  // deleted
  if (!reader.ok()) return audit.breach(DescribeError(reader.status()));
  int64_t rollbacks = 0, rounds = 0;
  bool rolled_back = false;
  for (const master::LogRecord& record : log->records) {
    if (record.type == master::RecordType::kRollback) rolled_back = true;
    if (record.type != master::RecordType::kCommit) continue;
    if (record.round <= rounds) ++rollbacks;
    rounds = record.round;
    rolled_back = false;
  }
  if (rounds == 0 || rolled_back) return;  // the next row will show the rollback
  if (reader->rounds() != rounds || std::ssize(reader->branches()) != rollbacks) {
    return audit.breach(absl::StrCat("the series of ", job, " have ", reader->rounds(),
                                     " rounds and ", reader->branches().size(),
                                     " branches, but its log ", rounds, " and ", rollbacks));
  }
  const auto loss = reader->columns().Find("train/loss");
  if (!loss) return audit.breach(absl::StrCat(job, " has no series of losses"));
  const auto curve = reader->Read(*loss, 1, rounds, rounds + 2);
  if (!curve.ok()) return audit.breach(DescribeError(curve.status()));
  for (size_t i = 0; i < curve->entries.size(); ++i) {
    if (curve->entries[i].count != 1)
      return audit.breach(absl::StrCat("round ", i + 1, " of ", job, " has no loss"));
  }
}

}  // namespace dl::sim
