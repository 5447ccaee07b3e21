// Queries a master about the figures of a job by round.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "rpc/messages.h"
#include "rpc/service.h"

namespace dl::cli {

// Rounds as users write them: "FIRST-LAST", "FIRST-" or one number.
struct RoundRange {
  int64_t first = 1;
  int64_t last = 0;  // 0: the last round
};
// Returns nullopt for other text.
std::optional<RoundRange> ParseRoundRange(const std::string& text);

// A curve of the answer. Each entry stands for `step` rounds: entry i for the rounds from
// first + i step on. Missing values are nullopt.
struct SeriesCurve {
  std::string name;
  int64_t first = 1, step = 1;
  std::vector<std::optional<double>> mean;
  std::vector<std::optional<double>> min, max;  // empty if step is 1
};

struct SeriesReply {
  Json json;  // the whole answer
  int64_t rounds = 0;
  std::vector<std::string> names;  // all series of the job
  std::vector<SeriesCurve> curves;
};

// Returns the curves of the series that `request` names; none if it names none that exists. Returns
// InvalidArgument if the answer is no such document, and errors of the master.
StatusOr<SeriesReply> FindSeries(rpc::ClientService& client, const rpc::QueryRequest& request);
// Returns the same, but NotFound, with the names of all series, if there is no curve.
StatusOr<SeriesReply> QuerySeries(rpc::ClientService& client, const rpc::QueryRequest& request);

}  // namespace dl::cli
