#include "nn/layers/compiled_gaussian_noise.h"

#include "base/philox.h"
#include "nn/backend/parallel_for.h"
#include "nn/layers/plain_rows_layer.h"

namespace dl::nn {
namespace {

class GaussianNoiseLayer : public PlainRowsLayer {
 public:
  GaussianNoiseLayer(const GaussianNoise& conf, int64_t layer_index)
      : deviation_(conf.deviation), layer_index_(layer_index) {}

  Status Forward(const Pass& pass) override {
    pass_ = pass;
    return PlainRowsLayer::Forward(pass);
  }

 protected:
  StatusOr<std::vector<int64_t>> PlanRows(PlanBuilder&,
                                          const std::vector<int64_t>& input) override {
    values_ = 1;
    for (const int64_t extent : input) values_ *= extent;
    return input;
  }
  Status PlanRowsGradient(PlanBuilder&) override { return absl::OkStatus(); }
  Status BindRows(const PlanMemory&) override { return absl::OkStatus(); }

  Status ForwardRows() override {
    CopyFloats(x(), values_, y());
    if (!pass_.Training()) return absl::OkStatus();
    RandomStream stream(pass_.KeyFor(RandomPurpose::kDropout, layer_index_));
    float* const out = y();
    for (int64_t i = 0; i < values_; ++i)
      out[i] += static_cast<float>(deviation_ * stream.NextNormal());
    return absl::OkStatus();
  }

  Status BackwardRows() override {
    CopyFloats(dy(), values_, dx());
    return absl::OkStatus();
  }

 private:
  const double deviation_;
  const int64_t layer_index_;
  Pass pass_;
  int64_t values_ = 0;
};

}  // namespace

std::unique_ptr<CompiledLayer> CompileGaussianNoise(const GaussianNoise& conf,
                                                    int64_t layer_index) {
  return std::make_unique<GaussianNoiseLayer>(conf, layer_index);
}

}  // namespace dl::nn
