#include "nn/layers/compiled_gaussian_sample.h"

#include "base/philox.h"
#include "nn/backend/parallel_for.h"
#include "nn/kernels/gaussian_sample_kernels.h"
#include "nn/layers/plain_rows_layer.h"

namespace dl::nn {
namespace {

class GaussianSampleLayer : public PlainRowsLayer {
 public:
  GaussianSampleLayer(const GaussianSample& conf, int64_t layer_index)
      : kl_weight_(conf.kl_weight), layer_index_(layer_index) {}

  Status Forward(const Pass& pass) override {
    pass_ = pass;
    return PlainRowsLayer::Forward(pass);
  }

  void AddPenalties(int64_t counted, MetricSums& sums) const override {
    // 1 if each row has exactly one loss.
    const double losses_of_row =
        static_cast<double>(counted) / static_cast<double>(pass_.micro_batch.AllRows(shape_.rows));
    for (const double divergence : divergences_)
      sums.AddPenalty(kl_weight_ * divergence * losses_of_row);
  }

 protected:
  StatusOr<std::vector<int64_t>> PlanRows(PlanBuilder& builder,
                                          const std::vector<int64_t>& input) override {
    shape_ = {.rows = input[0], .values = input[1] / 2};
    const int64_t floats = shape_.rows * shape_.values;
    deviations_ = builder.arena().Add(floats);
    if (builder.purpose() == Purpose::kTraining) noise_ = builder.arena().Add(floats);
    divergences_.resize(shape_.rows);
    return std::vector<int64_t>{shape_.rows, shape_.values};
  }

  Status PlanRowsGradient(PlanBuilder& builder) override {
    UseInput(builder);
    builder.arena().Use(deviations_);
    builder.arena().Use(noise_);
    return absl::OkStatus();
  }

  Status BindRows(const PlanMemory& memory) override {
    deviation_values_ = memory.Buffer(deviations_);
    noise_values_ = memory.Buffer(noise_);
    return absl::OkStatus();
  }

  Status ForwardRows() override {
    if (pass_.Training()) {
      RandomStream stream(pass_.KeyFor(RandomPurpose::kGaussianSample, layer_index_));
      for (int64_t i = 0; i < shape_.rows * shape_.values; ++i)
        noise_values_[i] = static_cast<float>(stream.NextNormal());
    }
    ForRows(shape_.rows, 4 * shape_.values, [&](int64_t begin, int64_t end) {
      const SampleShape part = Rows(begin, end);
      const Drawn from = From(begin);
      float* const deviations = deviation_values_ + begin * shape_.values;
      DeviationsOf(part, from.x, deviations);
      for (int64_t r = 0; r < part.rows; ++r)
        divergences_[begin + r] = DivergenceFromNormal(part, from.x, deviations, r);
      if (pass_.Training()) {
        DrawSamples(part, from, y() + begin * shape_.values);
      } else {
        TakeMeans(part, from.x, y() + begin * shape_.values);
      }
    });
    return absl::OkStatus();
  }

  Status BackwardRows() override {
    const double share = kl_weight_ / static_cast<double>(pass_.micro_batch.AllRows(shape_.rows));
    ForRows(shape_.rows, 4 * shape_.values, [&](int64_t begin, int64_t end) {
      DrawSamplesGradient(Rows(begin, end), From(begin), static_cast<float>(share),
                          dy() + begin * shape_.values, dx() + begin * 2 * shape_.values);
    });
    return absl::OkStatus();
  }

  SampleShape Rows(int64_t begin, int64_t end) const {
    return {.rows = end - begin, .values = shape_.values};
  }
  // The arrays from row `row` on. There is no noise in a plan for inference.
  Drawn From(int64_t row) const {
    const int64_t at = row * shape_.values;
    return {.x = x() + 2 * at,
            .deviations = deviation_values_ + at,
            .noise = noise_values_ == nullptr ? nullptr : noise_values_ + at};
  }

 private:
  const double kl_weight_;
  const int64_t layer_index_;
  Pass pass_;
  SampleShape shape_;
  BufferId deviations_ = kNoBuffer, noise_ = kNoBuffer;
  float* deviation_values_ = nullptr;
  float* noise_values_ = nullptr;
  std::vector<double> divergences_;  // of each row, from Forward until AddPenalties
};

}  // namespace

std::unique_ptr<CompiledLayer> CompileGaussianSample(const GaussianSample& conf,
                                                     int64_t layer_index) {
  return std::make_unique<GaussianSampleLayer>(conf, layer_index);
}

}  // namespace dl::nn
