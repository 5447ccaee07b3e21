// The records that a master stores as JSON (docs/formats.md), as kinds of documents.
#pragma once

#include <string_view>

#include "base/document_kind.h"
#include "base/json.h"

namespace dl::master {

// The oldest version of each is the one of the oldest folder that opens: that of the meta store's
// schema 4 (storage/rocks_meta_store.cc). Versions before it stand in folders that are refused.
inline constexpr DocumentKind kJobRecordDocument({.name = "job record", .version = 1});
inline constexpr DocumentKind kCheckpointRecordDocument({.name = "checkpoint record",
                                                         .version = 2,
                                                         .oldest = 2});
inline constexpr DocumentKind kLogRecordDocument({.name = "log record", .version = 3, .oldest = 3});
inline constexpr DocumentKind kLogHeadDocument({.name = "log head", .version = 1});
inline constexpr DocumentKind kUnverifiedDocument({.name = "unverified record", .version = 1});
inline constexpr DocumentKind kToldDocument({.name = "told record", .version = 1});
inline constexpr DocumentKind kEndedDocument({.name = "ended report", .version = 3, .oldest = 3});

// What is wrong with one: damage, unless a newer build wrote it. `where` names it.
inline Status StoredDocumentError(const DocumentKind& kind, const Status& status,
                                  std::string_view where) {
  if (status.ok() || absl::IsUnimplemented(status)) return status;
  return DataLoss({.message = "the " + std::string(kind.name()) +
                              " is damaged: " + std::string(status.message()),
                   .where = std::string(where)});
}

}  // namespace dl::master
