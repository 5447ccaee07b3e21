// Sums of metrics as executors announce them. The merged sums are written and read again.
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "base/json.h"
#include "nn/metrics/metric_sums.h"
#include "tests/fuzz/fuzz_target.h"

namespace dl::fuzz {
namespace {

void RequireReadBack(const nn::MetricSums& sums) {
  const std::string text = JsonText(sums.ToJson());
  const auto json = ParseJson(text, "metrics");
  Require(json.ok(), "what was written is JSON: " + text);
  const auto again = nn::MetricSums::FromJson(*json, "metrics");
  Require(again.ok(), "sums that were written are read: " + again.status().ToString() + text);
  Require(*again == sums, "sums that were read again are the same: " + text);
}

}  // namespace

// Each line is a document.
bool FuzzMetrics(std::string_view bytes) {
  nn::MetricSums all;
  bool accepted = false;
  for (const std::string& line :
       std::vector<std::string>(absl::StrSplit(std::string(bytes), '\n'))) {
    const auto json = ParseJson(line, "metrics");
    if (!json.ok()) continue;
    const auto sums = nn::MetricSums::FromJson(*json, "metrics");
    if (!sums.ok()) {
      Require(!sums.status().message().empty(), "an error says what");
      continue;
    }
    accepted = true;
    RequireReadBack(*sums);
    const nn::MetricSums before = all;
    if (!all.Merge(*sums).ok()) Require(all == before, "a merge that fails changes nothing");
    RequireReadBack(all);
  }
  return accepted;
}

}  // namespace dl::fuzz
