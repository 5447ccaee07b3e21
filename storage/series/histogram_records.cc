#include "storage/series/histogram_records.h"

#include <algorithm>
#include <bit>
#include <set>
#include <utility>

#include "absl/strings/str_format.h"
#include "base/stored_document.h"
#include "storage/series/series_records.h"

namespace dl::storage {
namespace {

constexpr auto kRoundsKeys = [](auto& keys, auto& rounds) {
  keys.Value("every", rounds.every, {.required = true, .min = 1});
  keys.Value("last", rounds.last, {.required = true, .min = 1});
};

}  // namespace

std::string RecordText(const HistogramRounds& rounds) {
  return JsonText(WriteDocument(kHistogramRoundsDocument, rounds, kRoundsKeys));
}

StatusOr<HistogramRounds> ParseHistogramRounds(std::string_view text, std::string_view where) {
  auto json = ParseJson(text, where);
  if (!json.ok()) return StoredDocumentError(kHistogramRoundsDocument, json.status(), where);
  return ReadDocument<HistogramRounds>(kHistogramRoundsDocument, *json, where, kRoundsKeys);
}

std::vector<int64_t> KeptRounds(const HistogramRounds& rounds, int64_t first, int64_t last) {
  if (rounds.every == 0 || rounds.last < 1) return {};
  const int64_t newest = (rounds.last - 1) / rounds.every;
  std::set<int64_t> numbers = {0};
  for (int64_t step = 1; step <= newest; step *= 2) {
    // Odd multiples of `step`: 2^z is `step`.
    const int64_t oldest = std::max<int64_t>(newest - kDenseRounds * step + 1, step);
    int64_t number = (oldest + step - 1) / step * step;
    if (number / step % 2 == 0) number += step;
    for (; number <= newest; number += 2 * step) numbers.insert(number);
  }
  std::vector<int64_t> kept;
  for (const int64_t number : numbers) {
    const int64_t round = 1 + number * rounds.every;
    if (round >= first && round <= last) kept.push_back(round);
  }
  return kept;
}

std::optional<int64_t> RoundDroppedAt(int64_t every, int64_t round) {
  const int64_t number = (round - 1) / every;
  if (number == 0) return std::nullopt;
  // The distance to every other candidate is divided by another power of two.
  const int64_t dropped =
      number - (kDenseRounds << std::countr_zero(static_cast<uint64_t>(number)));
  if (dropped < 1) return std::nullopt;
  return 1 + dropped * every;
}

void RecordHistograms(const std::string& job, int64_t every, int64_t round,
                      std::vector<std::string> encoded, MetaBatch& batch) {
  const std::optional<int64_t> dropped = RoundDroppedAt(every, round);
  for (size_t i = 0; i < std::size(kHistogramKinds); ++i) {
    std::string key = histogram_keys::Round(job, round, kHistogramKinds[i]);
    // A round that was rolled back may have left a record.
    if (i < encoded.size() && !encoded[i].empty())
      batch.Put(std::move(key), std::move(encoded[i]));
    else
      batch.Delete(std::move(key));
    if (dropped) batch.Delete(histogram_keys::Round(job, *dropped, kHistogramKinds[i]));
  }
  batch.Put(histogram_keys::Rounds(job),
            RecordText(HistogramRounds{.every = every, .last = round}));
}

StatusOr<HistogramRounds> StoredHistograms::Rounds() const {
  const std::string key = histogram_keys::Rounds(job_);
  DL_ASSIGN_OR_RETURN(const std::optional<std::string> text, store_.Get(key));
  if (!text) return HistogramRounds();
  return ParseHistogramRounds(*text, key);
}

StatusOr<std::vector<LayerHistogram>> StoredHistograms::Read(int64_t round,
                                                             std::string_view kind) const {
  const std::string key = histogram_keys::Round(job_, round, kind);
  DL_ASSIGN_OR_RETURN(const std::optional<std::string> bytes, store_.Get(key));
  if (!bytes) return std::vector<LayerHistogram>();
  auto histograms = DecodeHistograms(*bytes);
  if (!histograms) return DataLoss({.message = "a histogram is damaged", .where = key});
  return *std::move(histograms);
}

namespace histogram_keys {

std::string Rounds(const std::string& job) { return series_keys::Prefix(job) + "histogram_rounds"; }

std::string Round(const std::string& job, int64_t round, std::string_view kind) {
  return absl::StrFormat("%shistograms/%012d/%s", series_keys::Prefix(job), round, kind);
}

}  // namespace histogram_keys
}  // namespace dl::storage
