#include "nn/layers/tensor_sum.h"

#include <utility>

#include "nn/backend/parallel_for.h"
#include "nn/kernels/activations.h"
#include "nn/kernels/bf16.h"

namespace dl::nn {

StatusOr<Tensor> TensorSum::Plan(PlanBuilder& builder, const Tensor& sum, const Tensor& term) {
  const Layout layout =
      term.layout.type() == DataType::kBf16 ? sum.layout : sum.layout.As(DataType::kFloat32);
  DL_ASSIGN_OR_RETURN(const Tensor converted, sum_to_layout_.Plan(builder, sum, layout));
  DL_ASSIGN_OR_RETURN(term_, to_layout_.Plan(builder, term, layout));
  if (converted.keep == Tensor::Keep::kNeeded && term_.keep == Tensor::Keep::kFree) {
    builder.arena().Use(converted.buffer);
    sum_ = std::exchange(term_, converted);
  } else {
    sum_ = own_sum_.Plan(builder, converted);
  }
  return sum_;
}

Status TensorSum::Bind(const PlanMemory& memory) {
  own_sum_.Bind(memory);
  DL_RETURN_IF_ERROR(sum_to_layout_.Bind(memory));
  DL_RETURN_IF_ERROR(to_layout_.Bind(memory));
  sum_values_ = memory.Untyped(sum_.buffer);
  term_values_ = memory.Untyped(term_.buffer);
  return absl::OkStatus();
}

Status TensorSum::Run() const {
  DL_RETURN_IF_ERROR(sum_to_layout_.Run());
  own_sum_.Run();
  DL_RETURN_IF_ERROR(to_layout_.Run());
  const bool is_bf16 = sum_.layout.type() == DataType::kBf16;
  ForElements(sum_.layout.stored_elements(), [&](int64_t begin, int64_t end) {
    if (is_bf16) {
      AddToBf16(static_cast<uint16_t*>(sum_values_) + begin,
                static_cast<const uint16_t*>(term_values_) + begin, end - begin);
    } else {
      AddTo(static_cast<float*>(sum_values_) + begin,
            static_cast<const float*>(term_values_) + begin, end - begin);
    }
  });
  return absl::OkStatus();
}

}  // namespace dl::nn
