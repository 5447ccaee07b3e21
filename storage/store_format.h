// FORMAT: one line that says what a folder holds, "paravane KIND SCHEMA\n". It is read before any
// other file is touched, so that a store of a newer version is refused as it is.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"

namespace dl::storage {

struct StoreFormat {
  std::string_view kind;  // "meta", "bulk", "cache"
  int32_t schema = 0;     // what this program writes
  int32_t oldest = 0;     // the oldest that it reads as well; 0: no other
};

// OK when `dir` has no FORMAT (or does not exist) or one of this kind and of a schema that is read;
// VersionMismatch for another schema, FailedPrecondition for another kind, DataLoss for an
// unreadable file. Changes nothing.
Status CheckFormat(const std::string& dir, const StoreFormat& format);

// DataLoss when there is none: for a folder that holds a store.
Status RequireFormat(const std::string& dir, const StoreFormat& format);

// Writes FORMAT durably when there is none or that of an older schema: from here on an older
// program refuses the store. REQUIRES: CheckFormat was OK and the folder is locked.
Status EnsureFormat(const std::string& dir, const StoreFormat& format);

}  // namespace dl::storage
