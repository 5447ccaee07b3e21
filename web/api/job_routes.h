// Routes that read jobs: lists, documents, figures by round.
#pragma once

#include <vector>

#include "rpc/messages.h"
#include "rpc/service.h"
#include "web/api/route.h"

namespace dl::web {

// Largest age, in milliseconds, of answers about a job that many pages share.
inline constexpr int64_t kAcceptedAgeMs = 1'000;

// `master` must outlive the routes.
std::vector<Route> JobRoutes(rpc::ClientService& master);

// Returns a document about a job, at most kAcceptedAgeMs old if it may change. Errors are those of
// rpc::ClientService::Query.
StatusOr<std::string> JobDocument(rpc::ClientService& master, rpc::QueryKind what,
                                  const std::string& job);

}  // namespace dl::web
