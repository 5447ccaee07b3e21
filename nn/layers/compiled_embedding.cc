#include "nn/layers/compiled_embedding.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "nn/backend/parallel_for.h"
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
    if (const int64_t wrong = FirstWrongIndex(shape_, x()); wrong >= 0) return WrongIndex(wrong);
    ForRows(shape_.rows, shape_.n, [&](int64_t begin, int64_t end) {
      TakeRows(shape_, {begin, end}, x(), table_, y());
    });
    return absl::OkStatus();
  }

  Status WrongIndex(int64_t wrong) const {
    return InvalidArgument(
        {.message = absl::StrCat("the value ", x()[wrong],
                                 " is not an index: expected a whole number from 0 to ",
                                 conf_.indices - 1),
         .where = absl::StrCat("layer ", name_, ", row ", wrong, " of the minibatch"),
         .remedy = "Give the layer as many indices as the data has, and use no normalizer."});
  }

  Status BackwardRows() override {
    if (touched_ == nullptr) {
      ForElements(shape_.indices * shape_.n, [&](int64_t begin, int64_t end) {
        std::fill(d_table_ + begin, d_table_ + end, 0.0f);
      });
    } else {
      touched_->Clear(d_table_);
      for (int64_t r = 0; r < shape_.rows; ++r) touched_->Add(static_cast<int64_t>(x()[r]));
    }
    ForColumns(shape_.n, shape_.rows, [&](int64_t begin, int64_t end) {
      AddRowsGradient(shape_, {begin, end}, x(), dy(), d_table_);
    });
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
