// The JSON Schema of job specs. Each key is described once, in the table of keys (job/job_keys.h).
#pragma once

#include "base/json_fwd.h"

namespace dl::job {

// Returns a schema (draft 2020-12) of documents of the current version, as JobFromJson reads them:
// with the short forms of values, and with "path" for "paths". Objects have no other keys. The
// schema states types, ranges, choices and required keys. It does not state the rules of
// job/validate.h for values that depend on each other. If several types have a key, its range is
// that of all these types together.
Json SpecSchema();

}  // namespace dl::job
