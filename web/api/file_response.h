// A file as a response, with the requests for a part of it and for a newer version.
#pragma once

#include "web/http/http_message.h"
#include "web/model_service.h"

namespace dl::web {

// Returns the response to a request for the file (RFC 9110, sections 13 and 14):
//
// - 304 if the header If-None-Match has the version of the file.
// - 206 with the bytes of the header Range if it has one range, and the header If-Range is absent
// or
//   has the version. 416 for a range beyond the end.
// - 200 with the whole file otherwise.
HttpResponse FileResponse(const HttpRequest& request, ModelFile file);

}  // namespace dl::web
