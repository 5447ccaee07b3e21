// A route of the HTTP server: its requests, the right that they need, and the function that answers
// them. The description of the API (openapi.h) and the checks of requests use the same table.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "security/role.h"
#include "web/http/http_message.h"

namespace dl::web {

// A request, with its caller and the variables of its route.
struct Call {
  const HttpRequest& request;
  security::Identity caller;  // without owner and token if the request has no valid login
  std::map<std::string, std::string, std::less<>> variables;  // "job" of "/api/v1/jobs/{job}"

  // Returns the variable. REQUIRES: the route's pattern has it.
  const std::string& Variable(std::string_view name) const { return variables.find(name)->second; }
  // Returns the parameter, or `absent` if the request does not have it.
  std::string Text(std::string_view name, std::string_view absent = "") const;
  // Returns the number in a parameter of the type kInteger, or `absent` if the request does not
  // have it. REQUIRES: CheckParameters accepted its value.
  int64_t Integer(std::string_view name, int64_t absent) const;
};

// A parameter in the part of the address after "?".
struct Parameter {
  enum class Type { kText, kInteger };

  std::string_view name;
  Type type = Type::kText;
  std::string_view about;   // one sentence
  int64_t min = 0;          // kInteger
  int64_t max = INT64_MAX;  // kInteger
  bool repeated = false;    // whether it may occur several times
  // kText: the valid values, in upper or lower case. A parameter with an empty value is valid too
  // and means the same as no parameter. No words: any text is valid.
  std::span<const std::string_view> words = {};
};

// The kind of a route's answer.
enum class AnswerKind {
  kJson,      // a JSON document
  kEvents,    // server-sent events
  kText,      // text of another format
  kBytes,     // a file; no route has this kind yet
  kDownload,  // a file of a job, written piece by piece
  kPage,      // a page for people, or a file that pages load: not part of the API
};

struct Route {
  std::string method;   // "GET"
  std::string pattern;  // "/api/v1/jobs/{job}"; a variable is one segment
  // The method of the master whose roles may send the request (rpc/access.h). Empty: requests need
  // no login.
  std::string_view rpc_method;
  std::string_view about;  // one sentence, imperative
  std::vector<Parameter> parameters;
  AnswerKind answers = AnswerKind::kJson;
  std::string_view document;  // of kJson: its type (web/schemas/document_shape.h)
  int status = 200;           // of an answer that is no error
  // Most bytes of the request's body. 0: the route has no body, and accepts {} (CheckNoBody).
  int64_t body_bytes = 0;
  std::string_view body_type = "application/json";
  std::string_view body_schema;       // JSON schema of a body
  std::string_view long_body_remedy;  // what to do if the body is longer; may be empty
  // How often the body is in memory while the request is answered. The client is charged for each.
  int64_t body_copies = 1;
  // If set, it makes the sink for a body of `length` bytes, which is at most body_bytes, and
  // `answer` calls HttpRequest::sink->Finish(). Called on the thread of all connections, so it must
  // not wait. Its errors are answers.
  std::function<StatusOr<std::shared_ptr<BodySink>>(const Call&, int64_t length)> receive = nullptr;
  bool computes = false;  // the answer takes long and is made by the computing thread
  // Whether later answers to GET may differ after a request that is not GET.
  bool changes_answers = true;
  // Its name in the audit log; empty: only denied requests are recorded, under rpc_method.
  std::string_view audited;
  std::function<StatusOr<HttpResponse>(const Call&)> answer;

  // Computations change nothing, although their requests have a body.
  bool changes() const { return method != "GET" && !computes; }
};

// Returns a response with status 200 and a JSON document, to which it adds a line end.
HttpResponse JsonResponse(std::string text);

}  // namespace dl::web
