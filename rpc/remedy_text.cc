#include "rpc/remedy_text.h"

#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/json.h"

namespace dl::rpc {
namespace {

// "{job}", "{round}", "{isa}" and "{mebibytes}" stand for the arguments of the remedy, and
// "{flags}" for the flags of a command.
struct Sentence {
  RemedyKind kind;
  std::string_view remedy;
};
constexpr Sentence kSentences[] = {
    {.kind = RemedyKind::kListJobs, .remedy = "List the jobs with: dl-submit list{flags}"},
    {.kind = RemedyKind::kListCheckpoints,
     .remedy = "List the checkpoints with: dl-submit checkpoints {job}{flags}"},
    {.kind = RemedyKind::kListExecutors,
     .remedy = "List the executors with: dl-submit status{flags}"},
    {.kind = RemedyKind::kShowJob,
     .remedy = "See the state of the job with: dl-submit status {job}{flags}"},
    {.kind = RemedyKind::kShowQueue,
     .remedy = "See the jobs ahead of it with: dl-submit status {job}{flags}"},
    {.kind = RemedyKind::kFollow, .remedy = "Follow the job with: dl-submit attach {job}{flags}"},
    {.kind = RemedyKind::kResume, .remedy = "Continue it with: dl-submit resume {job}{flags}"},
    {.kind = RemedyKind::kResumeWithMoreMemory,
     .remedy =
         "Raise the memory limit and run: dl-submit resume {job}{flags}. Or submit the job again "
         "with a smaller training.batch_size"},
    {.kind = RemedyKind::kResumeOther,
     .remedy = "Run: dl-submit resume {job}{flags}. Or cancel the job that waits for it"},
    {.kind = RemedyKind::kResumeFirst,
     .remedy = "Run first: dl-submit resume {job}{flags}. Or submit the job without --after"},
    {.kind = RemedyKind::kResumeThenRepeat,
     .remedy = "Repeat the command when the job is RUNNING. If no process computes it, run first: "
               "dl-submit resume {job}{flags}"},
    {.kind = RemedyKind::kRebind,
     .remedy = "To use {isa}, cancel the job and run: dl-submit resume --rebind --isa {isa} "
               "{job}{flags}"},
    {.kind = RemedyKind::kCancelFirst,
     .remedy = "Cancel the job first: dl-submit cancel {job}{flags}"},
    {.kind = RemedyKind::kFreePausedJobs,
     .remedy = "Resume or cancel some of the paused jobs. List them with: dl-submit list{flags}"},
    {.kind = RemedyKind::kBeginFrom,
     .remedy = "Start a new job with --resume-from {job}@{round}. Its --epochs count from there"},
    {.kind = RemedyKind::kSubmitAgain,
     .remedy = "Submit the job again. See its spec with: dl-submit inspect --spec {job}{flags}"},
    {.kind = RemedyKind::kUseSameModel,
     .remedy =
         "Use a checkpoint of a model with the same layers, names and sizes. See the model of "
         "the checkpoint with: dl-submit inspect {job}{flags}"},
    {.kind = RemedyKind::kDivideToken,
     .remedy = "End some of its executors, or give the others another token: dl-submit cluster "
               "token create --role execute{flags}"},
    {.kind = RemedyKind::kTokenPerMachine,
     .remedy =
         "Give each machine a token of its own: dl-submit cluster token create --role execute "
         "--executor NAME{flags}"},
    {.kind = RemedyKind::kLargerExecutor,
     .remedy = "Start an executor with at least --memory {mebibytes}M, or submit the job with a "
               "smaller training.batch_size"},
    {.kind = RemedyKind::kChooseIsa,
     .remedy = "To use {isa} alone, submit jobs with --isa {isa} (training.isa). For this job, "
               "cancel it and run: dl-submit resume --rebind --isa {isa} {job}{flags}"},
    {.kind = RemedyKind::kImportFirst,
     .remedy = "Submit the job with dl-submit, which imports and uploads its files"},
};
constexpr std::string_view kRebindToAnyIsa =
    "Cancel the job and run: dl-submit resume --rebind {job}{flags}";

}  // namespace

std::string RemedyText(const Remedy& remedy, std::string_view flags) {
  for (const Sentence& sentence : kSentences) {
    if (sentence.kind != remedy.kind) continue;
    const bool any_isa = remedy.kind == RemedyKind::kRebind && remedy.isa.empty();
    return absl::StrReplaceAll(std::string(any_isa ? kRebindToAnyIsa : sentence.remedy),
                               {{"{job}", remedy.job},
                                {"{round}", absl::StrCat(remedy.round)},
                                {"{isa}", remedy.isa},
                                {"{mebibytes}", absl::StrCat(remedy.mebibytes)},
                                {"{flags}", std::string(flags)}});
  }
  return "";
}

Status WithRemedyText(const Status& status, std::string_view flags) {
  if (status.ok() || !ErrorRemedy(status).empty()) return status;
  const std::string text = RemedyText(RemedyOf(status), flags);
  return text.empty() ? status : WithRemedy(status, text);
}

void AddRemedyTexts(Json& object, std::string_view flags) {
  if (!object.is_object()) return;
  if (const auto action = object.find("action"); action != object.end()) {
    if (const auto remedy = RemedyFromJson(*action)) object["remedy"] = RemedyText(*remedy, flags);
  }
  if (const auto error = object.find("error"); error != object.end()) AddRemedyTexts(*error, flags);
}

}  // namespace dl::rpc
