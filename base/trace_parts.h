// Spans of the parts of a training step: layers and kernels (base/trace.h).
#pragma once

#include <string_view>

#include "base/trace.h"

namespace dl {

// A part is named by its layer or kernel, and belongs to one of these kinds, which are the
// categories of a trace file. docs/operations/watch.md lists them.
namespace spans {
inline constexpr std::string_view kInputs = "inputs";
inline constexpr std::string_view kForward = "forward";
inline constexpr std::string_view kBackward = "backward";
inline constexpr std::string_view kLosses = "losses";
inline constexpr std::string_view kUpdate = "update";
inline constexpr std::string_view kKernel = "kernel";

inline constexpr Meaning kPartsOfStep[] = {
    {kInputs, "slot", "in a traced step: copying the minibatch into the inputs of the model"},
    {kForward, "slot", "in a traced step: the forward pass of a layer"},
    {kBackward, "slot", "in a traced step: the backward pass of a layer"},
    {kLosses, "slot", "in a traced step: losses and their gradients"},
    {kUpdate, "slot",
     "in a traced step: the update of one layer after its backward pass, or of all others at the "
     "end"},
    {kKernel, "slot", "in a traced step: a kernel, or a copy of a tensor to another layout"},
};
}  // namespace spans

struct PartOfStep {
  std::string_view kind;  // one of spans::kPartsOfStep
  std::string_view name;  // of the layer or kernel; empty: the kind has neither
};

// Records a span from `begin` until now. Its name is that of the kernel, the name of the layer and
// the kind, such as "conv1 forward", or the kind alone. Names are kept until the process ends;
// after 65,536 different names, later ones are recorded by their kind alone. REQUIRES: Tracing()
// when the part began. Thread-safe.
void RecordPartOfStep(const PartOfStep& part, const SpanSubject& subject, Instant begin);

}  // namespace dl
