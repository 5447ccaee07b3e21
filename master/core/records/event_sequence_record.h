// The record "told/ID" as JSON: the last numbers of a job's events.
#pragma once

#include <string>
#include <string_view>

#include "base/json_fwd.h"
#include "base/status.h"
#include "master/core/job/event_sequence.h"

namespace dl::master {

Json ToJson(const EventSequence& event_sequence);
// Returns ToJson(event_sequence) as text, which is the stored form.
std::string RecordText(const EventSequence& event_sequence);
// Converts a stored document back. `where` names the document in errors. Returns DataLoss if the
// document is damaged, and VersionMismatch if a newer build wrote it.
StatusOr<EventSequence> EventSequenceFromJson(const Json& json, std::string_view where);

}  // namespace dl::master
