// The file FORMAT in a store's folder: one line, "paravane KIND SCHEMA\n". It is read before any
// other file is opened, so that a store of a newer version is refused unchanged.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"

namespace dl::storage {

struct StoreFormat {
  std::string_view kind;  // "meta", "bulk", "cache"
  int32_t schema = 0;     // the schema that this build writes
  int32_t oldest = 0;     // the oldest schema that it also reads; 0: only `schema`
};

// Returns OK if `dir` does not exist, if its FORMAT is missing or cannot be opened, or if its
// FORMAT has this kind and a schema that can be read. Returns VersionMismatch for another schema,
// FailedPrecondition for another kind, DataLoss for a damaged content. Changes nothing.
Status CheckFormat(const std::string& dir, const StoreFormat& format);

// Works like CheckFormat, but returns DataLoss if FORMAT is missing. For a folder that holds a
// store.
Status RequireFormat(const std::string& dir, const StoreFormat& format);

// Writes FORMAT durably if it is missing or has an older schema. From then on an older build
// refuses the store. Returns errors of the file system. REQUIRES: CheckFormat was OK and the folder
// is locked.
Status EnsureFormat(const std::string& dir, const StoreFormat& format);

}  // namespace dl::storage
