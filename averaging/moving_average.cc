#include "averaging/moving_average.h"

#include <algorithm>
#include <utility>

#include "averaging/float_environment.h"

namespace dl::averaging {
namespace {

constexpr char kAveragePart[] = "ema";

// Not inlined, as FloatEnvironment requires.
[[gnu::noinline]] void Move(double decay, std::span<const float> before,
                            std::span<const float> weights, std::span<float> average) {
  const double rest = 1 - decay;
  for (size_t i = 0; i < weights.size(); ++i) {
    average[i] = static_cast<float>(decay * static_cast<double>(before[i]) +
                                    rest * static_cast<double>(weights[i]));
  }
}

}  // namespace

MovingAverage::MovingAverage(std::shared_ptr<const Strategy> of, double decay)
    : Strategy(of->layout()),
      of_(std::move(of)),
      decay_(decay),
      parameters_(layout_.model().table.SizeOf(SegmentKind::kParameter)) {
  layout_.evaluated_part = layout_.parts.size();
  layout_.parts.push_back({kAveragePart, PartScope::kStrategy, layout_.model().table, 0});
}

Status MovingAverage::Advance(const PartViews& base, const PartBuffers& next) const {
  DL_RETURN_IF_ERROR(of_->Advance(base, next));
  const FloatEnvironment environment;
  const std::span<float> model = next.at(layout_.model().name),
                         average = next.find(kAveragePart)->second;
  Move(decay_, base.find(kAveragePart)->second.first(parameters_), model.first(parameters_),
       average.first(parameters_));
  std::ranges::copy(model.subspan(parameters_), average.subspan(parameters_).begin());
  return absl::OkStatus();
}

}  // namespace dl::averaging
