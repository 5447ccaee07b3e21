// The record "told/ID" as JSON: how many events of a job were reported.
#pragma once

#include <string>
#include <string_view>

#include "base/json_fwd.h"
#include "base/status.h"
#include "master/core/job/event_sequence.h"

namespace dl::master {

Json ToJson(const EventSequence& event_sequence);
std::string RecordText(const EventSequence& event_sequence);
// Converts a stored document back. Errors and `where` are those of JobRecordFromJson.
StatusOr<EventSequence> EventSequenceFromJson(const Json& json, std::string_view where);

}  // namespace dl::master
