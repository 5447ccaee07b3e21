// Errors as JSON, in records, events and answers: {"code":…,"message":…,"where":…,"remedy":…}.
#pragma once

#include "base/json_fwd.h"
#include "base/status.h"

namespace dl {

// Returns the four parts of an error as texts. "code" is ErrorCodeName.
Json ErrorToJson(const Status& error);

// Returns the error of such an object. Absent parts, and parts that are no texts, are empty. The
// code is kUnknown if it is absent, unknown or that of success. Other members are ignored.
Status ErrorFromJson(const Json& json);

}  // namespace dl
