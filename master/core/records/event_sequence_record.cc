#include "master/core/records/event_sequence_record.h"

#include "base/document_version.h"
#include "base/json.h"
#include "master/core/records/stored_documents.h"

namespace dl::master {

Json ToJson(const EventSequence& event_sequence) {
  return {{"format", kEventSequenceDocument.version()},
          {"last", event_sequence.last},
          {"others", event_sequence.others}};
}

std::string RecordText(const EventSequence& event_sequence) {
  return JsonText(ToJson(event_sequence));
}

StatusOr<EventSequence> EventSequenceFromJson(const Json& json, std::string_view where) {
  const auto document = BringToCurrent(kEventSequenceDocument, json, where);
  if (!document.ok()) return StoredDocumentError(kEventSequenceDocument, document.status(), where);
  EventSequence event_sequence;
  JsonObjectReader reader = document->Reader();
  for (const char* key : {"last", "others"}) reader.Require(key);
  reader.Int("last", event_sequence.last, {0, INT64_MAX});
  reader.Int("others", event_sequence.others, {0, INT64_MAX});
  if (const Status status = reader.Finish(); !status.ok())
    return StoredDocumentError(kEventSequenceDocument, status, where);
  return event_sequence;
}

}  // namespace dl::master
