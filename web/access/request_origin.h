// Checks that a request comes from a page of this server and not from another site.
#pragma once

#include <set>
#include <string>

#include "base/status.h"
#include "web/http/http_message.h"

namespace dl::web {

// Returns whether the Host of a request names this server: any IP address, "localhost", or one of
// `names` (in lower case), with any port. Another site can make a browser send requests here by
// changing the address of its own name (DNS rebinding); the Host is then that name. An IP address
// cannot be changed in this way.
bool IsOwnHost(std::string_view host, const std::set<std::string, std::less<>>& names);

// Checks a request that changes something. Returns Denied if a page of another site may have sent
// it (CSRF): its header Origin names another server or is "null", or it has no Origin and
// `has_cookie`. Browsers send "null" for pages without an origin, such as a frame in a sandbox, and
// for pages with the policy "no-referrer", which pages of this server therefore must not have.
// `has_cookie` is whether its login is the cookie, and not the header Authorization.
Status CheckOrigin(const HttpRequest& request, bool has_cookie);

}  // namespace dl::web
