#include "master/core/records/unverified_record.h"

#include <map>
#include <string>
#include <vector>

#include "base/document_version.h"
#include "base/json.h"
#include "master/core/records/stored_documents.h"

namespace dl::master {
namespace {

// Reads an object of rounds by executor; empty if the key is missing.
std::map<std::string, int64_t> ReadRounds(JsonObjectReader& reader, const char* key) {
  std::map<std::string, int64_t> rounds;
  const Json* json = reader.Child(key);
  if (json == nullptr) return rounds;
  if (!json->is_object()) reader.AddError(key, "must be an object");
  for (const auto& [executor, round] : json->items()) {
    if (round.is_number_integer() && round.get<int64_t>() >= 1) {
      rounds.emplace(executor, round.get<int64_t>());
    } else {
      reader.AddError(key, "must hold rounds");
    }
  }
  return rounds;
}

}  // namespace

Json ToJson(const Attestations& attestations) {
  Json since = attestations.unverified_since, first = Json::object();
  for (const auto& [executor, round] : attestations.unverified_first) {
    const auto horizon = attestations.unverified_since.find(executor);
    if (horizon == attestations.unverified_since.end() || horizon->second != round)
      first[executor] = round;
  }
  Json json = {{"format", kUnverifiedDocument.version()},
               {"since", since.is_null() ? Json::object() : since}};
  if (!first.empty()) json["first"] = first;
  if (!attestations.source_unverified.empty()) json["source"] = attestations.source_unverified;
  return json;
}

StatusOr<Attestations> UnverifiedFromJson(const Json& json, std::string_view where) {
  const auto document = BringToCurrent(kUnverifiedDocument, json, where);
  if (!document.ok()) return StoredDocumentError(kUnverifiedDocument, document.status(), where);
  JsonObjectReader reader = document->Reader();
  Attestations attestations;
  reader.Require("since");
  attestations.unverified_since = ReadRounds(reader, "since");
  attestations.unverified_first = ReadRounds(reader, "first");
  for (const auto& [executor, since] : attestations.unverified_since) {
    if (attestations.unverified_first.try_emplace(executor, since).first->second > since)
      reader.AddError("first", "must not be after the round in \"since\"");
  }
  std::vector<std::string> source;
  reader.StringList("source", source);
  attestations.source_unverified.insert(source.begin(), source.end());
  if (const Status status = reader.Finish(); !status.ok())
    return StoredDocumentError(kUnverifiedDocument, status, where);
  return attestations;
}

std::string RecordText(const Attestations& attestations) { return JsonText(ToJson(attestations)); }

}  // namespace dl::master
