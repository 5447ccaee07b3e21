#include "cli/output/histogram_text.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/json.h"
#include "cli/output/table.h"

namespace dl::cli {
namespace {

std::string ShareName(double share) { return absl::StrFormat("%g%%", 100 * share); }

}  // namespace

std::string HistogramText(const HistogramReply& reply) {
  std::vector<std::vector<std::string>> rows = {{"name", "round"}};
  // The outermost quantiles are only bounds of buckets, and the columns must fit into a terminal.
  const auto is_shown = [&](size_t i) { return reply.shares[i] > 0 && reply.shares[i] < 1; };
  for (size_t i = 0; i < reply.shares.size(); ++i) {
    if (is_shown(i)) rows.front().push_back(ShareName(reply.shares[i]));
  }
  for (const RecordedHistogram& histogram : reply.histograms) {
    std::vector<std::string> row = {histogram.name, absl::StrCat(histogram.round)};
    for (size_t i = 0; i < histogram.quantiles.size(); ++i) {
      if (is_shown(i)) row.push_back(absl::StrFormat("%.3g", histogram.quantiles[i]));
    }
    rows.push_back(std::move(row));
  }
  return absl::StrCat("Share of the values below each number:\n", RenderTable(std::move(rows)));
}

std::string HistogramCsv(const HistogramReply& reply) {
  std::string text = "name,round,values";
  for (const double share : reply.shares) absl::StrAppend(&text, ",", ShareName(share));
  text += '\n';
  for (const RecordedHistogram& histogram : reply.histograms) {
    absl::StrAppend(&text, histogram.name, ",", histogram.round, ",", histogram.values);
    for (const double quantile : histogram.quantiles)
      absl::StrAppend(&text, ",", JsonText(Json(quantile)));
    text += '\n';
  }
  return text;
}

Json HistogramJson(const std::string& job, const HistogramReply& reply) {
  Json histograms = Json::array();
  for (const RecordedHistogram& histogram : reply.histograms) {
    Json buckets = Json::array();
    for (const HistogramBucket& bucket : histogram.buckets)
      buckets.push_back({bucket.low, bucket.high, bucket.count});
    histograms.push_back({{"name", histogram.name},
                          {"round", histogram.round},
                          {"values", histogram.values},
                          {"quantiles", histogram.quantiles},
                          {"buckets", std::move(buckets)}});
  }
  return {{"job", job},
          {"every_rounds", reply.every_rounds},
          {"shares", reply.shares},
          {"histograms", std::move(histograms)}};
}

}  // namespace dl::cli
