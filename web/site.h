// Answers all requests of the web server: checks each request and calls its route.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "web/access/access_rules.h"
#include "web/access/browser_sessions.h"
#include "web/answer_cache.h"
#include "web/api/event_broadcast.h"
#include "web/api/route_table.h"
#include "web/http/http_service.h"
#include "web/no_imports.h"
#include "web/pages/page.h"
#include "web/web_server.h"

namespace dl::web {

// Thread-safe.
class Site final : public HttpService {
 public:
  // The services must outlive this object. `port` is the port of the server.
  Site(const WebServerOptions& options, const WebServices& services, int port);

  std::variant<HttpResponse, BodyLimit> CheckHead(const HttpRequest& request) override;
  HttpResponse Answer(const HttpRequest& request) override;

  BrowserSessions& sessions() { return sessions_; }
  const RouteTable& routes() const { return routes_; }
  // Makes waits for events and computations end soon. Waits for the threads that read events.
  // Idempotent.
  void Stop();

 private:
  // A request that passed the checks.
  struct CheckedRequest {
    const Route* route = nullptr;
    Call call;
  };
  // Returns the response that refuses the request, or the request with its route and caller.
  std::variant<HttpResponse, CheckedRequest> Check(const HttpRequest& request);
  // Returns the answer to a request that has no valid login (`is_known` is false), or whose caller
  // has a role that may not send it (`is_known` is true).
  HttpResponse Deny(const Route& route, const Call& call, bool is_known);
  HttpResponse ErrorResponse(const Route& route, const Call& call, int status,
                             const Status& error) const;
  std::vector<Route> AllRoutes();
  // Calls the route and turns errors into responses.
  HttpResponse AnswerTo(const Route& route, const Call& call);
  void Audit(const Route& route, const Call& call, std::string_view result) const;
  void AuditLogin(const Call& call, const security::Identity& who, std::string_view result) const;
  // Records a request that is refused because of its header Host or Origin.
  void AuditSource(const HttpRequest& request, const std::optional<security::Identity>& caller,
                   std::string_view header) const;

  NoImports no_imports_;
  const WebServices services_;
  const PageSettings settings_;
  BrowserSessions sessions_{{}};
  EventBroadcast events_;
  const AccessRules access_;
  AnswerCache answer_cache_;
  std::string openapi_;
  const RouteTable routes_;
};

}  // namespace dl::web
