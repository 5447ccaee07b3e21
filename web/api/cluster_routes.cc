#include "web/api/cluster_routes.h"

#include "base/limits.h"
#include "rpc/messages.h"
#include "web/api/job_routes.h"
#include "web/api/prometheus_text.h"

namespace dl::web {
namespace {

// How long a check of readiness waits for the master's core.
constexpr Duration kReadyDeadline = std::chrono::seconds(2);

StatusOr<HttpResponse> Alive(const Call&) { return HttpResponse{.body = "ok\n"}; }

}  // namespace

std::vector<Route> ClusterRoutes(rpc::ClientService& master) {
  std::vector<Route> routes;
  routes.push_back({.method = "GET",
                    .pattern = "/api/v1/cluster",
                    .rpc_method = "Query",
                    .about = "Show the master, its executors and the length of the queue",
                    .document = "Cluster",
                    .answer = [&master](const Call&) -> StatusOr<HttpResponse> {
                      DL_ASSIGN_OR_RETURN(std::string text,
                                          JobDocument(master, rpc::QueryKind::kCluster, ""));
                      return JsonResponse(std::move(text));
                    }});
  routes.push_back({.method = "GET",
                    .pattern = "/metrics",
                    .rpc_method = "Query",
                    .about = "Read figures of the master and of its jobs for Prometheus",
                    .answers = AnswerKind::kText,
                    .answer = [&master](const Call&) -> StatusOr<HttpResponse> {
                      DL_ASSIGN_OR_RETURN(std::string text, PrometheusText(master));
                      return HttpResponse{
                          .content_type = "text/plain; version=0.0.4; charset=utf-8",
                          .body = std::move(text)};
                    }});
  routes.push_back({.method = "GET",
                    .pattern = "/healthz",
                    .about = "Report that the process works",
                    .answers = AnswerKind::kText,
                    .answer = Alive});
  routes.push_back({.method = "GET",
                    .pattern = "/readyz",
                    .about = "Report that the master answers",
                    .answers = AnswerKind::kText,
                    .answer = [&master](const Call&) -> StatusOr<HttpResponse> {
                      DL_RETURN_IF_ERROR(master
                                             .Query({.what = rpc::QueryKind::kCluster,
                                                     .max_age_ms = kAcceptedAgeMs},
                                                    kReadyDeadline)
                                             .status());
                      return HttpResponse{.body = "ready\n"};
                    }});
  return routes;
}

}  // namespace dl::web
