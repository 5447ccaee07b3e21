// The functions that an HTTP server calls for each request.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>

#include "web/http/http_message.h"

namespace dl::web {

// The limits of an admitted request.
struct BodyLimit {
  int64_t bytes = 0;      // most bytes of the body
  std::string remedy;     // what to do if the body is longer; may be empty
  std::string client;     // whose share of the memory the body and the answer use
  bool computes = false;  // the answer takes long, so the server's computing thread makes it
  int64_t copies = 1;  // of the body in memory until the answer is made, the body itself included
  // If set, it takes the body, and HttpRequest::body stays empty.
  std::shared_ptr<BodySink> sink = nullptr;
};

// Thread-safe.
class HttpService {
 public:
  virtual ~HttpService() = default;
  // Called with the head of a request before its body is read. `request` has no body. Returns the
  // response if the request is refused, or the limits with which it is admitted. Must not wait,
  // because it is called on the thread of all connections.
  virtual std::variant<HttpResponse, BodyLimit> CheckHead(const HttpRequest& request) = 0;
  // Answers a request that was admitted and whose body has arrived. Called on the computing thread
  // if BodyLimit::computes is set, otherwise on a thread of a pool. May wait.
  virtual HttpResponse Answer(const HttpRequest& request) = 0;
};

}  // namespace dl::web
