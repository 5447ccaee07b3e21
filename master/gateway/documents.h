// What is told out of the store alone, as it was stored: a job's documents, its round log. The core
// is not asked for them.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "rpc/messages.h"
#include "storage/meta_store.h"

namespace dl::master {

// All of these are thread-safe.

// What is stored under the key; NotFound names `what`.
StatusOr<std::string> Document(storage::MetaStore& meta, const std::string& key,
                               std::string_view what);

// What an executor needs to know of a job.
StatusOr<rpc::FetchJobReply> DocumentsOf(storage::MetaStore& meta, const std::string& job);

// Records of the round log from request.first on, at least one if there is one.
StatusOr<rpc::QueryReply> LogPage(storage::MetaStore& meta, const rpc::QueryRequest& request);

}  // namespace dl::master
