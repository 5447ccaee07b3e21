#include "web/pages/page.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/shell_word.h"
#include "rpc/remedy_text.h"
#include "web/http/http_error.h"
#include "web/pages/embedded_files.h"
#include "web/pages/page_renderer.h"

namespace dl::web {
namespace {

// Shortest time between two fetches of an open page. All pages that follow events fetch at most
// ten times a second together, because they share the processors with the training.
constexpr int64_t kShortestPauseMs = 2000, kPauseMsOfStream = 100;

int64_t PauseMs(const PageSettings& settings) {
  const int64_t streams = settings.events == nullptr ? 0 : settings.events->streams();
  return std::max(kShortestPauseMs, kPauseMsOfStream * streams);
}

std::string FlagsOf(const PageSettings& settings) {
  if (!settings.master_url.empty()) return absl::StrCat(" --master ", settings.master_url);
  if (!settings.data_dir.empty()) return absl::StrCat(" --data-dir ", ShellWord(settings.data_dir));
  return "";
}

}  // namespace

StatusOr<HttpResponse> MakePage(const Page& page, const PageSettings& settings, const Call& call,
                                Json context) {
  const std::string name(page.name);
  context["page"] = {{"name", name},
                     {"title", page.title},
                     {"path", call.request.path},
                     {"query", QueryText(call.request.target)},
                     {absl::StrCat("is_", name), true},
                     {"is_job", page.is_of_job}};
  context["user"] = ToJson(PageUser{.identity = call.caller, .read_only = settings.read_only});
  context["read_only"] = settings.read_only;
  context["version"] = settings.version;
  context["pause_ms"] = PauseMs(settings);
  const std::string flags = FlagsOf(settings);
  context["flags"] = flags;
  if (!settings.master_url.empty()) context["master_url"] = settings.master_url;
  context["assets"] = AssetVersion();
  AddPageValues(context, flags);
  DL_ASSIGN_OR_RETURN(std::string text, RenderPage(page.name, context));
  return HttpResponse{.content_type = "text/html; charset=utf-8", .body = std::move(text)};
}

HttpResponse ErrorPage(int status, const Status& error, const PageSettings& settings,
                       const Call& call) {
  const HttpResponse problem =
      ProblemResponse(status, rpc::WithRemedyText(error, FlagsOf(settings)));
  StatusOr<Json> document = ParseJson(problem.body, "error");
  if (!document.ok()) return problem;
  StatusOr<HttpResponse> page =
      MakePage({.name = "error", .title = document->value("title", "Error")}, settings, call,
               {{"problem", *document}});
  if (!page.ok()) return problem;
  page->status = status;
  return *std::move(page);
}

}  // namespace dl::web
