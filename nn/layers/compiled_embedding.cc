#include "nn/layers/compiled_embedding.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "nn/kernels/sequence_kernels.h"
#include "nn/layers/plain_rows_layer.h"
#include "nn/touched_rows.h"

namespace dl::nn {
namespace {

// The input is the model's data, so a gradient with respect to it is never needed.
class EmbeddingLayer : public PlainRowsLayer {
 public:
  explicit EmbeddingLayer(const LayerConfig& layer)
      : name_(layer.name), conf_(std::get<Embedding>(layer.conf)) {}

  bool HasParameters() const override { return true; }

 protected:
  StatusOr<std::vector<int64_t>> PlanRows(PlanBuilder& builder,
                                          const std::vector<int64_t>& input) override {
    shape_ = {.rows = input[0], .indices = conf_.indices, .n = conf_.units};
    DL_ASSIGN_OR_RETURN(weight_, builder.Parameter(name_, "weight"));
    const Layout table = Layout::Plain(std::vector<int64_t>{conf_.indices, conf_.units});
    DL_RETURN_IF_ERROR(builder.SetParameterLayout(weight_, table, table));
    return std::vector<int64_t>{shape_.rows, conf_.units};
  }

  Status PlanRowsGradient(PlanBuilder& builder) override {
    UseInput(builder);
    return absl::OkStatus();
  }

  Status BindRows(const PlanMemory& memory) override {
    table_ = memory.Parameter(weight_);
    d_table_ = memory.Gradient(weight_);
    touched_ = memory.Touched(weight_);
    return absl::OkStatus();
  }

  Status ForwardRows() override {
    const int64_t wrong = TakeRows(shape_, x(), table_, y());
    if (wrong < 0) return absl::OkStatus();
    return InvalidArgument(
        {.message = absl::StrCat("the value ", x()[wrong],
                                 " is not an index: expected a whole number from 0 to ",
                                 conf_.indices - 1),
         .where = absl::StrCat("layer ", name_, ", row ", wrong, " of the minibatch"),
         .remedy = "Give the layer as many indices as the data has, and use no normalizer."});
  }

  Status BackwardRows() override {
    if (touched_ == nullptr) {
      std::fill_n(d_table_, shape_.indices * shape_.n, 0.0f);
    } else {
      touched_->Clear(d_table_);
      for (int64_t r = 0; r < shape_.rows; ++r) touched_->Add(static_cast<int64_t>(x()[r]));
    }
    AddRowsGradient(shape_, x(), dy(), d_table_);
    return absl::OkStatus();
  }

 private:
  std::string name_;
  Embedding conf_;
  TableShape shape_;
  ParameterId weight_ = -1;
  const float* table_ = nullptr;
  float* d_table_ = nullptr;
  TouchedRows* touched_ = nullptr;
};

}  // namespace

std::unique_ptr<CompiledLayer> CompileEmbedding(const LayerConfig& layer) {
  return std::make_unique<EmbeddingLayer>(layer);
}

}  // namespace dl::nn
