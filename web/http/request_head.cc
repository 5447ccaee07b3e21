#include "web/http/request_head.h"

#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace dl::web {

namespace http = boost::beast::http;

StatusOr<HttpRequest> RequestOf(const http::request<http::string_body>& head) {
  HttpRequest request;
  request.method = std::string(head.method_string());
  if (head.method() == http::verb::head) request.method = "GET";
  const std::string target(head.target());
  request.path = target.substr(0, target.find('?'));
  DL_ASSIGN_OR_RETURN(request.target, ParseTarget(target));
  for (const auto& field : head) {
    const std::string name = absl::AsciiStrToLower(
        absl::string_view(field.name_string().data(), field.name_string().size()));
    std::string& value = request.headers[name];
    if (name == "host" && !value.empty())
      return InvalidArgument({.message = "the request has more than one Host"});
    absl::StrAppend(&value,
                    value.empty()      ? ""
                    : name == "cookie" ? "; "
                                       : ", ",
                    absl::string_view(field.value().data(), field.value().size()));
  }
  return request;
}

}  // namespace dl::web
