#include "nn/layers/compiled_l2_normalize.h"

#include "nn/backend/parallel_for.h"
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
    ForRows(norm_.rows, norm_.n, [&](int64_t begin, int64_t end) {
      const int64_t at = begin * norm_.n;
      L2NormForward(norm_.Slice({begin, end}), x() + at, y() + at, scale_values_ + begin);
    });
    return absl::OkStatus();
  }
  Status BackwardRows() override {
    ForRows(norm_.rows, norm_.n, [&](int64_t begin, int64_t end) {
      const int64_t at = begin * norm_.n;
      L2NormBackward(norm_.Slice({begin, end}), x() + at, scale_values_ + begin, dy() + at,
                     dx() + at);
    });
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
