#include "rpc/remedy.h"

#include "absl/strings/cord.h"
#include "base/json.h"

namespace dl::rpc {
namespace {

constexpr char kRemedyUrl[] = "paravane/remedy_as_data";

struct NamedRemedy {
  RemedyKind kind;
  std::string_view name;
};
constexpr NamedRemedy kRemedyNames[] = {
    {RemedyKind::kListJobs, "list_jobs"},
    {RemedyKind::kListCheckpoints, "list_checkpoints"},
    {RemedyKind::kListExecutors, "list_executors"},
    {RemedyKind::kShowJob, "show_job"},
    {RemedyKind::kShowQueue, "show_queue"},
    {RemedyKind::kFollow, "follow"},
    {RemedyKind::kResume, "resume"},
    {RemedyKind::kResumeWithMoreMemory, "resume_with_more_memory"},
    {RemedyKind::kResumeOther, "resume_other"},
    {RemedyKind::kResumeFirst, "resume_first"},
    {RemedyKind::kResumeThenRepeat, "resume_then_repeat"},
    {RemedyKind::kRebind, "rebind"},
    {RemedyKind::kCancelFirst, "cancel_first"},
    {RemedyKind::kFreePausedJobs, "free_paused_jobs"},
    {RemedyKind::kBeginFrom, "begin_from"},
    {RemedyKind::kSubmitAgain, "submit_again"},
    {RemedyKind::kUseSameModel, "use_same_model"},
    {RemedyKind::kDivideToken, "divide_token"},
    {RemedyKind::kTokenPerMachine, "token_per_machine"},
    {RemedyKind::kLargerExecutor, "larger_executor"},
    {RemedyKind::kChooseIsa, "choose_isa"},
    {RemedyKind::kImportFirst, "import_first"},
};

std::string_view RemedyName(RemedyKind kind) {
  for (const NamedRemedy& named : kRemedyNames) {
    if (named.kind == kind) return named.name;
  }
  return "";
}

}  // namespace

bool IsRemedyKind(int64_t kind) {
  for (const NamedRemedy& named : kRemedyNames) {
    if (static_cast<int64_t>(named.kind) == kind) return true;
  }
  return false;
}

Json ToJson(const Remedy& remedy) {
  Json json = {{"name", RemedyName(remedy.kind)}};
  if (!remedy.job.empty()) json["job"] = remedy.job;
  if (remedy.round >= 0) json["round"] = remedy.round;
  if (!remedy.isa.empty()) json["isa"] = remedy.isa;
  if (remedy.mebibytes > 0) json["mebibytes"] = remedy.mebibytes;
  return json;
}

std::optional<Remedy> RemedyFromJson(const Json& json) {
  JsonObjectReader reader(json, "action");
  Remedy remedy;
  std::string name;
  reader.String("name", name);
  reader.String("job", remedy.job);
  reader.Int("round", remedy.round, {0, INT64_MAX});
  reader.String("isa", remedy.isa);
  reader.Int("mebibytes", remedy.mebibytes, {0, INT64_MAX});
  for (const NamedRemedy& named : kRemedyNames) {
    if (named.name == name) remedy.kind = named.kind;
  }
  if (!reader.Finish().ok() || remedy.kind == RemedyKind::kNone) return std::nullopt;
  return remedy;
}

Status AttachRemedy(const Status& status, const Remedy& remedy) {
  Status out = status;
  if (!status.ok() && remedy.kind != RemedyKind::kNone)
    out.SetPayload(kRemedyUrl, absl::Cord(JsonText(ToJson(remedy))));
  return out;
}

Remedy RemedyOf(const Status& status) {
  const auto payload = status.GetPayload(kRemedyUrl);
  if (!payload) return {};
  const StatusOr<Json> json = ParseJson(std::string(*payload), "action");
  return json.ok() ? RemedyFromJson(*json).value_or(Remedy{}) : Remedy{};
}

}  // namespace dl::rpc
