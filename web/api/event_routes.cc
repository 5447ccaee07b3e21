#include "web/api/event_routes.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "web/api/job_routes.h"

namespace dl::web {
namespace {

// The client and proxies notice by these comments that the connection works.
constexpr Duration kSilence = std::chrono::seconds(10);

void WriteError(const Status& why, StreamWriter& out) {
  const Json error = {{"code", std::string(ErrorCodeName(why.code()))},
                      {"message", std::string(why.message())}};
  out.Write(absl::StrCat("event: error\ndata: ", JsonText(error), "\n\n"));
}

// Ends within kSilence after `is_admitted` has begun to return false.
void WriteEvents(EventBroadcast::Stream& stream, const std::function<bool()>& is_admitted,
                 StreamWriter& out) {
  if (!out.Write("retry: 2000\n\n")) return;
  int64_t after = stream.after();
  while (!out.stopping()) {
    const StatusOr<EventMessages> reply = stream.Read(after, kSilence);
    if (!is_admitted()) {
      const Status ended =
          Denied({.message = "the token was revoked or has expired, or the session has ended"});
      return WriteError(ended, out);
    }
    if (!reply.ok()) return WriteError(reply.status(), out);
    if (!out.Write(reply->text.empty() ? ": no event\n\n" : reply->text)) return;
    if (reply->terminal) return;
    after = std::max(after, reply->last);
    stream.Pause();
  }
}

}  // namespace

std::vector<Route> EventRoutes(rpc::ClientService& master, EventBroadcast& events,
                               const AccessRules& access) {
  return {{.method = "GET",
           .pattern = "/api/v1/jobs/{job}/events",
           .rpc_method = "Events",
           .about = "Follow the events of a job; the header Last-Event-ID continues a stream",
           .parameters = {{.name = "after",
                           .type = Parameter::Type::kInteger,
                           .about = "number of the last event that is known (0)"}},
           .answers = AnswerKind::kEvents,
           .answer = [&master, &events, &access](const Call& call) -> StatusOr<HttpResponse> {
             int64_t after = call.Integer("after", 0);
             const std::string_view last = call.request.Header("last-event-id");
             if (!last.empty() && (!absl::SimpleAtoi(std::string(last), &after) || after < 0)) {
               return InvalidArgument({.message = "Last-Event-ID is not the number of an event",
                                       .where = std::string(last)});
             }
             const std::string job = call.Variable("job");
             // The errors of an unknown job and of too many jobs are answers of their own, not
             // events.
             DL_RETURN_IF_ERROR(JobDocument(master, rpc::QueryKind::kJob, job).status());
             DL_ASSIGN_OR_RETURN(std::shared_ptr<EventBroadcast::Stream> stream,
                                 events.Open(job, after));
             return HttpResponse{
                 .content_type = "text/event-stream",
                 .headers = {{"Cache-Control", "no-store"}, {"X-Accel-Buffering", "no"}},
                 .stream = [stream = std::move(stream), &access,
                            credentials =
                                HttpRequest{.headers = call.request.headers}](StreamWriter& out) {
                   const auto is_admitted = [&] {
                     return access.FindCaller(credentials).has_value();
                   };
                   WriteEvents(*stream, is_admitted, out);
                 }};
           }}};
}

}  // namespace dl::web
