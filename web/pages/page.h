// The parts that all pages have in common.
#pragma once

#include <string>
#include <string_view>

#include "base/json_fwd.h"
#include "base/status.h"
#include "web/api/event_broadcast.h"
#include "web/api/route.h"
#include "web/pages/page_values.h"

namespace dl::web {

// Shared by all pages.
struct PageSettings {
  std::string version;               // of the program
  bool read_only = false;            // the server performs no actions
  std::string master_url, data_dir;  // WebServerOptions
  // Its open streams decide how often pages fetch answers. Null: as if there were none.
  const EventBroadcast* events = nullptr;
};

struct Page {
  std::string_view name;   // of its template; "is_NAME" is true in `page`
  std::string title;       // of the browser's window
  bool is_of_job = false;  // a page of one job
};

// Renders a page with the documents in `context`, and with "page", "user", "read_only", "version",
// "pause_ms" and "assets". "flags" has the flag with which commands of dl-submit find the jobs:
// " --master URL", " --data-dir DIR", or "" if the settings have neither. "master_url" is the
// address of a standing master, and is absent without one. "pause_ms" is the least time between two
// fetches of an open page. Errors as RenderPage.
StatusOr<HttpResponse> MakePage(const Page& page, const PageSettings& settings, const Call& call,
                                Json context);

// Returns the page of an error, with this status of HTTP. If this page cannot be rendered, returns
// the error as JSON (ProblemResponse).
HttpResponse ErrorPage(int status, const Status& error, const PageSettings& settings,
                       const Call& call);

}  // namespace dl::web
