#include "executor/layer_spans.h"

namespace dl::executor {
namespace {

std::string_view KindOf(nn::StepPart::Kind kind) {
  using Kind = nn::StepPart::Kind;
  switch (kind) {
    case Kind::kInputs:
      return spans::kInputs;
    case Kind::kForward:
      return spans::kForward;
    case Kind::kBackward:
      return spans::kBackward;
    case Kind::kLosses:
      return spans::kLosses;
    case Kind::kUpdate:
      return spans::kUpdate;
    case Kind::kKernel:
    case Kind::kReorder:
      break;
  }
  return spans::kKernel;
}

}  // namespace

LayerSpans::LayerSpans(nn::Network& network, const UnitId& unit, int64_t step) : unit_(unit) {
  if (!Tracing() || step >= kTracedSteps) return;
  network_ = &network;
  network_->Observe(this);
}

LayerSpans::~LayerSpans() {
  if (network_ != nullptr) network_->Observe(nullptr);
}

void LayerSpans::Begin(const nn::StepPart& part) {
  open_.push_back({.part = part, .begin = Clock::Real().Now()});
}

void LayerSpans::End() {
  const Open ended = open_.back();
  open_.pop_back();
  RecordPartOfStep({.kind = KindOf(ended.part.kind), .name = ended.part.name}, SubjectOf(unit_),
                   ended.begin);
}

}  // namespace dl::executor
