#include "bench/round_trace.h"

#include <algorithm>
#include <map>
#include <set>

#include "absl/strings/str_format.h"

namespace dl::bench {
namespace {

double Ms(Duration d) { return 1e3 * Seconds(d); }

// Returns false for spans that only wait for other spans or consist of them.
bool IsWork(std::string_view name) {
  static const std::set<std::string_view> kOthers = {spans::kUnit, spans::kLease, spans::kAnnounce,
                                                     spans::kSend, spans::kCall,  spans::kServe,
                                                     spans::kBatch};
  return !kOthers.contains(name);
}

struct Round {
  int64_t steps = 0;
  Instant first = Instant::Max();  // the first step's begin
  Instant last;                    // the last step's end
};

std::map<int64_t, Round> RoundsOf(const std::vector<TracedSpan>& spans) {
  std::map<int64_t, Round> rounds;
  for (const TracedSpan& span : spans) {
    if (span.name != spans::kStep || span.round < 1) continue;
    Round& round = rounds[span.round];
    ++round.steps;
    round.first = std::min(round.first, span.begin);
    round.last = std::max(round.last, span.end);
  }
  return rounds;
}

// A row of the table. Consecutive steps share a row.
struct Row {
  const TracedSpan* span = nullptr;
  Duration length{};
  int64_t count = 1;
  bool critical = false;
};

std::vector<Row> RowsBetween(const std::vector<TracedSpan>& spans, Instant from, Instant to) {
  std::vector<Row> rows;
  std::map<std::pair<int64_t, std::string_view>, size_t> open;  // rows of consecutive spans
  for (const TracedSpan& span : spans) {
    if (span.end <= from || span.begin >= to) continue;
    const bool joins =
        span.name == spans::kStep || span.name == spans::kRead || span.name == spans::kBatch;
    const auto before = open.find({span.thread_number, span.name});
    if (joins && before != open.end() && span.round == rows[before->second].span->round &&
        span.index == rows[before->second].span->index) {
      rows[before->second].length += span.end - span.begin;
      ++rows[before->second].count;
      continue;
    }
    if (span.name == spans::kUnit) {
      std::erase_if(open, [&](const auto& e) { return e.first.first == span.thread_number; });
    }
    if (joins) open[{span.thread_number, span.name}] = rows.size();
    rows.push_back({.span = &span, .length = span.end - span.begin});
  }
  return rows;
}

// Marks the critical path, backward from the first step: before each span, the work that ended
// last.
void MarkCriticalPath(std::vector<Row>& rows, Instant from, Instant to) {
  for (Instant at = to; at > from;) {
    Row* last = nullptr;
    for (Row& row : rows) {
      if (!IsWork(row.span->name) || row.span->name == spans::kRead || row.span->end > at) continue;
      if (row.span->begin >= at) continue;
      if (last == nullptr || row.span->end > last->span->end) last = &row;
    }
    if (last == nullptr || last->span->end <= from) return;
    last->critical = true;
    at = last->span->begin;
  }
}

std::string Sums(const std::vector<TracedSpan>& spans, Instant from, Instant to, int64_t rounds) {
  struct Sum {
    int64_t count = 0;
    Duration length{};
  };
  std::map<std::string_view, Sum> sums;
  for (const TracedSpan& span : spans) {
    if (span.begin < from || span.begin >= to) continue;
    ++sums[span.name].count;
    sums[span.name].length += span.end - span.begin;
  }
  std::string text = absl::StrFormat("a round, mean of %d:\n", rounds);
  for (const auto& [name, sum] : sums) {
    absl::StrAppendFormat(&text, "  %-9s %6.1f times %9.3f ms\n", std::string(name),
                          static_cast<double>(sum.count) / static_cast<double>(rounds),
                          Ms(sum.length) / static_cast<double>(rounds));
  }
  return text;
}

}  // namespace

std::string DescribeSteps(const std::vector<TracedSpan>& spans) {
  std::vector<Duration> steps;
  Duration sum{};
  for (const TracedSpan& span : spans) {
    if (span.name != spans::kStep) continue;
    steps.push_back(span.end - span.begin);
    sum += steps.back();
  }
  if (steps.empty()) return "none";
  std::sort(steps.begin(), steps.end());
  return absl::StrFormat("%d, mean %.3f ms, median %.3f ms, in all %.1f ms", steps.size(),
                         Ms(sum) / static_cast<double>(steps.size()), Ms(steps[steps.size() / 2]),
                         Ms(sum));
}

std::string SlotTimes(const std::vector<TracedSpan>& spans, Instant begin, Instant end) {
  std::map<std::string_view, Duration> sums;
  std::set<int64_t> slots;
  Instant first = Instant::Max(), last;
  Duration without{};
  for (const TracedSpan& span : spans) {
    if (span.name == spans::kStep) {
      first = std::min(first, span.begin);
      last = std::max(last, span.end);
    }
    if (span.name == spans::kUnit) slots.insert(span.thread_number);
  }
  for (const TracedSpan& span : spans) {
    if (!slots.contains(span.thread_number) || span.end <= first || span.begin >= last) continue;
    const Duration length = std::min(span.end, last) - std::max(span.begin, first);
    if (span.name == spans::kUnit) {
      without -= length;
    } else {
      sums[span.name] += length;
    }
  }
  without += (last - first) * static_cast<int64_t>(slots.size());
  std::string text = absl::StrFormat(
      "job: %.1f ms; before its first step %.1f ms, behind its last one %.1f ms; %d slots in "
      "between:",
      Ms(end - begin), Ms(first - begin), Ms(end - last), slots.size());
  for (const auto& [name, sum] : sums)
    absl::StrAppendFormat(&text, " %s %.1f ms,", std::string(name), Ms(sum));
  absl::StrAppendFormat(&text, " without a unit %.1f ms\n", Ms(without));
  return text;
}

std::string MedianRound(const std::vector<TracedSpan>& spans) {
  const std::map<int64_t, Round> rounds = RoundsOf(spans);
  int64_t most = 0;
  for (const auto& [number, round] : rounds) most = std::max(most, round.steps);
  std::vector<std::pair<Duration, int64_t>> whole;  // sorted by length
  std::vector<Duration> between;
  for (const auto& [number, round] : rounds) {
    const auto before = rounds.find(number - 1);
    if (before == rounds.end() || round.steps < most || before->second.steps < most) continue;
    whole.emplace_back(round.last - before->second.last, number);
    between.push_back(round.first - before->second.last);
  }
  if (whole.empty()) return "";
  std::sort(whole.begin(), whole.end());
  std::sort(between.begin(), between.end());
  const int64_t median = whole[whole.size() / 2].second;
  const Instant from = rounds.at(median - 1).last, first = rounds.at(median).first,
                to = rounds.at(median).last;
  std::vector<Row> rows = RowsBetween(spans, from, to);
  MarkCriticalPath(rows, from, first);
  std::string text = absl::StrFormat(
      "round %d: %.2f ms, of which %.2f ms between the last step of the round before and its "
      "first (median of all rounds: %.2f)\n  %-11s %-9s %5s %5s %10s %9s\n",
      median, Ms(to - from), Ms(first - from), Ms(between[between.size() / 2]), "thread", "span",
      "unit", "times", "begin ms", "ms");
  for (const Row& row : rows) {
    absl::StrAppendFormat(&text, "%s %-11s %-9s %5s %5d %10.3f %9.3f\n", row.critical ? "*" : " ",
                          row.span->thread, std::string(row.span->name),
                          row.span->index < 0 ? "" : absl::StrFormat("%d", row.span->index),
                          row.count, Ms(row.span->begin - from), Ms(row.length));
  }
  Instant begin = Instant::Max(), end;
  for (const auto& [length, number] : whole) {
    begin = std::min(begin, rounds.at(number - 1).last);
    end = std::max(end, rounds.at(number).last);
  }
  return text + Sums(spans, begin, end, static_cast<int64_t>(whole.size()));
}

}  // namespace dl::bench
