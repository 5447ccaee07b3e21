#include "nn/losses/expected.h"

#include <string_view>

#include "absl/strings/str_cat.h"

namespace dl::nn {
namespace {

Status CheckSize(std::string_view what, int64_t expected, size_t actual) {
  if (static_cast<int64_t>(actual) == expected) return absl::OkStatus();
  return InvalidArgument(
      {.message = absl::StrCat(std::string(what), " has ", actual, " values, expected ", expected),
       .where = "batch"});
}

std::string Place(const Judged& judged, std::string_view what, int64_t row) {
  return absl::StrCat("layer ", judged.layer, ", ", std::string(what), "[", row, "]");
}

Status CheckClasses(const Judged& judged, const Expected& expected) {
  const std::span<const int32_t> labels = expected.labels;
  DL_RETURN_IF_ERROR(CheckSize("labels", judged.rows, labels.size()));
  for (int64_t r = 0; r < judged.rows; ++r) {
    if (!expected.Counts(r) || (labels[r] >= 0 && labels[r] < judged.outputs)) continue;
    return InvalidArgument(
        {.message = absl::StrCat("label ", labels[r], " is not a class, expected 0 to ",
                                 judged.outputs - 1),
         .where = Place(judged, "labels", r),
         .remedy = "Give the output layer as many units as there are classes."});
  }
  return absl::OkStatus();
}

Status CheckNumbers(const Labels& labels, const Judged& judged, const Expected& expected) {
  const std::span<const float> targets = expected.targets;
  DL_RETURN_IF_ERROR(CheckSize("targets", judged.rows * judged.outputs, targets.size()));
  if (!labels.AreBounded()) return absl::OkStatus();
  for (int64_t i = 0; i < judged.rows * judged.outputs; ++i) {
    if (!expected.Counts(i / judged.outputs)) continue;
    const auto target = static_cast<double>(targets[i]);
    if (target >= labels.min && target <= labels.max) continue;
    return InvalidArgument(
        {.message =
             absl::StrCat("target ", target, " of output ", i % judged.outputs,
                          " is out of the loss's range, expected ", labels.min, " to ", labels.max),
         .where = Place(judged, "targets", i / judged.outputs),
         .remedy = "Bring the data's targets into that range, or use another loss."});
  }
  return absl::OkStatus();
}

}  // namespace

Status CheckExpected(const Labels& labels, const Judged& judged, const Expected& expected) {
  switch (labels.kind) {
    case Labels::Kind::kClass:
      return CheckClasses(judged, expected);
    case Labels::Kind::kNumbers:
      return CheckNumbers(labels, judged, expected);
    case Labels::Kind::kNothing:
      return absl::OkStatus();
  }
  return absl::OkStatus();
}

}  // namespace dl::nn
