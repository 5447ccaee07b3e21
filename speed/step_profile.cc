#include "speed/step_profile.h"

#include <algorithm>
#include <utility>

namespace dl::speed {
namespace {

double Ms(Duration duration) { return Seconds(duration) * 1e3; }

}  // namespace

void ProfileRecorder::BeginStep() {
  profile_ = {};
  kernels_.clear();
  in_kernels_ = {};
  begin_ = ThreadTime();
}

StepProfile ProfileRecorder::EndStep() {
  const Duration total = ThreadTime() - begin_;
  profile_.total = Ms(total);
  profile_.own = Ms(total - in_kernels_);
  for (auto& [name, kernel] : kernels_) profile_.kernels.push_back(std::move(kernel));
  std::ranges::sort(profile_.kernels, std::greater(), &StepProfile::Kernel::ms);
  return std::move(profile_);
}

void ProfileRecorder::Begin(const nn::StepPart& part) {
  open_.push_back({.part = part, .begin = ThreadTime()});
}

void ProfileRecorder::End() {
  const Open part = open_.back();
  open_.pop_back();
  const Duration took = ThreadTime() - part.begin;
  const double ms = Ms(took);
  using Kind = nn::StepPart::Kind;
  switch (part.part.kind) {
    case Kind::kInputs:
      profile_.inputs += ms;
      break;
    case Kind::kLosses:
      profile_.losses += ms;
      break;
    case Kind::kUpdate:
      profile_.update += ms;
      break;
    case Kind::kForward:
      LayerOf(part.part.name).forward += ms;
      break;
    case Kind::kBackward:
      LayerOf(part.part.name).backward += ms;
      break;
    case Kind::kReorder:
      ++profile_.reorders;
      profile_.reordered_bytes += part.part.bytes;
      profile_.reorder += ms;
      break;
    case Kind::kKernel: {
      auto found = kernels_.find(part.part.name);
      if (found == kernels_.end()) {
        const std::string name(part.part.name);
        found = kernels_.emplace(name, StepProfile::Kernel{.name = name}).first;
      }
      ++found->second.calls;
      found->second.ms += ms;
      break;
    }
  }
  const bool is_kernel = part.part.kind == Kind::kKernel || part.part.kind == Kind::kReorder;
  if (is_kernel) in_kernels_ += took;
  if (is_kernel && !open_.empty()) open_.back().in_kernels += took;
  if (part.part.kind == Kind::kForward || part.part.kind == Kind::kBackward)
    LayerOf(part.part.name).own += Ms(took - part.in_kernels);
}

StepProfile::Layer& ProfileRecorder::LayerOf(std::string_view name) {
  const auto found = std::ranges::find(profile_.layers, name, &StepProfile::Layer::name);
  if (found != profile_.layers.end()) return *found;
  return profile_.layers.emplace_back(StepProfile::Layer{.name = std::string(name)});
}

}  // namespace dl::speed
