// Requests and responses of HTTP, and the parts of a request's target.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "web/http/body_sink.h"
#include "web/http/stream_writer.h"

namespace dl::web {

// The path and the parameters of a request's target. All texts are decoded and valid UTF-8 without
// control characters.
struct Target {
  // "/api/v1/jobs" has the segments "api", "v1" and "jobs"; "/" has none.
  std::vector<std::string> segments;
  std::vector<std::pair<std::string, std::string>> parameters;  // in the order of the request

  // Returns the value of the first parameter with this name, or null.
  const std::string* Find(std::string_view name) const;
};

// Parses "/jobs/a%20b?first=3". "+" means a space in parameters, and itself in the path. Returns
// InvalidArgument for a target that does not begin with "/", an invalid escape, a segment that is
// empty, "." or "..", and a text that is not UTF-8 or has control characters. Ignores one "/" at
// the end of the path.
StatusOr<Target> ParseTarget(std::string_view target);

// Parses the body of a form (application/x-www-form-urlencoded). Returns InvalidArgument for an
// invalid escape, and for a text that is not UTF-8 or has control characters.
StatusOr<std::vector<std::pair<std::string, std::string>>> ParseForm(std::string_view body);

// Returns the parameters as in a target, without "?".
std::string QueryText(const Target& target);

// Returns the text with all bytes escaped except ASCII letters, digits, "-", "_", "." and "~".
std::string EscapeForTarget(std::string_view text);

struct HttpRequest {
  std::string method;  // "GET"; HEAD is presented as GET
  std::string path;    // as in the request, without parameters
  Target target;
  // Names in lower case. The values of a repeated header are joined by ", " (cookies by "; ").
  std::map<std::string, std::string> headers;
  std::string body;
  // The sink with which the service admitted the request (BodyLimit::sink). In HttpService::Answer
  // it has taken the body. Null: `body` has the body. Shared with the thread that writes the body.
  std::shared_ptr<BodySink> sink = nullptr;
  std::string peer;        // address of the client, "127.0.0.1"
  bool encrypted = false;  // whether the connection uses TLS

  // Returns the value of a header, or "" if the request does not have it. `name` is in lower case.
  std::string_view Header(std::string_view name) const;
  // Returns the value of a cookie, or nullopt.
  std::optional<std::string> Cookie(std::string_view name) const;
};

struct HttpResponse {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::vector<std::pair<std::string, std::string>> headers;  // in addition to the type and length
  std::string body;
  // If set, it is called on a thread of its own and writes the body, and `body` is not used. The
  // response ends when it returns. Not called for HEAD.
  std::function<void(StreamWriter&)> stream;
  // Length of the body that `stream` writes. The connection is closed after a shorter body.
  // nullopt: the length is unknown, and each piece is sent as a chunk.
  std::optional<int64_t> length;
  int64_t held_bytes = 0;  // memory that `stream` holds
};

}  // namespace dl::web
