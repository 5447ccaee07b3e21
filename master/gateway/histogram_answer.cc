#include "master/gateway/histogram_answer.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "master/core/record_keys.h"
#include "master/gateway/name_patterns.h"
#include "master/gateway/short_number.h"
#include "storage/series/histogram_records.h"
#include "storage/series/series_reader.h"

namespace dl::master {
namespace {

// Shares of the values below each quantile of an answer.
constexpr std::array kShares = {0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0};

enum class Buckets { kLeftOut, kIncluded };

Json QuantilesJson(const ValueHistogram& values) {
  Json quantiles = Json::array();
  for (const double share : kShares)
    quantiles.push_back(ShortNumberJson(static_cast<float>(QuantileOf(values, share))));
  return quantiles;
}

Json BucketsJson(const ValueHistogram& values) {
  Json buckets = Json::array();
  for (const ValueHistogram::Bucket& bucket : values.buckets)
    buckets.push_back({LowerEdge(bucket.index), UpperEdge(bucket.index), bucket.count});
  return buckets;
}

// The histograms of a page: columns over the rounds, by name.
class HistogramPage {
 public:
  explicit HistogramPage(Buckets buckets) : with_buckets_(buckets == Buckets::kIncluded) {}

  void Add(int64_t round, const std::string& name, const ValueHistogram& values) {
    if (values.buckets.empty()) return;  // no value was finite
    const auto [place, is_new] = places_.emplace(name, columns_.size());
    if (is_new) {
      columns_.push_back({{"name", name},
                          {"rounds", Json::array()},
                          {"values", Json::array()},
                          {"quantiles", Json::array()}});
      if (with_buckets_) columns_.back()["buckets"] = Json::array();
    }
    Json& column = columns_[place->second];
    column["rounds"].push_back(round);
    column["values"].push_back(ValuesOf(values));
    column["quantiles"].push_back(QuantilesJson(values));
    if (with_buckets_) column["buckets"].push_back(BucketsJson(values));
    bytes_ += kBytesOfEntry;
    if (with_buckets_) bytes_ += kBytesOfBucket * std::ssize(values.buckets);
  }
  int64_t bytes() const { return bytes_; }  // estimate
  Json Take() && { return Json(std::move(columns_)); }

 private:
  static constexpr int64_t kBytesOfEntry = 120, kBytesOfBucket = 50;

  const bool with_buckets_;
  std::map<std::string, size_t> places_;
  std::vector<Json> columns_;  // in the order of their first entry
  int64_t bytes_ = 0;
};

// Returns at most `most` of the rounds, which are ascending, spread evenly over their range. The
// first and the last round are among them if `most` is at least 2, otherwise only the last.
std::vector<int64_t> Spread(std::vector<int64_t> rounds, int64_t most) {
  if (most == 0 || std::ssize(rounds) <= most) return rounds;
  if (most == 1) return {rounds.back()};
  const int64_t first = rounds.front(), length = rounds.back() - first;
  std::vector<int64_t> spread;
  for (int64_t i = 0; i < most; ++i) {
    // Without an overflow: length * i / (most - 1).
    const int64_t wanted = first + length / (most - 1) * i + length % (most - 1) * i / (most - 1);
    const int64_t round = *std::ranges::lower_bound(rounds, wanted);
    if (spread.empty() || spread.back() != round) spread.push_back(round);
  }
  return spread;
}

// Returns the last round of the job that counts.
StatusOr<int64_t> LastRound(storage::MetaStore& meta, const std::string& job) {
  constexpr int kAttempts = 10;  // rows are folded once in 1,024 rounds
  for (int i = 0;; ++i) {
    DL_ASSIGN_OR_RETURN(
        const storage::SeriesReader series,
        storage::SeriesReader::Open(meta, job, [](const storage::SeriesColumn&) { return false; }));
    DL_ASSIGN_OR_RETURN(const bool is_current, series.IsCurrent());
    if (is_current || i == kAttempts) return series.rounds();
  }
}

}  // namespace

StatusOr<rpc::QueryReply> HistogramAnswer(storage::MetaStore& meta,
                                          const rpc::QueryRequest& request, int64_t page_bytes) {
  if (request.first < 0 || request.last < 0 || request.max_entries < 0)
    return InvalidArgument({.message = "numbers of rounds must be at least 0"});
  DL_ASSIGN_OR_RETURN(const std::optional<std::string> record, meta.Get(keys::Job(request.job)));
  if (!record) return NotFound({.message = "no such job", .where = request.job});
  DL_ASSIGN_OR_RETURN(const NamePatterns patterns, NamePatterns::Parse(request.series));
  const storage::StoredHistograms stored(meta, request.job);
  DL_ASSIGN_OR_RETURN(storage::HistogramRounds recorded, stored.Rounds());
  DL_ASSIGN_OR_RETURN(const int64_t last_round, LastRound(meta, request.job));
  // The newest recorded rounds may have been rolled back.
  recorded.last = std::min(recorded.last, last_round);
  const std::vector<int64_t> rounds = Spread(
      storage::KeptRounds(recorded, request.first, request.last == 0 ? INT64_MAX : request.last),
      request.max_entries);
  rpc::QueryReply reply;
  HistogramPage page(request.buckets ? Buckets::kIncluded : Buckets::kLeftOut);
  for (const int64_t round : rounds) {
    if (page.bytes() > page_bytes) {
      reply.next_first = round;
      break;
    }
    for (const std::string_view kind : storage::kHistogramKinds) {
      DL_ASSIGN_OR_RETURN(const std::vector<LayerHistogram> layers, stored.Read(round, kind));
      for (const LayerHistogram& layer : layers) {
        const std::string name = absl::StrCat("layer/", layer.layer, "/", std::string(kind));
        if (patterns.Match(name)) page.Add(round, name, layer.values);
      }
    }
  }
  reply.json = JsonText(Json{{"job", request.job},
                             {"rounds", last_round},
                             {"every_rounds", recorded.every},
                             {"shares", kShares},
                             {"histograms", std::move(page).Take()}});
  return reply;
}

}  // namespace dl::master
