#include "web/api/action_routes.h"

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/unique.h"
#include "rpc/checkpoint_list.h"
#include "rpc/messages.h"
#include "rpc/remedy.h"

namespace dl::web {
namespace {

using rpc::JobAction;

// Returns the checkpoint that the address names, by number. The master checks whether a number is
// the round of a checkpoint.
StatusOr<rpc::RoundName> RoundOf(rpc::ClientService& master, const std::string& job,
                                 const std::string& text) {
  const auto round = rpc::ParseRound(text);
  if (!round) {
    return InvalidArgument(
        {.message = absl::StrCat("\"", text, "\" is not the round of a checkpoint"),
         .where = "the address",
         .remedy = "Give a round number, best or last; ROUND~K for a checkpoint that rollback K "
                   "set aside"});
  }
  if (round->which == rpc::RoundName::Which::kNumber) return *round;
  DL_ASSIGN_OR_RETURN(
      const rpc::QueryReply reply,
      master.Query({.what = rpc::QueryKind::kCheckpoints, .job = job}, limits::kControlDeadline));
  DL_ASSIGN_OR_RETURN(const Json list, ParseJson(reply.json, "checkpoints"));
  if (const Json* found = rpc::FindCheckpoint(list, *round))
    return rpc::RoundName{.which = rpc::RoundName::Which::kNumber,
                          .number = found->value("round", int64_t{-1})};
  return rpc::AttachRemedy(
      NotFound({.message = absl::StrCat("there is no checkpoint ", job, "@", text)}),
      {.kind = rpc::RemedyKind::kListCheckpoints, .job = job});
}

HttpResponse Answer(const Call& call, const std::string& message) {
  return JsonResponse(JsonText({{"job", call.Variable("job")}, {"message", message}}));
}

Route ActionRoute(rpc::ClientService& master, std::string method, std::string pattern,
                  JobAction action, std::string_view about) {
  return {.method = std::move(method),
          .pattern = std::move(pattern),
          .rpc_method = "Act",
          .about = about,
          .document = "JobAnswer",
          .audited = rpc::JobActionName(action),
          .answer = [&master, action](const Call& call) -> StatusOr<HttpResponse> {
            DL_ASSIGN_OR_RETURN(
                const std::string message,
                Act(master, call.caller, {.job = call.Variable("job"), .action = action}));
            return Answer(call, message);
          }};
}

Route ResumeRoute(rpc::ClientService& master) {
  Route route = ActionRoute(master, "POST", "/api/v1/jobs/{job}/resume", JobAction::kResume,
                            "Continue a paused, cancelled, failed or rejected job");
  route.parameters = {{.name = "isa",
                       .about =
                           "instruction set of a new kernel contract: avx2 or avx512, for jobs "
                           "in bf16 avx512_bf16 or amx, and none for jobs with portable kernels; "
                           "the result then depends on it"}};
  route.answer = [&master](const Call& call) -> StatusOr<HttpResponse> {
    const std::string isa = call.Text("isa");
    DL_ASSIGN_OR_RETURN(const std::string message, Act(master, call.caller,
                                                       {.job = call.Variable("job"),
                                                        .action = JobAction::kResume,
                                                        .rebind = !isa.empty(),
                                                        .isa = isa}));
    return Answer(call, message);
  };
  return route;
}

Route DeleteRoute(rpc::ClientService& master) {
  Route route = ActionRoute(master, "DELETE", "/api/v1/jobs/{job}", JobAction::kDelete,
                            "Delete an ended job and its checkpoints");
  route.parameters = {{.name = "pinned",
                       .type = Parameter::Type::kInteger,
                       .about = "1: also pinned checkpoints; otherwise a job with some stays (0)",
                       .max = 1}};
  route.answer = [&master](const Call& call) -> StatusOr<HttpResponse> {
    DL_ASSIGN_OR_RETURN(const std::string message,
                        Act(master, call.caller,
                            {.job = call.Variable("job"),
                             .action = JobAction::kDelete,
                             .round = call.Integer("pinned", 0) == 1 ? INT64_MAX : -1}));
    return Answer(call, message);
  };
  return route;
}

Route CheckpointRoute(rpc::ClientService& master, std::string_view word, JobAction action,
                      std::string_view about) {
  Route route = ActionRoute(
      master, "POST", absl::StrCat("/api/v1/jobs/{job}/checkpoints/{round}/", std::string(word)),
      action, about);
  route.answer = [&master, action](const Call& call) -> StatusOr<HttpResponse> {
    DL_ASSIGN_OR_RETURN(const rpc::RoundName round,
                        RoundOf(master, call.Variable("job"), call.Variable("round")));
    DL_ASSIGN_OR_RETURN(const std::string message, Act(master, call.caller,
                                                       {.job = call.Variable("job"),
                                                        .action = action,
                                                        .round = round.number,
                                                        .set_aside = round.set_aside}));
    return Answer(call, message);
  };
  return route;
}

}  // namespace

StatusOr<std::string> Act(rpc::ClientService& master, const security::Identity& caller,
                          rpc::JobActionRequest action) {
  const bool of_checkpoint = action.action == JobAction::kPin || action.action == JobAction::kUnpin;
  if (of_checkpoint && action.round < 0) {
    return InvalidArgument({.message = "a checkpoint is named by its round", .where = "round"});
  }
  DL_ASSIGN_OR_RETURN(const uint64_t number, UniqueNumber());
  action.request_id = absl::StrCat("http-", absl::Hex(number));
  action.by = caller;
  DL_ASSIGN_OR_RETURN(rpc::JobActionReply reply, master.Act(action, limits::kBulkDeadline));
  return std::move(reply.message);
}

std::vector<Route> ActionRoutes(rpc::ClientService& master) {
  std::vector<Route> routes;
  routes.push_back(ActionRoute(master, "POST", "/api/v1/jobs/{job}/cancel", JobAction::kCancel,
                               "End a job; a running job first writes a last checkpoint"));
  routes.push_back(ActionRoute(master, "POST", "/api/v1/jobs/{job}/pause", JobAction::kPause,
                               "Pause a job: write a checkpoint and release its executors"));
  routes.push_back(ResumeRoute(master));
  routes.push_back(ActionRoute(master, "POST", "/api/v1/jobs/{job}/checkpoint",
                               JobAction::kCheckpoint,
                               "Write a checkpoint of the last committed round"));
  routes.push_back(
      CheckpointRoute(master, "pin", JobAction::kPin, "Protect a checkpoint from deletion"));
  routes.push_back(CheckpointRoute(master, "unpin", JobAction::kUnpin,
                                   "Allow the deletion of a pinned checkpoint"));
  routes.push_back(DeleteRoute(master));
  return routes;
}

}  // namespace dl::web
