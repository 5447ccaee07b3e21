#include "nn/layers/compiled_l2_normalize.h"

#include "nn/kernels/row_norm.h"
#include "nn/layers/plain_rows_layer.h"

namespace dl::nn {
namespace {

class L2NormalizeLayer : public PlainRowsLayer {
 public:
  explicit L2NormalizeLayer(const L2Normalize& conf) : epsilon_(conf.epsilon) {}

 protected:
  StatusOr<std::vector<int64_t>> PlanRows(PlanBuilder& builder,
                                          const std::vector<int64_t>& input) override {
    norm_ = {.rows = input[0], .n = input[1], .epsilon = epsilon_};
    scale_ = builder.arena().Add(norm_.rows);
    return input;
  }
  Status PlanRowsGradient(PlanBuilder& builder) override {
    UseInput(builder);
    builder.arena().Use(scale_);
    return absl::OkStatus();
  }
  Status BindRows(const PlanMemory& memory) override {
    scale_values_ = memory.Buffer(scale_);
    return absl::OkStatus();
  }
  Status ForwardRows() override {
    L2NormForward(norm_, x(), y(), scale_values_);
    return absl::OkStatus();
  }
  Status BackwardRows() override {
    L2NormBackward(norm_, x(), scale_values_, dy(), dx());
    return absl::OkStatus();
  }

 private:
  double epsilon_;
  RowNorm norm_;
  BufferId scale_ = kNoBuffer;
  float* scale_values_ = nullptr;
};

}  // namespace

std::unique_ptr<CompiledLayer> CompileL2Normalize(const L2Normalize& conf) {
  return std::make_unique<L2NormalizeLayer>(conf);
}

}  // namespace dl::nn
