// Errors as responses: JSON documents of the type application/problem+json (RFC 7807).
#pragma once

#include "base/status.h"
#include "web/http/http_message.h"

namespace dl::web {

// Returns the status of HTTP for an error: 400 for InvalidArgument, 401 for Unauthenticated, 404
// for NotFound, 409 for FailedPrecondition and Aborted, 429 for ResourceExhausted, 501 for
// Unimplemented, 503 for Unavailable and Cancelled, 504 for DeadlineExceeded, else 500.
int HttpStatusOf(const Status& error);

// Returns the name of an error status that this server sends ("Not Found"), or "" for another one.
std::string_view HttpStatusName(int status);

// Returns {"type": "about:blank", "title", "status", "detail", "code"}, and "where" and "remedy" if
// the error has them. The remedy is a sentence, also if the error has it as data.
HttpResponse ProblemResponse(int status, const Status& error);
// Returns the response to the error with the status HttpStatusOf(error).
HttpResponse ProblemResponse(const Status& error);

}  // namespace dl::web
