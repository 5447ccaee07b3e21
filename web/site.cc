#include "web/site.h"

#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "rpc/access.h"
#include "rpc/peer_network.h"
#include "web/api/action_routes.h"
#include "web/api/block_routes.h"
#include "web/api/cluster_routes.h"
#include "web/api/event_routes.h"
#include "web/api/import_routes.h"
#include "web/api/job_routes.h"
#include "web/api/model_routes.h"
#include "web/api/openapi.h"
#include "web/api/submit_routes.h"
#include "web/caller_share.h"
#include "web/http/http_error.h"
#include "web/pages/login_routes.h"
#include "web/pages/page_routes.h"

namespace dl::web {
namespace {

// Largest answer that is made in memory: the share of a client (HttpOptions::held_bytes_of_client).
constexpr int64_t kMaxAnswerBytes = int64_t{32} << 20;

// Bytes of a body that are read only to refuse it with a sentence (CheckNoBody).
constexpr int64_t kNoBodyBytes = int64_t{64} << 10;

// Pages run only scripts of this server, and other sites cannot show them in a frame.
constexpr char kContentPolicy[] =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

std::set<std::string, std::less<>> LowerCase(const std::vector<std::string>& names) {
  std::set<std::string, std::less<>> lower;
  for (const std::string& name : names) lower.insert(absl::AsciiStrToLower(name));
  return lower;
}

void Append(std::vector<Route>& routes, std::vector<Route> more) {
  std::ranges::move(more, std::back_inserter(routes));
}

HttpResponse WithSecurityHeaders(HttpResponse response) {
  auto& headers = response.headers;
  headers.emplace_back("Content-Security-Policy", kContentPolicy);
  headers.emplace_back("X-Content-Type-Options", "nosniff");
  // The address of a login has a code, so other sites get no Referer. With "no-referrer", browsers
  // would send "Origin: null" with the forms of pages (Fetch, "append a request Origin header").
  headers.emplace_back("Referrer-Policy", "same-origin");
  const bool has_cache = std::ranges::any_of(
      headers, [](const auto& header) { return header.first == "Cache-Control"; });
  if (!has_cache) headers.emplace_back("Cache-Control", "no-store");
  return response;
}

// Returns an error instead of an answer that is too long to be held for its client.
HttpResponse WithinLimit(HttpResponse response) {
  if (static_cast<int64_t>(response.body.size()) <= kMaxAnswerBytes) return response;
  return ProblemResponse(ResourceExhausted(
      {.message = absl::StrCat("the answer has ", response.body.size(), " bytes, more than the ",
                               kMaxAnswerBytes, " that an answer of HTTP may have"),
       .remedy = "Ask for fewer rounds or series, or use dl-submit"}));
}

bool MayCall(const Route& route, const security::Identity& caller) {
  const rpc::Access* const access = rpc::FindAccess(route.rpc_method);
  return access != nullptr && access->Allows(caller.role);
}

}  // namespace

Site::Site(const WebServerOptions& options, const WebServices& services, int port)
    : services_(services),
      settings_({.version = options.version,
                 .read_only = options.read_only,
                 .master_url = options.master_url,
                 .data_dir = options.data_dir,
                 .events = &events_}),
      events_(*services.clients),
      access_({.tokens = services.tokens,
               .sessions = &sessions_,
               .host_names = LowerCase(options.host_names),
               .port = port}),
      routes_(AllRoutes()) {
  openapi_ = OpenApiDocument(routes_.routes(), options.version);
}

void Site::Stop() {
  events_.Stop();
  if (services_.models != nullptr) services_.models->Stop();
}

std::vector<Route> Site::AllRoutes() {
  rpc::ClientService& master = *services_.clients;
  std::vector<Route> routes = JobRoutes(master);
  Append(routes, EventRoutes(master, events_, access_));
  Append(routes, ClusterRoutes(master));
  if (services_.models != nullptr) Append(routes, ModelRoutes(master, *services_.models));
  if (!settings_.read_only) {
    Append(routes, ActionRoutes(master));
    ImportService& imports = services_.imports == nullptr ? no_imports_ : *services_.imports;
    Append(routes, SubmitRoutes(master, imports));
    Append(routes, BlockRoutes(master));
    Append(routes, ImportRoutes(imports));
  }
  routes.push_back(
      {.method = "GET",
       .pattern = "/api/v1/openapi.json",
       .about = "Describe all routes (OpenAPI)",
       .document = "OpenApi",
       .answer = [this](const Call&) -> StatusOr<HttpResponse> { return JsonResponse(openapi_); }});
  Append(routes, PageRoutes(master, services_.models, settings_));
  Append(routes, LoginRoutes(access_, sessions_, settings_,
                             [this](const Call& call, const security::Identity& who,
                                    std::string_view result) { AuditLogin(call, who, result); }));
  Append(routes, AssetRoutes());
  return routes;
}

HttpResponse Site::ErrorResponse(const Route& route, const Call& call, int status,
                                 const Status& error) const {
  if (route.answers != AnswerKind::kPage) return ProblemResponse(status, error);
  return ErrorPage(status, error, settings_, call);
}

HttpResponse Site::Deny(const Route& route, const Call& call, bool is_known) {
  Audit(route, call, "denied");
  if (is_known) {
    return ErrorResponse(
        route, call, 403,
        Denied({.message =
                    absl::StrCat("the role \"", std::string(security::RoleName(call.caller.role)),
                                 "\" may not do this")}));
  }
  if (route.answers == AnswerKind::kPage && !route.changes()) {
    std::string next = call.request.path;
    return {.status = 303,
            .headers = {{"Location", absl::StrCat("/login?next=", EscapeForTarget(next))}}};
  }
  HttpResponse response = ErrorResponse(
      route, call, 401,
      Denied({.message = "the request has no valid token and no valid session",
              .remedy = "Send the header Authorization: Bearer TOKEN, or log in at /login"}));
  response.headers.emplace_back("WWW-Authenticate", "Bearer");
  return response;
}

std::variant<HttpResponse, Site::CheckedRequest> Site::Check(const HttpRequest& request) {
  RouteTable::Match match = routes_.Find(request);
  const bool changes = request.method != "GET";
  const bool is_api = !request.target.segments.empty() && request.target.segments[0] == "api";
  const Route nothing = {.answers = is_api ? AnswerKind::kJson : AnswerKind::kPage};
  std::optional<security::Identity> caller = access_.FindCaller(request);
  if (const Status source = access_.CheckSource(request, changes); !source.ok()) {
    const bool is_host = absl::IsInvalidArgument(source);
    AuditSource(request, caller, is_host ? "Host" : "Origin");
    // The page has no text about the caller, because another site may have sent the request.
    return ErrorResponse(match.route == nullptr ? nothing : *match.route, {.request = request},
                         is_host ? 421 : 403, source);
  }
  if (match.route == nullptr) {
    const Call call{.request = request, .caller = caller.value_or(security::Identity{})};
    if (match.others.empty()) {
      return ErrorResponse(nothing, call, 404,
                           NotFound({.message = "there is no such page", .where = request.path}));
    }
    HttpResponse response = ErrorResponse(
        *match.others.front(), call, 405,
        InvalidArgument(
            {.message = absl::StrCat("this address does not know the method ", request.method),
             .where = request.path}));
    response.headers.emplace_back(
        "Allow", absl::StrJoin(match.others, ", ", [](std::string* out, const Route* other) {
          absl::StrAppend(out, other->method);
        }));
    return response;
  }
  CheckedRequest admitted{.route = match.route,
                          .call = {.request = request,
                                   .caller = caller.value_or(security::Identity{}),
                                   .variables = std::move(match.variables)}};
  if (!match.route->rpc_method.empty()) {
    if (!caller || !MayCall(*match.route, *caller))
      return Deny(*match.route, admitted.call, caller.has_value());
  }
  if (const Status parameters = CheckParameters(*match.route, request); !parameters.ok())
    return ErrorResponse(*match.route, admitted.call, 400, parameters);
  return admitted;
}

std::variant<HttpResponse, BodyLimit> Site::CheckHead(const HttpRequest& request) {
  auto checked = Check(request);
  if (auto* refusal = std::get_if<HttpResponse>(&checked))
    return WithSecurityHeaders(std::move(*refusal));
  const auto& [route, call] = std::get<CheckedRequest>(checked);
  const bool may_be_empty_object = request.method != "GET" && route->body_bytes == 0;
  std::shared_ptr<BodySink> sink;
  int64_t length = 0;
  (void)absl::SimpleAtoi(std::string(request.Header("content-length")), &length);
  if (route->receive && length <= route->body_bytes) {
    auto made = route->receive(call, length);
    if (!made.ok()) {
      Audit(*route, call, ErrorCodeName(made.status().code()));
      return WithSecurityHeaders(
          ErrorResponse(*route, call, HttpStatusOf(made.status()), made.status()));
    }
    sink = *std::move(made);
  }
  return BodyLimit{.bytes = may_be_empty_object ? kNoBodyBytes : route->body_bytes,
                   .remedy = std::string(route->long_body_remedy),
                   .client = MemoryShareOf(call.caller, call.request.peer),
                   .computes = route->computes,
                   .copies = route->body_copies,
                   .sink = std::move(sink)};
}

HttpResponse Site::Answer(const HttpRequest& request) {
  // Checked again, because a token may have been revoked while the body arrived.
  auto checked = Check(request);
  if (auto* refusal = std::get_if<HttpResponse>(&checked))
    return WithSecurityHeaders(std::move(*refusal));
  const auto& [route, call] = std::get<CheckedRequest>(checked);
  if (route->body_bytes == 0) {
    if (const Status no_body = CheckNoBody(*route, request); !no_body.ok())
      return WithSecurityHeaders(ErrorResponse(*route, call, 400, no_body));
  }
  if (request.method != "GET" || route->rpc_method.empty() ||
      route->answers == AnswerKind::kEvents || route->answers == AnswerKind::kDownload) {
    return WithSecurityHeaders(AnswerTo(*route, call));
  }
  // The same page may be open in many browsers.
  const std::string key =
      absl::StrCat(request.path, "?", QueryText(request.target), "\n", call.caller.owner, "\n",
                   std::string(security::RoleName(call.caller.role)));
  return WithSecurityHeaders(answer_cache_.Get(key, [&] { return AnswerTo(*route, call); }));
}

HttpResponse Site::AnswerTo(const Route& route, const Call& call) {
  StatusOr<HttpResponse> response = route.answer(call);
  Audit(route, call, response.ok() ? "ok" : ErrorCodeName(response.status().code()));
  if (route.changes() && route.changes_answers) answer_cache_.Clear();
  if (response.ok()) return WithinLimit(*std::move(response));
  // The master also refuses what another owner's job is about; the caller is known here.
  const int status =
      absl::IsUnauthenticated(response.status()) ? 403 : HttpStatusOf(response.status());
  return ErrorResponse(route, call, status, response.status());
}

void Site::AuditSource(const HttpRequest& request, const std::optional<security::Identity>& caller,
                       std::string_view header) const {
  if (services_.audit == nullptr) return;
  const std::string name = absl::AsciiStrToLower(std::string(header));
  services_.audit->Write({.caller = caller.value_or(security::Identity{}),
                          .address = request.peer,
                          .network = rpc::NetworkOf(request.peer),
                          .action = std::string(header),
                          .subject = std::string(request.Header(name)),
                          .result = "denied"});
}

void Site::AuditLogin(const Call& call, const security::Identity& who,
                      std::string_view result) const {
  if (services_.audit == nullptr) return;
  services_.audit->Write({.caller = who,
                          .address = call.request.peer,
                          .network = rpc::NetworkOf(call.request.peer),
                          .action = "login",
                          .result = std::string(result)});
}

void Site::Audit(const Route& route, const Call& call, std::string_view result) const {
  if (services_.audit == nullptr) return;
  if (route.audited.empty() && result != "denied") return;
  const auto job = call.variables.find("job");
  services_.audit->Write(
      {.caller = call.caller,
       .address = call.request.peer,
       .network = rpc::NetworkOf(call.request.peer),
       .action = std::string(route.audited.empty() ? route.rpc_method : route.audited),
       .subject = job == call.variables.end() ? "" : job->second,
       .result = std::string(result),
       .administrative = call.caller.role == security::Role::kAdmin && route.changes()});
}

}  // namespace dl::web
