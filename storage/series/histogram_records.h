// Histograms of a job's layers in the meta store (docs/formats.md, "Histograms"): of the parameters
// after a round, of their changes in the round, and of the outputs of the layers.
//
// The rounds that are recorded are numbered 0, 1, 2, ...: number i is round 1 + i * every. They
// thin out with their age. A recorded round is kept until kDenseRounds * 2^z newer ones exist, in
// which 2^z is the largest power of two that divides its number. Number 0 stays. After n recorded
// rounds, about kDenseRounds / 2 * log2(n / kDenseRounds) + kDenseRounds are therefore kept.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/document_kind.h"
#include "base/status.h"
#include "base/value_histogram.h"
#include "storage/meta_store.h"

namespace dl::storage {

inline constexpr int64_t kDenseRounds = 64;

// Kinds of histograms by what they count. The names are parts of keys and of answers.
inline constexpr std::string_view kHistogramKinds[] = {"parameters", "changes", "activations"};

// Describes the recorded rounds of a job.
struct HistogramRounds {
  int64_t every = 0;  // distance between recorded rounds; 0: no round is recorded
  int64_t last = 0;   // newest recorded round. A rollback may have removed it since then

  bool operator==(const HistogramRounds&) const = default;
};

inline constexpr DocumentKind kHistogramRoundsDocument({.name = "histogram rounds", .version = 1});

// Convert between the record and its text, a JSON document. Parsing returns DataLoss for a damaged
// record and VersionMismatch for a record of a later version. `where` names the record in errors.
std::string RecordText(const HistogramRounds& rounds);
StatusOr<HistogramRounds> ParseHistogramRounds(std::string_view text, std::string_view where);

// Returns the rounds from `first` to `last`, inclusive, that are kept if rounds.last is the newest
// recorded round, in ascending order. Records of some of them may be missing after a rollback.
std::vector<int64_t> KeptRounds(const HistogramRounds& rounds, int64_t first, int64_t last);
// Returns the round that is no longer kept when `round` is recorded, or nullopt.
std::optional<int64_t> RoundDroppedAt(int64_t every, int64_t round);

// Appends the changes that record a round, and delete the round that it replaces. Element i of
// `encoded` has the histograms of kHistogramKinds[i] (EncodeHistograms); empty: there are none.
// REQUIRES: `round` is 1 plus a multiple of `every`.
void RecordHistograms(const std::string& job, int64_t every, int64_t round,
                      std::vector<std::string> encoded, MetaBatch& batch);

// Reads the records of a job. All functions return DataLoss for damaged records, and errors of the
// store. Rounds() also returns VersionMismatch for a record of a later version. Thread-safe if the
// store is.
class StoredHistograms {
 public:
  // The store must outlive this object.
  StoredHistograms(MetaStore& store, std::string job) : store_(store), job_(std::move(job)) {}

  // Returns an empty record if the job has none.
  StatusOr<HistogramRounds> Rounds() const;
  // Returns the histograms of a round; none if they are not recorded. `kind` is one of
  // kHistogramKinds.
  StatusOr<std::vector<LayerHistogram>> Read(int64_t round, std::string_view kind) const;

 private:
  MetaStore& store_;
  const std::string job_;
};

namespace histogram_keys {

std::string Rounds(const std::string& job);
std::string Round(const std::string& job, int64_t round, std::string_view kind);

}  // namespace histogram_keys
}  // namespace dl::storage
