// Queries a master about the series of a job: figures by round, such as the loss.
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

// A range of rounds, both ends included.
struct RoundRange {
  int64_t first = 1;
  int64_t last = 0;  // 0: the last round
};
// Parses a range as users write it: "FIRST-LAST", "FIRST-", or a single round. Returns nullopt for
// other text, for a round below 1 and for LAST below FIRST.
std::optional<RoundRange> ParseRoundRange(const std::string& text);

// A curve of the answer. Entry i summarizes `step` rounds, from round first + i * step. An entry is
// nullopt if its rounds have no value.
struct SeriesCurve {
  std::string name;
  int64_t first = 1, step = 1;
  std::vector<std::optional<double>> mean;      // the values themselves if step is 1
  std::vector<std::optional<double>> min, max;  // empty if step is 1
};

struct SeriesReply {
  Json json;                       // the whole answer
  int64_t rounds = 0;              // last round of the job that was committed and not rolled back
  std::vector<std::string> names;  // all series of the job
  std::vector<SeriesCurve> curves;
};

// Returns the curves of all series that match the patterns in `request`. The reply has no curve if
// no series matches. Returns InvalidArgument if the master's answer is not an answer to a query for
// series, and errors of the master. REQUIRES: request.what is kSeries.
StatusOr<SeriesReply> FindSeries(rpc::ClientService& client, const rpc::QueryRequest& request);
// Calls FindSeries. Returns NotFound, with the names of all series, if the reply has no curve.
StatusOr<SeriesReply> QuerySeries(rpc::ClientService& client, const rpc::QueryRequest& request);

}  // namespace dl::cli
