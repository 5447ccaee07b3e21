#include "nn/backend/onednn/onednn.h"

#include <vector>

#include "oneapi/dnnl/dnnl_debug.h"

namespace dl::nn {
namespace {

const dnnl::stream& ThreadStream() {
  thread_local dnnl::stream stream(CpuEngine());
  return stream;
}

// Returns DNNL_ARG_*.
int OnednnArgument(Role role) {
  switch (role) {
    case Role::kSource:
      return DNNL_ARG_SRC;
    case Role::kWeights:
      return DNNL_ARG_WEIGHTS;
    case Role::kBias:
      return DNNL_ARG_BIAS;
    case Role::kDestination:
      return DNNL_ARG_DST;
    case Role::kDiffSource:
      return DNNL_ARG_DIFF_SRC;
    case Role::kDiffWeights:
      return DNNL_ARG_DIFF_WEIGHTS;
    case Role::kDiffBias:
      return DNNL_ARG_DIFF_BIAS;
    case Role::kDiffDestination:
      return DNNL_ARG_DIFF_DST;
    case Role::kWorkspace:
      return DNNL_ARG_WORKSPACE;
    case Role::kScratchpad:
      return DNNL_ARG_SCRATCHPAD;
    case Role::kMean:
      return DNNL_ARG_MEAN;
    case Role::kVariance:
      return DNNL_ARG_VARIANCE;
    case Role::kScale:
      return DNNL_ARG_SCALE;
    case Role::kShift:
      return DNNL_ARG_SHIFT;
    case Role::kDiffScale:
      return DNNL_ARG_DIFF_SCALE;
    case Role::kDiffShift:
      return DNNL_ARG_DIFF_SHIFT;
  }
  return 0;
}

class BoundOnednnKernel final : public BoundKernel {
 public:
  explicit BoundOnednnKernel(dnnl::primitive primitive) : primitive_(std::move(primitive)) {}

  void Add(Role role, dnnl::memory memory) {
    arguments_.push_back({OnednnArgument(role), memory.get()});
    memories_.push_back(std::move(memory));
  }

  // Uses the C function, whose argument list is built once. The C++ function copies a hash map per
  // call.
  Status Run() const override {
    const dnnl_status_t status =
        dnnl_primitive_execute(primitive_.get(), ThreadStream().get(),
                               static_cast<int>(arguments_.size()), arguments_.data());
    if (status != dnnl_success) {
      return Internal(
          {.message = "oneDNN failed to execute a primitive, status " + std::to_string(status)});
    }
    return absl::OkStatus();
  }

 private:
  dnnl::primitive primitive_;
  std::vector<dnnl::memory> memories_;
  std::vector<dnnl_exec_arg_t> arguments_;
};

class OnednnKernel final : public Kernel {
 public:
  OnednnKernel(std::string name, Layouts layouts, StepPart::Kind kind, dnnl::primitive primitive)
      : Kernel(std::move(name), std::move(layouts), kind), primitive_(std::move(primitive)) {}

  StatusOr<std::unique_ptr<const BoundKernel>> Bind(const BufferPointers& buffers) const override {
    auto bound = std::make_unique<BoundOnednnKernel>(primitive_);
    for (const auto& [role, layout] : layouts()) {
      auto memory = Guarded("a memory object", [&, role = role, &desc = layout.impl().desc] {
        return dnnl::memory(desc, CpuEngine(), buffers.Get<void>(role));
      });
      DL_RETURN_IF_ERROR(memory.status());
      bound->Add(role, *std::move(memory));
    }
    return bound;
  }

 private:
  dnnl::primitive primitive_;
};

}  // namespace

const dnnl::engine& CpuEngine() {
  static const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  return engine;
}

dnnl::memory::desc AnyDesc(const dnnl::memory::dims& dims, DataType type) {
  return {dims, OnednnTypeOf(type), dnnl::memory::format_tag::any};
}

dnnl::memory::desc WishedDesc(const Layout& wish, const dnnl::memory::dims& dims, DataType type) {
  return wish.empty() ? AnyDesc(dims, type) : wish.impl().desc;
}

dnnl::memory::desc VectorDesc(int64_t size) {
  return {{size}, dnnl::memory::data_type::f32, dnnl::memory::format_tag::x};
}

dnnl::memory::dims DimsWith(dnnl::memory::dims leading, const WindowGeometry::Axes& axes) {
  leading.insert(leading.end(), axes.begin(), axes.end());
  return leading;
}

dnnl::primitive_attr UserScratchpad() {
  dnnl::primitive_attr attr;
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attr;
}

Primitive OnednnPrimitive(dnnl::primitive primitive, std::string name,
                          const std::map<Role, dnnl::memory::desc>& descs, StepPart::Kind kind) {
  Kernel::Layouts layouts;
  for (const auto& [role, desc] : descs) layouts.emplace(role, MakeLayout(desc));
  return Primitive(std::make_shared<const OnednnKernel>(std::move(name), std::move(layouts), kind,
                                                        std::move(primitive)));
}

std::string KernelName(const_dnnl_primitive_desc_t pd) {
  dnnl_primitive_kind_t kind = dnnl_undefined_primitive;
  dnnl_primitive_desc_query(pd, dnnl_query_primitive_kind, 0, &kind);
  std::string name = dnnl_prim_kind2str(kind);
  // Reorders and matrix products have no direction.
  dnnl_prop_kind_t direction = dnnl_prop_kind_undef;
  if (dnnl_primitive_desc_query(pd, dnnl_query_prop_kind, 0, &direction) == dnnl_success &&
      direction != dnnl_prop_kind_undef) {
    name.append(" ").append(dnnl_prop_kind2str(direction));
  }
  const char* implementation = nullptr;
  if (dnnl_primitive_desc_query(pd, dnnl_query_impl_info_str, 0, &implementation) == dnnl_success)
    name.append(" ").append(implementation);
  return name;
}

}  // namespace dl::nn
