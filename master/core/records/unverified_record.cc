#include "master/core/records/unverified_record.h"

#include <map>
#include <string>

#include "master/core/records/stored_documents.h"

namespace dl::master {
namespace {

// The record as it is stored: `first` lacks the executors for which it is the same as `since`.
struct StoredRounds {
  std::map<std::string, int64_t> since, first;
  std::set<std::string> source;
};

constexpr auto kUnverifiedKeys = [](auto& keys, auto& stored) {
  keys.Value("since", stored.since, {.required = true, .min = 1});
  keys.Value("first", stored.first, {.omit_default = true, .min = 1});
  keys.Value("source", stored.source, {.omit_default = true});
  for (const auto& [executor, round] : stored.first) {
    const auto since = stored.since.find(executor);
    keys.Check(since == stored.since.end() || round <= since->second, "first",
               "must not be after the round in \"since\"");
  }
};

}  // namespace

Json ToJson(const Attestations& attestations) {
  StoredRounds stored = {.since = attestations.unverified_since,
                         .source = attestations.source_unverified};
  for (const auto& [executor, round] : attestations.unverified_first) {
    const auto since = stored.since.find(executor);
    if (since == stored.since.end() || since->second != round) stored.first[executor] = round;
  }
  return WriteDocument(kUnverifiedDocument, stored, kUnverifiedKeys);
}

StatusOr<Attestations> UnverifiedFromJson(const Json& json, std::string_view where) {
  DL_ASSIGN_OR_RETURN(StoredRounds stored, ReadDocument<StoredRounds>(kUnverifiedDocument, json,
                                                                      where, kUnverifiedKeys));
  Attestations attestations;
  attestations.unverified_since = stored.since;
  attestations.unverified_first = std::move(stored.first);
  attestations.unverified_first.merge(stored.since);
  attestations.source_unverified = std::move(stored.source);
  return attestations;
}

std::string RecordText(const Attestations& attestations) { return JsonText(ToJson(attestations)); }

}  // namespace dl::master
