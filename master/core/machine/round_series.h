// Records the figures of each committed round and evaluation (docs/formats.md, "Series"). No result
// depends on them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "master/core/machine/machine_component.h"
#include "storage/series/round_row.h"

namespace dl::master {

class RoundSeries : public Component {
 public:
  using Component::Component;

  // The figures that only the closing of a round knows.
  struct ClosedRound {
    const LogRecord& commit;
    int64_t examples = 0;  // trained in the round
    const nn::MetricSums& metrics;
    const RoundMerged& merged;
  };
  // Persists a row of the round's figures. Requests to fold rows at rounds that are multiples of
  // 1,024, after a rollback, and at the first round since the job was submitted or read from the
  // store. Also persists the histograms of layers if the job records them in this round. Does
  // nothing without CoreOptions::records_history, or if stored figures are damaged
  // (JobSeries::failed).
  void RecordRound(Job& job, const ClosedRound& round);
  // Persists a row of the evaluation's figures, in addition to the row of its round.
  void RecordEvaluation(Job& job, const LogRecord& evaluation,
                        const std::map<std::string, double>& figures);
  // Persists the folded rows, unless the job was deleted meanwhile. If folding failed, warns, and
  // records no more figures of the job. After a shortage of files or memory, it is requested again
  // with later rounds.
  void On(const SeriesFolded& event);

 private:
  // Collects the values of a row.
  class Row;

  static void AddUnitTimes(const Job& job, Row& row);
  static void AddClasses(const Job& job, const nn::MetricSums& test, Row& row);
  void AddLayers(Job& job, const RoundMerged& merged, Row& row);
  void RecordHistograms(const Job& job, const RoundMerged& merged);
  // Persists the row under the index of its record in the round log.
  void Persist(Job& job, int64_t place, storage::RoundRow row, Row values);
  void RequestFold(Job& job);

  uint64_t next_ = 1;
};

}  // namespace dl::master
