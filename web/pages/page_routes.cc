#include "web/pages/page_routes.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/checksum.h"
#include "base/json.h"
#include "base/limits.h"
#include "rpc/checkpoint_list.h"
#include "web/api/action_routes.h"
#include "web/api/dataset_summary.h"
#include "web/api/job_list.h"
#include "web/api/job_routes.h"
#include "web/documents/job_comparison.h"
#include "web/http/http_error.h"
#include "web/pages/embedded_files.h"
#include "web/pages/job_page_documents.h"
#include "web/pages/page_documents.h"

namespace dl::web {
namespace {

constexpr char kReads[] = "Query";
constexpr int64_t kMaxActionForm = 4096;  // bytes

// Makes the documents of a page.
using MakeContext = std::function<StatusOr<Json>(const Call&)>;

Route PageRoute(std::string pattern, Page page, const PageSettings& settings, MakeContext make) {
  return {.method = "GET",
          .pattern = std::move(pattern),
          .rpc_method = kReads,
          .about = "Show a page",
          .answers = AnswerKind::kPage,
          .answer = [page = std::move(page), &settings,
                     make = std::move(make)](const Call& call) -> StatusOr<HttpResponse> {
            DL_ASSIGN_OR_RETURN(Json context, make(call));
            Page shown = page;
            if (page.is_of_job) shown.title = absl::StrCat(call.Variable("job"), " · ", page.title);
            return MakePage(shown, settings, call, std::move(context));
          }};
}

// Adds the documents of a page to its context (job_page_documents.h).
using AddDocuments = std::function<Status(rpc::ClientService&, const Call&, Json&)>;

// A page of one job, whose context has `job` and what `add` adds.
Route JobPageRoute(rpc::ClientService& master, const PageSettings& settings,
                   std::string_view suffix, Page page, AddDocuments add) {
  page.is_of_job = true;
  return PageRoute(absl::StrCat("/jobs/{job}", std::string(suffix)), std::move(page), settings,
                   [&master, &settings, add = std::move(add)](const Call& call) -> StatusOr<Json> {
                     PageDocuments documents(
                         master, {.identity = call.caller, .read_only = settings.read_only});
                     Json context = Json::object();
                     DL_ASSIGN_OR_RETURN(context["job"], documents.Job(call.Variable("job")));
                     DL_RETURN_IF_ERROR(add(master, call, context));
                     return context;
                   });
}

bool HasCheckpoint(const Json& job) {
  const auto checkpoint = job.find("checkpoint");
  return checkpoint != job.end() && !checkpoint->is_null();
}

std::vector<Route> JobPageRoutes(rpc::ClientService& master, const PageSettings& settings) {
  struct Row {
    std::string_view suffix;
    Page page;
    Status (*add)(rpc::ClientService&, Json&);
  };
  const Row rows[] = {
      {"", {.name = "overview", .title = "Overview"}, AddOverview},
      {"/model", {.name = "model", .title = "Model"}, AddModel},
      {"/checkpoints", {.name = "checkpoints", .title = "Checkpoints"}, AddCheckpoints},
      {"/executors", {.name = "executors", .title = "Executors"}, AddJobExecutors},
      {"/settings", {.name = "settings", .title = "Settings"}, AddSettings},
  };
  std::vector<Route> routes;
  for (const Row& row : rows) {
    routes.push_back(
        JobPageRoute(master, settings, row.suffix, row.page,
                     [add = row.add](rpc::ClientService& service, const Call&, Json& context) {
                       return add(service, context);
                     }));
  }
  routes.push_back(JobPageRoute(master, settings, "/timeline",
                                {.name = "timeline", .title = "Timeline"},
                                [](rpc::ClientService& service, const Call& call, Json& context) {
                                  return AddTimeline(service, call.Integer("last", 0), context);
                                }));
  routes.back().parameters = {
      {.name = "last", .type = Parameter::Type::kInteger, .about = "", .min = 1}};
  routes.push_back(JobPageRoute(master, settings, "/log", {.name = "log", .title = "Log"},
                                [](rpc::ClientService& service, const Call& call, Json& context) {
                                  return AddEvents(service, call.Integer("before", 0), context);
                                }));
  routes.back().parameters = {
      {.name = "before", .type = Parameter::Type::kInteger, .about = "", .min = 1}};
  return routes;
}

// Pages that use the models and the data of a job.
std::vector<Route> ModelPageRoutes(rpc::ClientService& master, ModelService* models,
                                   const PageSettings& settings) {
  constexpr auto kInteger = Parameter::Type::kInteger;
  const Page evaluation{.name = "evaluation", .title = "Evaluation"};
  std::vector<Route> routes;
  routes.push_back(JobPageRoute(master, settings, "/evaluation", evaluation,
                                [models](rpc::ClientService& service, const Call&, Json& context) {
                                  context["evaluates"] =
                                      models != nullptr && HasCheckpoint(context["job"]);
                                  return AddEvaluation(service, context);
                                }));
  routes.push_back(JobPageRoute(
      master, settings, "/data", {.name = "data", .title = "Data"},
      [models](rpc::ClientService& service, const Call& call, Json& context) {
        return AddDatasets(
            service,
            {.models = models, .set = call.Text("set", "train"), .first = call.Integer("first", 0)},
            context);
      }));
  routes.back().parameters = {{.name = "set", .about = ""},
                              {.name = "first", .type = kInteger, .about = ""}};
  if (models == nullptr) return routes;
  routes.push_back(
      JobPageRoute(master, settings, "/evaluation/checkpoint", evaluation,
                   [models](rpc::ClientService& service, const Call&, Json& context) -> Status {
                     context["evaluates"] = true;
                     DL_RETURN_IF_ERROR(AddEvaluation(service, context));
                     return AddCheckpointEvaluation(service, *models, context);
                   }));
  routes.back().rpc_method = "FetchCheckpoint";
  routes.back().computes = true;
  routes.push_back({.method = "GET",
                    .pattern = "/jobs/{job}/data/pictures/{index}",
                    .rpc_method = kReads,
                    .about = "Show an example of the data as a picture",
                    .parameters = {{.name = "set", .about = ""}},
                    .answers = AnswerKind::kPage,
                    .answer = [&master, models](const Call& call) -> StatusOr<HttpResponse> {
                      int64_t index = -1;
                      if (!absl::SimpleAtoi(call.Variable("index"), &index)) index = -1;
                      DL_ASSIGN_OR_RETURN(std::string png,
                                          models->Picture(master, {.job = call.Variable("job"),
                                                                   .set = call.Text("set", "train"),
                                                                   .index = index}));
                      return HttpResponse{.content_type = "image/png", .body = std::move(png)};
                    }});
  return routes;
}

Route CompareRoute(rpc::ClientService& master, const PageSettings& settings) {
  constexpr int64_t kOffered = 50;  // newest jobs that the page offers
  Route route = PageRoute(
      "/compare", {.name = "compare", .title = "Compare"}, settings,
      [&master, &settings](const Call& call) -> StatusOr<Json> {
        PageDocuments documents(master, {.identity = call.caller, .read_only = settings.read_only});
        std::vector<Json> chosen;
        std::set<std::string> names;
        for (const auto& [name, value] : call.request.target.parameters) {
          if (name != "job" || !names.insert(value).second) continue;
          if (chosen.size() == kMaxCompared) {
            return InvalidArgument(
                {.message = absl::StrCat("a page compares at most ", kMaxCompared, " jobs"),
                 .where = "job"});
          }
          DL_ASSIGN_OR_RETURN(Json job, documents.Job(value));
          chosen.push_back(std::move(job));
        }
        Json context = Json::object();
        if (!chosen.empty()) {
          DL_ASSIGN_OR_RETURN(context["compare"], Comparison(master, std::move(chosen)));
          AddTable(context["compare"]);
        }
        DL_ASSIGN_OR_RETURN(Json offered, documents.NewestJobs(kOffered));
        for (Json& job : offered) job["is_chosen"] = names.contains(job.value("job", ""));
        context["has_jobs"] = !offered.empty();
        context["jobs"]["jobs"] = std::move(offered);
        return context;
      });
  route.parameters = {{.name = "job", .about = "", .repeated = true}};
  return route;
}

Route JobsRoute(rpc::ClientService& master, const PageSettings& settings) {
  Route route = PageRoute(
      "/", {.name = "jobs", .title = "Jobs"}, settings,
      [&master, &settings](const Call& call) -> StatusOr<Json> {
        PageDocuments documents(master, {.identity = call.caller, .read_only = settings.read_only});
        const JobListRequest wanted = {.before = call.Integer("before", 0),
                                       .limit = call.Integer("limit", 50),
                                       .state = call.Text("state"),
                                       .text = call.Text("text")};
        Json context = Json::object();
        DL_ASSIGN_OR_RETURN(context["jobs"], documents.Jobs(wanted));
        if (wanted.before > 0) context["jobs"]["before"] = wanted.before;
        context["filter"] = {{"state", wanted.state},
                             {"text", wanted.text},
                             {"active", !wanted.state.empty() || !wanted.text.empty()}};
        return context;
      });
  route.parameters = {
      {.name = "before", .type = Parameter::Type::kInteger, .about = "", .min = 1},
      {.name = "limit", .type = Parameter::Type::kInteger, .about = "", .min = 1, .max = 500},
      {.name = "state", .about = "", .words = kJobStates},
      {.name = "text", .about = ""}};
  return route;
}

// Returns the action with this word, or nullopt.
std::optional<rpc::JobAction> ActionOf(std::string_view word) {
  using enum rpc::JobAction;
  for (const rpc::JobAction action :
       {kCancel, kPause, kResume, kCheckpoint, kPin, kUnpin, kDelete}) {
    if (rpc::JobActionName(action) == word) return action;
  }
  return std::nullopt;
}

// The buttons of pages, which work without scripts: a form that returns to the page.
Route ActionFormRoute(rpc::ClientService& master) {
  return {
      .method = "POST",
      .pattern = "/jobs/{job}/actions",
      .rpc_method = "Act",
      .about = "Perform an action from a form",
      .answers = AnswerKind::kPage,
      .body_bytes = kMaxActionForm,
      .audited = "act",
      .answer = [&master](const Call& call) -> StatusOr<HttpResponse> {
        DL_ASSIGN_OR_RETURN(const auto fields, ParseForm(call.request.body));
        rpc::JobActionRequest request{.job = call.Variable("job")};
        std::optional<rpc::JobAction> action;
        std::optional<rpc::RoundName> round;
        bool pinned = false;  // delete pinned checkpoints too
        std::string back = absl::StrCat("/jobs/", EscapeForTarget(request.job));
        for (const auto& [name, value] : fields) {
          if (name == "action") action = ActionOf(value);
          if (name == "round") round = rpc::ParseRound(value);
          if (name == "pinned") pinned = true;
          if (name == "page" && IsLocalPath(value)) back = value;
        }
        if (!action) {
          return InvalidArgument({.message = "the form has no known action", .where = "action"});
        }
        request.action = *action;
        if (round && round->which == rpc::RoundName::Which::kNumber) {
          request.round = round->number;
          request.set_aside = round->set_aside;
        }
        if (*action == rpc::JobAction::kDelete) request.round = pinned ? INT64_MAX : -1;
        DL_RETURN_IF_ERROR(Act(master, call.caller, request).status());
        if (*action == rpc::JobAction::kDelete) back = "/";
        return HttpResponse{.status = 303, .headers = {{"Location", back}}};
      }};
}

std::string_view TypeOf(std::string_view name) {
  if (name.ends_with(".js")) return "text/javascript; charset=utf-8";
  if (name.ends_with(".css")) return "text/css; charset=utf-8";
  if (name.ends_with(".svg")) return "image/svg+xml";
  return "application/octet-stream";
}

}  // namespace

bool IsLocalPath(std::string_view path) {
  return path.starts_with('/') && !path.starts_with("//") && !path.starts_with("/\\") &&
         std::ranges::none_of(path, [](char c) { return absl::ascii_iscntrl(c); });
}

std::vector<Route> PageRoutes(rpc::ClientService& master, ModelService* models,
                              const PageSettings& settings) {
  std::vector<Route> routes;
  routes.push_back(JobsRoute(master, settings));
  std::ranges::move(JobPageRoutes(master, settings), std::back_inserter(routes));
  std::ranges::move(ModelPageRoutes(master, models, settings), std::back_inserter(routes));
  routes.push_back(CompareRoute(master, settings));
  routes.push_back(PageRoute("/cluster", {.name = "cluster", .title = "Cluster"}, settings,
                             [&master, &settings](const Call& call) -> StatusOr<Json> {
                               PageDocuments documents(master, {.identity = call.caller,
                                                                .read_only = settings.read_only});
                               return documents.Cluster();
                             }));
  if (!settings.read_only) routes.push_back(ActionFormRoute(master));
  return routes;
}

std::vector<Route> AssetRoutes() {
  return {{.method = "GET",
           .pattern = "/assets/{file}",
           .about = "Read a script, a style or a picture of the pages",
           .parameters = {{.name = "v", .about = ""}},
           .answers = AnswerKind::kPage,
           .answer = [](const Call& call) -> StatusOr<HttpResponse> {
             const std::string name = absl::StrCat("dist/", call.Variable("file"));
             const auto content = FindEmbeddedFile(name);
             if (!content) {
               return NotFound({.message = "there is no such file", .where = call.request.path});
             }
             const std::string tag = absl::StrCat("\"", absl::Hex(Xxh3(*content)), "\"");
             // The address of a page's files changes with their content.
             const bool lasts = call.Text("v") == AssetVersion();
             HttpResponse response = {
                 .content_type = std::string(TypeOf(name)),
                 .headers = {{"Cache-Control", lasts ? "max-age=31536000, immutable" : "no-cache"},
                             {"ETag", tag}}};
             if (call.request.Header("if-none-match") == tag) {
               response.status = 304;
             } else {
               response.body = std::string(*content);
             }
             return response;
           }}};
}

}  // namespace dl::web
