#include "nn/layers/compiled_counted_rows.h"

#include <algorithm>

#include "nn/layers/plain_rows_layer.h"

namespace dl::nn {
namespace {

class CountedRowsLayer : public PlainRowsLayer {
 public:
  CountedRowsLayer(size_t output, int64_t capacity) : output_(output), capacity_(capacity) {}

 protected:
  StatusOr<std::vector<int64_t>> PlanRows(PlanBuilder&,
                                          const std::vector<int64_t>& input) override {
    DL_CHECK(input.size() == 2 && capacity_ <= input[0]);
    rows_ = input[0];
    n_ = input[1];
    return std::vector<int64_t>{capacity_, n_};
  }
  Status PlanRowsGradient(PlanBuilder&) override { return absl::OkStatus(); }
  Status BindRows(const PlanMemory& memory) override {
    counted_ = &memory.CountedRows(output_);
    return absl::OkStatus();
  }
  Status ForwardRows() override {
    const auto count = static_cast<int64_t>(counted_->size());
    DL_CHECK(count <= capacity_);
    for (int64_t i = 0; i < count; ++i) std::copy_n(x() + (*counted_)[i] * n_, n_, y() + i * n_);
    std::fill_n(y() + count * n_, (capacity_ - count) * n_, 0.0f);
    return absl::OkStatus();
  }
  Status BackwardRows() override {
    std::fill_n(dx(), rows_ * n_, 0.0f);
    const auto count = static_cast<int64_t>(counted_->size());
    for (int64_t i = 0; i < count; ++i) std::copy_n(dy() + i * n_, n_, dx() + (*counted_)[i] * n_);
    return absl::OkStatus();
  }

 private:
  const size_t output_;
  const int64_t capacity_;
  int64_t rows_ = 0, n_ = 0;  // of the input
  const std::vector<int32_t>* counted_ = nullptr;
};

}  // namespace

std::unique_ptr<CompiledLayer> CompileCountedRows(size_t output, int64_t capacity) {
  return std::make_unique<CountedRowsLayer>(output, capacity);
}

}  // namespace dl::nn
