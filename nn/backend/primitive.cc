#include "nn/backend/primitive.h"

#include <vector>

#include "nn/backend/onednn.h"

namespace dl::nn {
namespace {

const dnnl::stream& ThreadStream() {
  thread_local dnnl::stream stream(CpuEngine());
  return stream;
}

}  // namespace

const dnnl::engine& CpuEngine() {
  static const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  return engine;
}

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

dnnl::memory::desc AnyDesc(const dnnl::memory::dims& dims) {
  return {dims, dnnl::memory::data_type::f32, dnnl::memory::format_tag::any};
}

dnnl::memory::desc WishedDesc(const Layout& wish, const dnnl::memory::dims& dims) {
  return wish.empty() ? AnyDesc(dims) : wish.impl().desc;
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

struct BoundPrimitive::Impl {
  dnnl::primitive primitive;
  std::vector<dnnl::memory> memories;
  std::vector<dnnl_exec_arg_t> arguments;
};

BoundPrimitive::BoundPrimitive() = default;
BoundPrimitive::~BoundPrimitive() = default;
BoundPrimitive::BoundPrimitive(BoundPrimitive&&) noexcept = default;
BoundPrimitive& BoundPrimitive::operator=(BoundPrimitive&&) noexcept = default;
BoundPrimitive::BoundPrimitive(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

// Uses the C function, whose argument list is built once. The C++ function copies a hash map per
// call.
Status BoundPrimitive::Run() const {
  const dnnl_status_t status =
      dnnl_primitive_execute(impl_->primitive.get(), ThreadStream().get(),
                             static_cast<int>(impl_->arguments.size()), impl_->arguments.data());
  if (status != dnnl_success) {
    return Internal(
        {.message = "oneDNN failed to execute a primitive, status " + std::to_string(status)});
  }
  return absl::OkStatus();
}

Layout Primitive::layout(Role role) const {
  const auto it = impl_->descs.find(role);
  return it == impl_->descs.end() ? Layout() : MakeLayout(it->second);
}

int64_t Primitive::storage_floats(Role role) const {
  const auto it = impl_->descs.find(role);
  return it == impl_->descs.end() ? 0 : static_cast<int64_t>((it->second.get_size() + 3) / 4);
}

StatusOr<BoundPrimitive> Primitive::Bind(Buffers buffers) const {
  auto bound = std::make_unique<BoundPrimitive::Impl>();
  bound->primitive = impl_->primitive;
  for (const auto& [role, desc] : impl_->descs) {
    void* data = nullptr;
    for (const auto& [given, pointer] : buffers) {
      if (given == role) data = pointer;
    }
    if (data == nullptr) {
      return InvalidArgument({.message = "a primitive lacks its buffer of role " +
                                         std::to_string(static_cast<int>(role))});
    }
    auto memory =
        Guarded("a memory object", [&, &of = desc] { return dnnl::memory(of, CpuEngine(), data); });
    DL_RETURN_IF_ERROR(memory.status());
    bound->arguments.push_back({OnednnArgument(role), memory->get()});
    bound->memories.push_back(*std::move(memory));
  }
  return BoundPrimitive(std::move(bound));
}

StatusOr<Primitive> Reorder(const Layout& from, const Layout& to) {
  return Guarded("a reorder", [&] {
    const dnnl::memory::desc& source = from.impl().desc;
    const dnnl::memory::desc& destination = to.impl().desc;
    const dnnl::reorder::primitive_desc pd(CpuEngine(), source, CpuEngine(), destination,
                                           UserScratchpad());
    return MakePrimitive(dnnl::reorder(pd), pd,
                         {{Role::kSource, source}, {Role::kDestination, destination}});
  });
}

}  // namespace dl::nn
