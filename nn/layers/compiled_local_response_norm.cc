#include "nn/layers/compiled_local_response_norm.h"

#include "nn/backend/parallel_for.h"
#include "nn/kernels/response_norm_kernels.h"
#include "nn/layers/plain_rows_layer.h"

namespace dl::nn {
namespace {

class LocalResponseNormLayer : public PlainRowsLayer {
 public:
  explicit LocalResponseNormLayer(const LocalResponseNorm& conf)
      : norm_{.size = conf.size,
              .alpha = static_cast<float>(conf.alpha),
              .beta = static_cast<float>(conf.beta),
              .k = static_cast<float>(conf.k)} {}

 protected:
  StatusOr<std::vector<int64_t>> PlanRows(PlanBuilder& builder,
                                          const std::vector<int64_t>& input) override {
    norm_.examples = input[0];
    norm_.channels = input[1];
    norm_.area = input[2] * input[3];
    base_ = builder.arena().Add(Layout::Plain(input));
    return input;
  }

  Status PlanRowsGradient(PlanBuilder& builder) override {
    UseInput(builder);
    builder.arena().Use(base_);
    scratch_ = builder.arena().Add(ResponseNormScratch(norm_));
    return absl::OkStatus();
  }

  Status BindRows(const PlanMemory& memory) override {
    base_values_ = memory.Buffer(base_);
    scratch_values_ = memory.Buffer(scratch_);
    return absl::OkStatus();
  }

  Status ForwardRows() override {
    const int64_t example = norm_.channels * norm_.area;
    ForRows(norm_.examples, example, [&](int64_t begin, int64_t end) {
      ResponseNorm part = norm_;
      part.examples = end - begin;
      const int64_t at = begin * example;
      ResponseNormForward(part, x() + at, base_values_ + at, y() + at);
    });
    return absl::OkStatus();
  }

  Status BackwardRows() override {
    ForColumns(norm_.area, norm_.examples * norm_.channels, [&](int64_t begin, int64_t end) {
      ResponseNormBackward(norm_, {begin, end}, x(), base_values_, dy(), dx(), scratch_values_);
    });
    return absl::OkStatus();
  }

 private:
  ResponseNorm norm_;
  BufferId base_ = kNoBuffer, scratch_ = kNoBuffer;
  float *base_values_ = nullptr, *scratch_values_ = nullptr;
};

}  // namespace

std::unique_ptr<CompiledLayer> CompileLocalResponseNorm(const LocalResponseNorm& conf) {
  return std::make_unique<LocalResponseNormLayer>(conf);
}

}  // namespace dl::nn
