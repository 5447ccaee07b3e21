#include "nn/layers/compiled_group_norm.h"

#include "nn/backend/parallel_for.h"
#include "nn/kernels/group_norm_kernels.h"
#include "nn/layers/plain_rows_layer.h"

namespace dl::nn {
namespace {

class GroupNormLayer : public PlainRowsLayer {
 public:
  GroupNormLayer(const LayerConfig& layer, int64_t groups, double epsilon)
      : name_(layer.name),
        shape_{.channels = layer.input.channels,
               .area = layer.input.Pixels(),
               .groups = groups,
               .epsilon = epsilon} {}

  bool HasParameters() const override { return true; }

 protected:
  StatusOr<std::vector<int64_t>> PlanRows(PlanBuilder& builder,
                                          const std::vector<int64_t>& input) override {
    shape_.examples = input[0];
    const Layout vector = Layout::Plain(std::vector<int64_t>{shape_.channels});
    for (const auto& [name, id] : {std::pair{"gamma", &gamma_}, {"beta", &beta_}}) {
      DL_ASSIGN_OR_RETURN(*id, builder.Parameter(name_, name));
      DL_RETURN_IF_ERROR(builder.SetParameterLayout(*id, vector, vector));
    }
    mean_ = builder.arena().Add(shape_.examples * shape_.groups);
    deviation_ = builder.arena().Add(shape_.examples * shape_.groups);
    return input;
  }

  Status PlanRowsGradient(PlanBuilder& builder) override {
    UseInput(builder);
    for (const BufferId id : {mean_, deviation_}) builder.arena().Use(id);
    sums_ = builder.arena().Add<double>(2 * shape_.channels);
    return absl::OkStatus();
  }

  Status BindRows(const PlanMemory& memory) override {
    gamma_values_ = memory.Parameter(gamma_);
    beta_values_ = memory.Parameter(beta_);
    mean_values_ = memory.Buffer(mean_);
    deviation_values_ = memory.Buffer(deviation_);
    d_gamma_ = memory.Gradient(gamma_);
    d_beta_ = memory.Gradient(beta_);
    sums_values_ = memory.Buffer<double>(sums_);
    return absl::OkStatus();
  }

  Status ForwardRows() override {
    ForRows(shape_.examples * shape_.groups, GroupFloats(), [&](int64_t begin, int64_t end) {
      GroupNormForward(shape_, {begin, end}, x(), gamma_values_, beta_values_, y(), mean_values_,
                       deviation_values_);
    });
    return absl::OkStatus();
  }

  Status BackwardRows() override {
    const GroupNormKept kept{x(), gamma_values_, mean_values_, deviation_values_};
    ForRows(shape_.groups, shape_.examples * GroupFloats(), [&](int64_t begin, int64_t end) {
      GroupNormBackward(shape_, {begin, end}, kept, dy(), dx(), d_gamma_, d_beta_, sums_values_);
    });
    return absl::OkStatus();
  }

 private:
  int64_t GroupFloats() const { return shape_.channels / shape_.groups * shape_.area; }

  std::string name_;
  GroupNormShape shape_;
  ParameterId gamma_ = -1, beta_ = -1;
  BufferId mean_ = kNoBuffer, deviation_ = kNoBuffer, sums_ = kNoBuffer;
  const float* gamma_values_ = nullptr;
  const float* beta_values_ = nullptr;
  float* mean_values_ = nullptr;
  float* deviation_values_ = nullptr;
  float* d_gamma_ = nullptr;
  float* d_beta_ = nullptr;
  double* sums_values_ = nullptr;
};

}  // namespace

std::unique_ptr<CompiledLayer> CompileGroupNorm(const LayerConfig& layer, int64_t groups,
                                                double epsilon) {
  return std::make_unique<GroupNormLayer>(layer, groups, epsilon);
}

}  // namespace dl::nn
