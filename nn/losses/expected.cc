#include "nn/losses/expected.h"

#include <algorithm>
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
        {.message = absl::StrCat("label ", labels[r], " is not a class: expected 0 to ",
                                 judged.outputs - 1),
         .where = Place(judged, "labels", r),
         .remedy = "Give the output layer as many units as there are classes."});
  }
  return absl::OkStatus();
}

Status CheckSequence(const Judged& judged, int64_t example, std::span<const int32_t> classes,
                     int64_t steps) {
  const int64_t blank = judged.outputs - 1;
  int64_t wanted = 0;
  for (size_t i = 0; i < classes.size() && classes[i] != kNoLabel; ++i) {
    if (classes[i] < 0 || classes[i] >= blank) {
      return InvalidArgument(
          {.message = absl::StrCat("label ", classes[i], " is not a class: expected 0 to ",
                                   blank - 1, ", or ", kNoLabel, " after the last class"),
           .where = Place(judged, "labels", example),
           .remedy = "Give the output layer as many units as there are classes, and one for the "
                     "blank"});
    }
    // A path needs a blank between two equal classes.
    wanted += i > 0 && classes[i] == classes[i - 1] ? 2 : 1;
  }
  const auto end = std::ranges::find(classes, kNoLabel);
  if (const auto class_behind =
          std::ranges::find_if(end, classes.end(), [](int32_t c) { return c != kNoLabel; });
      class_behind != classes.end()) {
    return InvalidArgument(
        {.message = absl::StrCat("the label ", *class_behind, " comes after ", kNoLabel,
                                 ", which ends the labels of an example"),
         .where = Place(judged, "labels", example),
         .remedy = "Put the classes of an example at the start of its row of labels"});
  }
  if (wanted <= steps) return absl::OkStatus();
  return InvalidArgument(
      {.message = absl::StrCat("its ", end - classes.begin(), " classes need at least ", wanted,
                               wanted == 1 ? " step" : " steps",
                               " (with a blank between two equal classes), but there are ", steps),
       .where = Place(judged, "labels", example),
       .remedy = "Leave the example out, give it a longer sequence, or shorten sequences less on "
                 "the way to the output"});
}

Status CheckSequences(const Judged& judged, const Expected& expected) {
  const int64_t examples = judged.rows / judged.steps;
  const auto all = static_cast<int64_t>(expected.labels.size());
  if (all == 0 || all % examples != 0) return CheckSize("labels", examples, expected.labels.size());
  const int64_t most = all / examples;
  for (int64_t e = 0; e < examples; ++e) {
    const int64_t steps = expected.StepsFrom(e * judged.steps, judged.steps);
    DL_RETURN_IF_ERROR(CheckSequence(judged, e, expected.labels.subspan(e * most, most), steps));
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
        {.message = absl::StrCat("target ", target, " of output ", i % judged.outputs,
                                 " is outside the range of the loss: expected ", labels.min, " to ",
                                 labels.max),
         .where = Place(judged, "targets", i / judged.outputs),
         .remedy = "Scale the targets of the data to that range, or use another loss."});
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
    case Labels::Kind::kClassSequence:
      return CheckSequences(judged, expected);
    case Labels::Kind::kNothing:
      return absl::OkStatus();
  }
  return absl::OkStatus();
}

}  // namespace dl::nn
