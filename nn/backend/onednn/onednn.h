// The definitions of the backend's types that use oneDNN. Only files of nn/backend/onednn include
// it.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "base/status.h"
#include "nn/backend/kernel.h"
#include "nn/backend/layout.h"
#include "nn/backend/primitive.h"
#include "nn/backend/step_observer.h"
#include "nn/backend/window_geometry.h"
#include "oneapi/dnnl/dnnl.hpp"

namespace dl::nn {

struct Layout::Impl {
  dnnl::memory::desc desc;
};

const dnnl::engine& CpuEngine();  // the only engine of the process

inline Layout MakeLayout(const dnnl::memory::desc& desc) {
  return Layout(std::make_shared<Layout::Impl>(Layout::Impl{desc}));
}
dnnl::memory::data_type OnednnTypeOf(DataType type);  // REQUIRES: not kFloat64
// Returns the descriptor of `wish`, or `any` with these dimensions and type if `wish` is empty.
dnnl::memory::desc WishedDesc(const Layout& wish, const dnnl::memory::dims& dims,
                              DataType type = DataType::kFloat32);
// Returns a descriptor with which oneDNN chooses the layout (`any`).
dnnl::memory::desc AnyDesc(const dnnl::memory::dims& dims, DataType type = DataType::kFloat32);
dnnl::memory::desc VectorDesc(int64_t size);  // float32, plain
// Returns `leading` followed by the axes.
dnnl::memory::dims DimsWith(dnnl::memory::dims leading, const WindowGeometry::Axes& axes);
// Returns attributes with which scratchpads are buffers of the caller, so that a step does not
// allocate.
dnnl::primitive_attr UserScratchpad();

// Runs `create` and converts oneDNN's exceptions to a status that names `what`.
template <class Create>
auto Guarded(const char* what, Create create) -> StatusOr<decltype(create())> {
  try {
    return create();
  } catch (const dnnl::error& e) {
    return e.status == dnnl_out_of_memory
               ? ResourceExhausted({.message = std::string(what) + ": out of memory"})
               : Internal(
                     {.message = std::string("oneDNN cannot build ") + what + ": " + e.what()});
  } catch (const std::bad_alloc&) {
    return ResourceExhausted({.message = std::string(what) + ": out of memory"});
  }
}

// Returns a primitive that executes `primitive` with buffers of these descriptors. REQUIRES: none
// of them has size 0.
Primitive OnednnPrimitive(dnnl::primitive primitive, std::string name,
                          const std::map<Role, dnnl::memory::desc>& descs, StepPart::Kind kind);

// Returns the name of the kernel that `pd` describes (Primitive::name).
std::string KernelName(const_dnnl_primitive_desc_t pd);

// Returns the primitive with the descriptors of its buffers and the name of its implementation.
// Adds the scratchpad of `pd`, and leaves out buffers of size 0.
template <class Descriptor>
Primitive MakePrimitive(dnnl::primitive primitive, const Descriptor& pd,
                        std::map<Role, dnnl::memory::desc> descs,
                        StepPart::Kind kind = StepPart::Kind::kKernel) {
  descs[Role::kScratchpad] = pd.scratchpad_desc();
  std::erase_if(descs, [](const auto& buffer) { return buffer.second.get_size() == 0; });
  return OnednnPrimitive(std::move(primitive), KernelName(pd.get()), descs, kind);
}

}  // namespace dl::nn
