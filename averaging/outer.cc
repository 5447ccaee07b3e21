#include "averaging/outer.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "averaging/float_environment.h"

namespace dl::averaging {
namespace {

constexpr char kPart[] = "outer";

SegmentTable MomentumTable(const SegmentTable& model) {
  SegmentTable table;
  for (const Segment& segment : model.segments()) {
    if (segment.kind == SegmentKind::kParameter)
      table.Add(absl::StrCat(segment.name, "/outer_momentum"), SegmentKind::kUpdater,
                segment.shape);
  }
  return table;
}

// Returns the index of the first value that is not finite, or -1. Not inlined, as FloatEnvironment
// requires.
[[gnu::noinline]] int64_t Step(const OuterStep& step, std::span<const float> base,
                               std::span<const float> momentum_before, std::span<float> model,
                               std::span<float> momentum) {
  bool finite = true;
  for (size_t i = 0; i < base.size(); ++i) {
    const double change = model[i];
    const double v = step.momentum * static_cast<double>(momentum_before[i]) + change;
    momentum[i] = static_cast<float>(v);
    const double ahead = step.nesterov ? change + step.momentum * static_cast<double>(momentum[i])
                                       : static_cast<double>(momentum[i]);
    model[i] = static_cast<float>(static_cast<double>(base[i]) + step.learning_rate * ahead);
    finite = finite && std::isfinite(model[i]) && std::isfinite(momentum[i]);
  }
  if (finite) return -1;
  for (size_t i = 0; i < base.size(); ++i) {
    if (!std::isfinite(model[i]) || !std::isfinite(momentum[i])) return static_cast<int64_t>(i);
  }
  return -1;
}

[[gnu::noinline]] void Subtract(std::span<const float> base, std::span<float> values) {
  for (size_t i = 0; i < values.size(); ++i) values[i] -= base[i];
}

}  // namespace

Outer::Outer(StateLayout layout, const OuterStep& step)
    : Strategy(std::move(layout)),
      step_(step),
      parameters_(layout_.model().table.SizeOf(SegmentKind::kParameter)) {
  layout_.parts.push_back({kPart, PartScope::kStrategy, MomentumTable(layout_.model().table), 0});
}

void Outer::MakeContribution(std::span<const float> model, std::span<float> unit_state) const {
  const FloatEnvironment environment;
  Subtract(model.first(parameters_), unit_state.first(parameters_));
}

Status Outer::Advance(const PartViews& base, const PartBuffers& next) const {
  const FloatEnvironment environment;
  const std::string& model = layout_.model().name;
  const int64_t beyond = Step(step_, base.at(model).first(parameters_), base.find(kPart)->second,
                              next.at(model).first(parameters_), next.find(kPart)->second);
  if (beyond < 0) return absl::OkStatus();
  return InvalidArgument(
      {.message = absl::StrCat("the outer optimizer step makes parameter ", beyond, " infinite"),
       .where = "training.strategy",
       .remedy = "Lower training.strategy.learning_rate or momentum"});
}

}  // namespace dl::averaging
