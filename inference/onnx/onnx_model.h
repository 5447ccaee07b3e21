// A trained model as an ONNX file. It computes what `dl-submit predict` computes, except that
// another runtime rounds in another way.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/json_fwd.h"
#include "base/segment_table.h"
#include "base/status.h"
#include "dataset/normalizer.h"
#include "dataset/schema.h"
#include "inference/onnx/features.h"
#include "inference/onnx/graph.h"
#include "nn/conf/model_config.h"

namespace dl::inference {

// What is exported. All references must outlive the call of OnnxModel::Create.
struct OnnxSource {
  const nn::ModelConfig& model;
  // Has the parameters of the model, and the running moments of its batch normalizations.
  const SegmentTable& table;
  std::span<const float> weights;  // all values of `table`
  const dataset::Schema& schema;   // of the training split
  const dataset::Normalizer& normalizer;
  const dataset::Normalizer& target_normalizer;
};

class OnnxModel {
 public:
  // Builds the model in memory. The only error is ResourceExhausted: the weights do not fit into an
  // ONNX file, which has at most 2 GiB.
  static StatusOr<OnnxModel> Create(const OnnxSource& source);

  size_t weights() const { return weights_; }  // number of tensors with weights

  // Returns the description of inputs and outputs (docs/formats.md, "ONNX"), which has what the
  // graph cannot express: names of classes, the vocabulary of a text, formats of dates.
  Json Description() const;

  // Writes the file. Equal models and metadata give equal bytes. Returns errors of the sink and of
  // OnnxGraph::Write.
  Status Write(const std::map<std::string, std::string>& metadata, ByteSink sink) const;

 private:
  struct Output {
    std::string name;
    OnnxType type = OnnxType::kFloat;
    std::vector<int64_t> shape;
    std::string_view predicts;
    std::vector<std::string> class_names;
  };

  OnnxModel(const OnnxSource& source);
  void AddWeights(const OnnxSource& source);
  void AddOutputs(const OnnxSource& source, const std::vector<std::string>& predictions);

  const dataset::Schema schema_;
  std::unique_ptr<OnnxGraph> graph_;
  std::vector<OnnxInput> inputs_;
  std::vector<Output> outputs_;
  size_t weights_ = 0;
};

}  // namespace dl::inference
