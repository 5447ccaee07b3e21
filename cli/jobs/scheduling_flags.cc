#include "cli/jobs/scheduling_flags.h"

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "base/label.h"
#include "base/limits.h"
#include "cli/exit_code.h"

namespace dl::cli {

void SchedulingFlags::Declare(Flags& flags) {
  flags.Integer("--priority", "N", priority_,
                "Priority of the job; jobs of higher priority run first. Default: 0.",
                -limits::kMaxPriority, limits::kMaxPriority);
  flags.Text("--after", "JOB", after_, "Start when this job has SUCCEEDED");
  flags.Integer(
      "--max-executors", "N", max_executors_,
      "Maximum number of executors that compute the job at a time; 0 sets no limit. Default: 0.", 0,
      INT32_MAX);
  flags.List("--job-label", "KEY=VALUE", labels_,
             "Label the job, for dl-submit list --job-label. May be repeated.");
  flags.List("--needs", "KEY=VALUE", needs_,
             "Require this label of executors (see dl-submit executor --executor-label). May be "
             "repeated.");
}

Status CheckLabelFlags(const std::vector<std::string>& labels, const std::string& flag) {
  if (labels.size() > limits::kMaxLabels) {
    return UsageError(
        {.message = absl::StrCat("at most ", limits::kMaxLabels, " labels"), .where = flag});
  }
  for (const std::string& label : labels) {
    if (IsLabel(label)) continue;
    return UsageError(
        {.message = absl::StrCat("\"", absl::CHexEscape(label.substr(0, 80)), "\" is not a label"),
         .where = flag,
         .remedy = absl::StrCat("Write ", kLabelRule)});
  }
  return absl::OkStatus();
}

StatusOr<rpc::Scheduling> SchedulingFlags::Read(const launch::Target& target) const {
  const auto useless = [](const char* flag, const char* why) {
    return UsageError(
        {.message = why,
         .where = flag,
         .remedy = "Leave it out, or give the --master of a standing cluster, dl://host:port"});
  };
  const bool any = priority_ != 0 || max_executors_ > 0 || !after_.empty() || !labels_.empty() ||
                   !needs_.empty();
  if (any && target.is_batch())
    return useless("--priority, --after, --max-executors, --job-label, --needs",
                   "a batch job of Slurm has its executors to itself");
  if (!needs_.empty() && !target.is_standing())
    return useless("--needs", "executors of a local cluster have no labels");
  if (max_executors_ > 0 && target.has_one_executor())
    return useless("--max-executors", "local[N] is one executor with N slots");
  DL_RETURN_IF_ERROR(CheckLabelFlags(labels_, "--job-label"));
  DL_RETURN_IF_ERROR(CheckLabelFlags(needs_, "--needs"));
  return rpc::Scheduling{.priority = static_cast<int32_t>(priority_),
                         .after = after_,
                         .max_executors = static_cast<int32_t>(max_executors_),
                         .labels = labels_,
                         .needs = needs_};
}

}  // namespace dl::cli
