#include "cli/tensorboard/round_events.h"

#include <algorithm>
#include <vector>

#include "base/json.h"
#include "cli/jobs/histogram_query.h"
#include "cli/jobs/series_query.h"
#include "cli/output/json_fields.h"
#include "cli/tensorboard/record_framing.h"

namespace dl::cli {
namespace {

// Values in an answer. Half of what the master allows, because a job may get new series between
// two queries.
constexpr int64_t kValuesOfRange = 10'000;
constexpr int64_t kFirstRange = 16;  // rounds, while the number of series is unknown
constexpr int64_t kLongestRange = 1'024;

int64_t NewestRollback(const Json& answer) {
  const Json* branches = Member(answer, "rolled_back");
  if (branches == nullptr || !branches->is_array()) return 0;
  int64_t newest = 0;
  for (const Json& branch : *branches) newest = std::max(newest, IntegerAt(branch, "number"));
  return newest;
}

double TimeAfter(double seconds, const JobTimes& times) {
  const double time = times.submitted + seconds;
  // A clock that was set back may give an end before the submission.
  return times.ended == 0 ? time : std::min(time, std::max(times.ended, times.submitted));
}

std::vector<TaggedHistogram> HistogramsOf(const HistogramReply& reply, int64_t round) {
  std::vector<TaggedHistogram> tagged;
  const auto [first, end] =
      std::ranges::equal_range(reply.histograms, round, {}, &RecordedHistogram::round);
  for (const RecordedHistogram& histogram : std::ranges::subrange(first, end))
    tagged.push_back({.tag = histogram.name, .buckets = histogram.buckets});
  return tagged;
}

// Returns the records of rounds up to `last`, and moves `position` there.
std::string RecordsOf(const SeriesReply& reply, const HistogramReply& histograms, int64_t last,
                      const JobTimes& times, CurvePosition& position) {
  std::string records;
  while (position.round < last) {
    const int64_t round = ++position.round;
    std::vector<TaggedScalar> scalars;
    for (const SeriesCurve& curve : reply.curves) {
      const int64_t i = round - curve.first;
      if (i < 0 || i >= std::ssize(curve.mean)) continue;
      const std::optional<double>& value = curve.mean[static_cast<size_t>(i)];
      if (!value) continue;
      if (curve.name == "round_seconds") position.seconds += std::max(0.0, *value);
      scalars.push_back({.tag = curve.name, .value = static_cast<float>(*value)});
    }
    const std::vector<TaggedHistogram> tagged = HistogramsOf(histograms, round);
    if (scalars.empty() && tagged.empty()) continue;
    position.wall_time = std::max(position.wall_time, TimeAfter(position.seconds, times));
    records +=
        FramedRecord(RoundEvent({.wall_time = position.wall_time, .step = round}, scalars, tagged));
  }
  return records;
}

}  // namespace

JobTimes TimesOf(const Json& job) {
  return {.submitted = static_cast<double>(IntegerAt(job, "submitted_unix_ms")) / 1e3,
          .ended = static_cast<double>(IntegerAt(job, "ended_unix_ms")) / 1e3};
}

StatusOr<Curves> ReadRounds(rpc::ClientService& client, const std::string& job,
                            const JobTimes& times, NewestRound newest, CurvePosition& position,
                            ByteSink sink) {
  int64_t range = kFirstRange;
  bool has_histograms = true;  // until an answer shows that there are none
  for (;;) {
    const int64_t last = position.round + range;
    const StatusOr<SeriesReply> reply = QuerySeries(client, {.what = rpc::QueryKind::kSeries,
                                                             .job = job,
                                                             .first = position.round + 1,
                                                             .series = "*",
                                                             .last = last,
                                                             .max_entries = range});
    if (absl::IsNotFound(reply.status())) return Curves::kRead;  // no figures yet
    DL_RETURN_IF_ERROR(reply.status());
    const int64_t rollback = NewestRollback(reply->json);
    if (position.rollback < 0) position.rollback = rollback;
    if (rollback != position.rollback) return Curves::kRolledBack;
    const int64_t ready = reply->rounds - (newest == NewestRound::kWait ? 1 : 0);
    if (ready <= position.round) return Curves::kRead;
    const int64_t end = std::min(last, ready);
    HistogramReply histograms;
    if (has_histograms) {
      DL_ASSIGN_OR_RETURN(histograms, QueryHistograms(client, {.what = rpc::QueryKind::kHistograms,
                                                               .job = job,
                                                               .first = position.round + 1,
                                                               .series = "*",
                                                               .last = end,
                                                               .buckets = true}));
      // If a job records histograms, those of its first round always exist.
      has_histograms = histograms.every_rounds > 0;
    }
    CurvePosition next = position;
    const std::string records = RecordsOf(*reply, histograms, end, times, next);
    DL_RETURN_IF_ERROR(sink(records));
    position = next;
    range = std::clamp<int64_t>(kValuesOfRange / std::ssize(reply->names), 2, kLongestRange);
  }
}

}  // namespace dl::cli
