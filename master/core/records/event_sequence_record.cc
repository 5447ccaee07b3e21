#include "master/core/records/event_sequence_record.h"

#include "master/core/records/stored_documents.h"

namespace dl::master {
namespace {

constexpr auto kSequenceKeys = [](auto& keys, auto& sequence) {
  keys.Value("last", sequence.last, {.required = true, .min = 0});
  keys.Value("others", sequence.others, {.required = true, .min = 0});
};

}  // namespace

Json ToJson(const EventSequence& sequence) {
  return WriteDocument(kEventSequenceDocument, sequence, kSequenceKeys);
}

std::string RecordText(const EventSequence& sequence) { return JsonText(ToJson(sequence)); }

StatusOr<EventSequence> EventSequenceFromJson(const Json& json, std::string_view where) {
  return ReadDocument<EventSequence>(kEventSequenceDocument, json, where, kSequenceKeys);
}

}  // namespace dl::master
