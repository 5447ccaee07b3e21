// Kinds of the JSON records that a master stores (docs/formats.md).
#pragma once

#include "base/document_kind.h"
#include "base/stored_document.h"

namespace dl::master {

// The oldest version of each is the version in the oldest folder that can be opened: schema 4 of
// the meta store (storage/rocks_meta_store.cc). Folders with earlier versions are refused.
inline constexpr DocumentKind kJobRecordDocument({.name = "job record", .version = 1});
inline constexpr DocumentKind kCheckpointRecordDocument({.name = "checkpoint record",
                                                         .version = 2,
                                                         .oldest = 2});
inline constexpr DocumentKind kLogRecordDocument({.name = "log record", .version = 3, .oldest = 3});
inline constexpr DocumentKind kLogHeadDocument({.name = "log head", .version = 1});
inline constexpr DocumentKind kUnverifiedDocument({.name = "unverified record", .version = 1});
inline constexpr DocumentKind kEventSequenceDocument({.name = "told record", .version = 1});
inline constexpr DocumentKind kEndedDocument({.name = "ended report", .version = 3, .oldest = 3});

}  // namespace dl::master
