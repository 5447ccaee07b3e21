// Converts records of the round log ("log/ID/INDEX") and the log's head ("head/ID") to JSON and
// back. docs/formats.md describes them.
#pragma once

#include <string>
#include <string_view>

#include "base/json_fwd.h"
#include "base/status.h"
#include "master/core/job/round_log.h"

namespace dl::master {

Json ToJson(const LogRecord& record);
// Returns the same text as ToJson(record), which is the stored form. Writes the lists of units and
// of the confusion matrix directly as text, and the rest by ToJson, because building the JSON of
// 4,096 units would take the core 6 ms.
std::string RecordText(const LogRecord& record);
// Converts a stored document back. Returns DataLoss if the document is damaged, and VersionMismatch
// if a newer build wrote it. `where` names the document in errors.
StatusOr<LogRecord> LogRecordFromJson(const Json& json, std::string_view where);

Json ToJson(const LogHead& head);
// Returns ToJson(head) as text, which is the stored form.
std::string RecordText(const LogHead& head);
// Converts a stored head back. Returns DataLoss if the document is damaged, and VersionMismatch if
// a newer build wrote it. `where` names the document in errors.
StatusOr<LogHead> LogHeadFromJson(const Json& json, std::string_view where);

}  // namespace dl::master
