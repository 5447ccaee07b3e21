#include "nn/layers/tensor_sum.h"

#include <utility>

#include "nn/backend/parallel_for.h"
#include "nn/kernels/activations.h"

namespace dl::nn {

StatusOr<Tensor> TensorSum::Plan(PlanBuilder& builder, const Tensor& sum, const Tensor& term) {
  DL_ASSIGN_OR_RETURN(term_, to_layout_.Plan(builder, term, sum.layout));
  if (sum.keep == Tensor::Keep::kNeeded && term_.keep == Tensor::Keep::kFree) {
    builder.arena().Use(sum.buffer);
    sum_ = std::exchange(term_, sum);
  } else {
    sum_ = own_sum_.Plan(builder, sum);
  }
  return sum_;
}

Status TensorSum::Bind(const PlanMemory& memory) {
  own_sum_.Bind(memory);
  DL_RETURN_IF_ERROR(to_layout_.Bind(memory));
  sum_values_ = memory.Buffer(sum_.buffer);
  term_values_ = memory.Buffer(term_.buffer);
  return absl::OkStatus();
}

Status TensorSum::Run() const {
  own_sum_.Run();
  DL_RETURN_IF_ERROR(to_layout_.Run());
  ForElements(sum_.layout.stored_elements(), [&](int64_t begin, int64_t end) {
    AddTo(sum_values_ + begin, term_values_ + begin, end - begin);
  });
  return absl::OkStatus();
}

}  // namespace dl::nn
