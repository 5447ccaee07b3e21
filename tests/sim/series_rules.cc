#include "tests/sim/series_rules.h"

#include "absl/strings/str_cat.h"
#include "master/log_reading.h"
#include "storage/series/histogram_records.h"
#include "storage/series/series_reader.h"
#include "tests/sim/sim_job.h"

namespace dl::sim {

namespace {

// The shares of a round's units are not negative, and together not longer than all of the units.
// Stored values have about three digits.
Status CheckTimes(const storage::SeriesReader& reader) {
  constexpr float kRounding = 1 + 0x1p-6F;
  std::vector<std::vector<storage::ValueSummary>> times;
  for (const char* name : {"total", "computing", "data_wait", "state_wait", "sending"}) {
    const auto series = reader.columns().Find(absl::StrCat("unit_seconds/", name));
    if (!series) return NotFound({.message = absl::StrCat("no round has the time ", name)});
    DL_ASSIGN_OR_RETURN(storage::Curve curve,
                        reader.Read(*series, 1, reader.rounds(), reader.rounds() + 2));
    times.push_back(std::move(curve.entries));
  }
  for (size_t i = 0; i < times[0].size(); ++i) {
    float shares = 0;
    for (const size_t share : {1, 2, 3, 4}) {
      const float time = times[share][i].mean;
      if (!(time >= 0)) return Internal({.message = absl::StrCat("a time of ", time, " s")});
      if (share < 4) shares += time;
    }
    if (shares > times[0][i].mean * kRounding) {
      return Internal({.message = absl::StrCat("units took ", times[0][i].mean,
                                               " s, but their shares took ", shares, " s")});
    }
  }
  return absl::OkStatus();
}

struct CommittedRounds {
  int64_t last = 0;  // the last one that counts
  int64_t most = 0;  // the last one of all, also if it was rolled back
};

// Every round that counts, is due and was never too old has histograms of all parameters.
// Histograms of activations are possible, whatever executors announce.
Status CheckHistograms(storage::MetaStore& meta, const std::string& id, const SimJob& job,
                       const CommittedRounds& rounds) {
  const storage::StoredHistograms stored(meta, id);
  DL_ASSIGN_OR_RETURN(const storage::HistogramRounds recorded, stored.Rounds());
  if (recorded.every != job.histograms_every)
    return Internal({.message = absl::StrCat("every ", recorded.every, " rounds")});
  for (const int64_t round : storage::KeptRounds({.every = recorded.every, .last = rounds.most},
                                                 /*first=*/1, rounds.last)) {
    for (const char* kind : {"parameters", "changes"}) {
      DL_ASSIGN_OR_RETURN(const auto layers, stored.Read(round, kind));
      int64_t values = 0;
      for (const LayerHistogram& layer : layers) values += ValuesOf(layer.values);
      if (values != 7) return Internal({.message = absl::StrCat(values, " ", kind, " in ", round)});
    }
    DL_ASSIGN_OR_RETURN(const auto layers, stored.Read(round, "activations"));
    for (const LayerHistogram& layer : layers) {
      const int64_t most = job.plan.batch_size * (layer.layer == "w" ? 4 : 3);
      if ((layer.layer != "w" && layer.layer != "b") || ValuesOf(layer.values) > most)
        return Internal({.message = absl::StrCat("activations of ", layer.layer)});
    }
  }
  return absl::OkStatus();
}

}  // namespace

void CheckSeries(const Audit& audit, const std::string& job) {
  const auto log = master::LoadWholeLog(*audit.meta, job);
  const auto reader = storage::SeriesReader::Open(*audit.meta, job);
  if (!log.ok() || log->records.empty()) return;  // deleted
  if (!reader.ok()) return audit.breach(DescribeError(reader.status()));
  int64_t rollbacks = 0, rounds = 0, most = 0;
  bool rolled_back = false;
  for (const master::LogRecord& record : log->records) {
    if (record.type == master::RecordType::kRollback) rolled_back = true;
    if (record.type != master::RecordType::kCommit) continue;
    if (record.round <= rounds) ++rollbacks;
    rounds = record.round;
    most = std::max(most, rounds);
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
  const auto spec = audit.specs->find(job);
  if (spec != audit.specs->end()) {
    const Status histograms = CheckHistograms(*audit.meta, job, JobFromSpec(spec->second),
                                              {.last = rounds, .most = most});
    if (!histograms.ok()) {
      audit.breach(absl::StrCat("histograms of ", job, " are wrong: ", DescribeError(histograms)));
    }
  }
  if (const Status times = CheckTimes(*reader); !times.ok()) {
    audit.breach(
        absl::StrCat("times of units of ", job, " are not possible: ", DescribeError(times)));
  }
}

}  // namespace dl::sim
