#include "web/access/request_origin.h"

#include <arpa/inet.h>

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace dl::web {
namespace {

// Returns the name or address in "name:port", "1.2.3.4" or "[::1]:port", in lower case and without
// brackets. Returns "" for another form.
std::string NameOf(std::string_view host) {
  std::string_view name = host;
  std::string_view port;
  if (host.starts_with('[')) {
    const size_t end = host.find(']');
    if (end == std::string_view::npos) return "";
    name = host.substr(1, end - 1);
    port = host.substr(end + 1);
  } else if (const size_t colon = host.find(':'); colon != std::string_view::npos) {
    name = host.substr(0, colon);
    port = host.substr(colon);
  }
  if (!port.empty()) {
    if (!port.starts_with(':')) return "";
    if (!std::ranges::all_of(port.substr(1), [](char c) { return absl::ascii_isdigit(c); }))
      return "";
  }
  return absl::AsciiStrToLower(std::string(name));
}

bool IsAddress(const std::string& name) {
  in6_addr address;
  return inet_pton(AF_INET, name.c_str(), &address) == 1 ||
         inet_pton(AF_INET6, name.c_str(), &address) == 1;
}

}  // namespace

bool IsOwnHost(std::string_view host, const std::set<std::string, std::less<>>& names) {
  const std::string name = NameOf(host);
  return name == "localhost" || IsAddress(name) || names.contains(name);
}

Status CheckOrigin(const HttpRequest& request, bool has_cookie) {
  const std::string_view origin = request.Header("origin");
  const std::string own =
      absl::StrCat(request.encrypted ? "https://" : "http://", std::string(request.Header("host")));
  if (origin == own) return absl::OkStatus();
  if (origin.empty() && !has_cookie) return absl::OkStatus();
  return Denied({.message = "the request comes from a page of another site, or from a program that "
                            "uses the cookie of a browser",
                 .remedy = "In a browser, open the page at the address of this server and try "
                           "again. Programs send the header Authorization: Bearer TOKEN"});
}

}  // namespace dl::web
