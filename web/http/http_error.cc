#include "web/http/http_error.h"

#include "base/json.h"
#include "rpc/remedy_text.h"

namespace dl::web {

int HttpStatusOf(const Status& error) {
  switch (error.code()) {
    case absl::StatusCode::kInvalidArgument:
      return 400;
    case absl::StatusCode::kUnauthenticated:
      return 401;
    case absl::StatusCode::kNotFound:
      return 404;
    case absl::StatusCode::kFailedPrecondition:
    case absl::StatusCode::kAborted:
      return 409;
    case absl::StatusCode::kResourceExhausted:
      return 429;
    case absl::StatusCode::kUnimplemented:
      return 501;
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kCancelled:
      return 503;
    case absl::StatusCode::kDeadlineExceeded:
      return 504;
    default:
      return 500;
  }
}

std::string_view HttpStatusName(int status) {
  switch (status) {
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 409:
      return "Conflict";
    case 411:
      return "Length Required";
    case 413:
      return "Content Too Large";
    case 416:
      return "Range Not Satisfiable";
    case 421:
      return "Misdirected Request";
    case 429:
      return "Too Many Requests";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 503:
      return "Service Unavailable";
    case 504:
      return "Gateway Timeout";
    default:
      return "";
  }
}

HttpResponse ProblemResponse(int status, const Status& error) {
  const Status shown = rpc::WithRemedyText(error);
  Json problem = {{"type", "about:blank"},
                  {"title", HttpStatusName(status)},
                  {"status", status},
                  {"detail", std::string(shown.message())},
                  {"code", std::string(ErrorCodeName(shown.code()))}};
  if (const std::string where = ErrorWhere(shown); !where.empty()) problem["where"] = where;
  if (const std::string remedy = ErrorRemedy(shown); !remedy.empty()) problem["remedy"] = remedy;
  return {.status = status,
          .content_type = "application/problem+json",
          .body = JsonText(problem) + "\n"};
}

HttpResponse ProblemResponse(const Status& error) {
  return ProblemResponse(HttpStatusOf(error), error);
}

}  // namespace dl::web
