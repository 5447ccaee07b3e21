// Documents in a master's store. A disk may return any bytes, and a build reads what another build
// wrote.
#include <functional>
#include <utility>

#include "base/json.h"
#include "master/core/job/job.h"
#include "master/core/job/round_log.h"
#include "master/core/records/checkpoint_record.h"
#include "master/core/records/event_sequence_record.h"
#include "master/core/records/job_record.h"
#include "master/core/records/log_record.h"
#include "master/core/records/unverified_record.h"
#include "security/token_store.h"
#include "storage/checkpoint_manifest.h"
#include "tests/fuzz/fuzz_target.h"

namespace dl::fuzz {
namespace {

// Reads a document and writes it again.
using Reader = std::function<StatusOr<Json>(const Json&)>;

template <typename Read>
Reader Written(Read read) {
  return [read](const Json& json) -> StatusOr<Json> {
    DL_ASSIGN_OR_RETURN(const auto value, read(json, "stored"));
    return ToJson(value);
  };
}

StatusOr<Json> RewriteRecord(const Json& json) {
  DL_ASSIGN_OR_RETURN(const auto record, master::LogRecordFromJson(json, "stored"));
  Json written = ToJson(record);
  Require(master::RecordText(record) == JsonText(written), "a record's text is its document's");
  return written;
}

StatusOr<Json> RewriteTokens(const Json& json) {
  DL_ASSIGN_OR_RETURN(const auto records, security::TokensFromJson(json));
  return ToJson(records);
}

// The readers by the first byte of the input.
const std::vector<std::pair<char, Reader>>& Readers() {
  static const auto& readers = *new std::vector<std::pair<char, Reader>>{
      {'r', RewriteRecord},
      {'h', Written(master::LogHeadFromJson)},
      {'j', Written(master::JobRecordFromJson)},
      {'c', Written(master::CheckpointInfoFromJson)},
      {'t', Written(master::EventSequenceFromJson)},
      {'u', Written(master::UnverifiedFromJson)},
      {'k', RewriteTokens},
      {'m', Written([](const Json& json, const std::string& path) {
         return storage::CheckpointManifestFromJson(json, path);
       })}};
  return readers;
}

}  // namespace

bool FuzzStored(std::string_view bytes) {
  const uint8_t choice = TakeChoice(bytes);
  const Reader* reader = nullptr;
  for (const auto& [letter, one] : Readers()) {
    if (choice == static_cast<uint8_t>(letter)) reader = &one;
  }
  if (reader == nullptr) return false;
  const auto json = ParseJson(bytes, "stored");
  if (!json.ok()) return false;
  const StatusOr<Json> once = (*reader)(*json);
  if (!once.ok()) {
    Require(!once.status().message().empty(), "an error says what");
    return false;
  }
  const std::string text = JsonText(*once);
  const auto stored = ParseJson(text, "stored");
  Require(stored.ok(), "what was written is JSON: " + text);
  const StatusOr<Json> again = (*reader)(*stored);
  Require(again.ok(), "a document that was written is read: " + again.status().ToString() + text);
  Require(JsonText(*again) == text, "a document that was read again is the same: " + text);
  return true;
}

}  // namespace dl::fuzz
