// A file as a response, with the requests for a part of it and for a newer version.
#pragma once

#include "web/http/http_message.h"
#include "web/model_service.h"

namespace dl::web {

// Returns the response to a request for the file (RFC 9110, sections 13 and 14):
//
// - 304 if the header If-None-Match has the version of the file, or "*".
// - 206 with the bytes of the header Range, if it has one valid range, and the header If-Range is
//   absent or has the version. 416 instead if the file has no byte in this range.
// - 200 with the whole file otherwise.
HttpResponse FileResponse(const HttpRequest& request, ModelFile file);

}  // namespace dl::web
