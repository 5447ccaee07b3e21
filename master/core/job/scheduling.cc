#include "master/core/job/scheduling.h"

#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "base/label.h"
#include "base/limits.h"

namespace dl::master {

Status CheckLabels(const std::vector<std::string>& labels, const std::string& what) {
  if (labels.size() > limits::kMaxLabels) {
    return InvalidArgument(
        {.message = absl::StrCat(what, " has at most ", limits::kMaxLabels, " labels"),
         .where = "labels"});
  }
  for (const std::string& label : labels) {
    if (IsLabel(label)) continue;
    return InvalidArgument({.message = absl::StrCat("\"", absl::CHexEscape(label.substr(0, 80)),
                                                    "\" is not a valid label of ", what),
                            .where = "labels",
                            .remedy = absl::StrCat("Write ", kLabelRule)});
  }
  return absl::OkStatus();
}

Status CheckScheduling(const rpc::Scheduling& scheduling) {
  if (scheduling.priority < -limits::kMaxPriority || scheduling.priority > limits::kMaxPriority) {
    return InvalidArgument(
        {.message = absl::StrCat("a priority must be from ", -limits::kMaxPriority, " to ",
                                 limits::kMaxPriority, ", but is ", scheduling.priority),
         .where = "priority"});
  }
  if (scheduling.max_executors < 0) {
    return InvalidArgument(
        {.message = "the largest number of executors of a job cannot be negative",
         .where = "max_executors",
         .remedy = "Give 1 or more, or 0 for no limit"});
  }
  DL_RETURN_IF_ERROR(CheckLabels(scheduling.labels, "a job"));
  return CheckLabels(scheduling.needs, "an executor");
}

}  // namespace dl::master
