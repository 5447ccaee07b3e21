// Turns the parsed head of a request into the form that services see.
#pragma once

#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>

#include "base/status.h"
#include "web/http/http_message.h"

namespace dl::web {

// Returns the request of a parsed head. `peer`, `encrypted`, `body` and `sink` are left for the
// caller, and HEAD becomes GET. Returns InvalidArgument for a head that no service should see:
// errors of ParseTarget, and more than one Host.
StatusOr<HttpRequest> RequestOf(
    const boost::beast::http::request<boost::beast::http::string_body>& head);

}  // namespace dl::web
