// Kinds and versions of the JSON records that a master stores in its meta store. docs/formats.md
// describes their content.
#pragma once

#include "base/document_kind.h"
#include "base/stored_document.h"

namespace dl::master {

// `oldest` is the version that records have in schema 4 of the meta store. Only folders of this
// schema can be opened (storage/rocks_meta_store.cc), so earlier versions need no upgrade.

// "job/ID": the state of a job (JobRecord).
inline constexpr DocumentKind kJobRecordDocument({.name = "job record", .version = 1});
// "checkpoint/ID/ROUND": a checkpoint, with its manifest (CheckpointInfo).
inline constexpr DocumentKind kCheckpointRecordDocument({.name = "checkpoint record",
                                                         .version = 2,
                                                         .oldest = 2});
// "log/ID/INDEX": an entry of the round log (LogRecord).
inline constexpr DocumentKind kLogRecordDocument({.name = "log record", .version = 3, .oldest = 3});
// "head/ID": the end of the round log (LogHead).
inline constexpr DocumentKind kLogHeadDocument({.name = "log head", .version = 1});
// "unverified/ID": executors on whose unconfirmed results the job rests (UnverifiedFromJson).
inline constexpr DocumentKind kUnverifiedDocument({.name = "unverified record", .version = 1});
// "told/ID": the last numbers of the job's events (EventSequence).
inline constexpr DocumentKind kEventSequenceDocument({.name = "event sequence record",
                                                      .version = 1});
// "ended/ID/WHAT": the stored answer to a query about an ended job (EndedReportFromJson).
inline constexpr DocumentKind kEndedDocument({.name = "ended report", .version = 4, .oldest = 4});

}  // namespace dl::master
