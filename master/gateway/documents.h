// Answers that are read from the meta store alone, as stored: a job's documents and its round log.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "rpc/messages.h"
#include "storage/meta_store.h"

namespace dl::master {

// All functions are thread-safe and also return errors of the store.

// Returns the value of the key, or NotFound, which names `what`.
StatusOr<std::string> Document(storage::MetaStore& meta, const std::string& key,
                               std::string_view what);

// Returns the documents that an executor needs for a job; test_manifest is empty if the job has no
// test set. Does not check the documents. Returns NotFound if any other document is missing,
// DataLoss if the job's record is damaged, and VersionMismatch if a newer build wrote the record.
StatusOr<rpc::FetchJobReply> DocumentsOf(storage::MetaStore& meta, const std::string& job);

// Returns records of the round log from index request.first on, as many as fit into `page_bytes`,
// at least one if one exists. Returns an empty list for an unknown job, and InvalidArgument for a
// negative index.
StatusOr<rpc::QueryReply> LogPage(storage::MetaStore& meta, const rpc::QueryRequest& request,
                                  int64_t page_bytes);

}  // namespace dl::master
