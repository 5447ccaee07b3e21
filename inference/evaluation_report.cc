#include "inference/evaluation_report.h"

#include <utility>

#include "base/json.h"

namespace dl::inference {

EvaluationReport::EvaluationReport(const nn::ModelConfig& model, const dataset::Manifest& data,
                                   OutputReport::Options options)
    : outputs_(OutputsOf(model)) {
  const nn::LabelForm form = LabelFormOf(outputs_);
  options.target_normalizer = data.target_normalizer;
  for (const nn::ModelOutput& output : outputs_) {
    reports_.emplace_back(output, form, data.schema, options);
    sums_.push_back(reports_.back().EmptySums());
  }
}

Status EvaluationReport::Add(const dataset::Minibatch& batch, nn::Network& network) {
  DL_RETURN_IF_ERROR(network.EvaluateInto({.examples = batch.examples,
                                           .features = batch.features,
                                           .labels = batch.classes,
                                           .targets = batch.targets,
                                           .lengths = batch.lengths,
                                           .weights = batch.weights},
                                          sums_, all_));
  for (size_t i = 0; i < reports_.size(); ++i)
    DL_RETURN_IF_ERROR(reports_[i].Add(batch, network.LastPredictions(i)));
  return absl::OkStatus();
}

Json EvaluationReport::ToJson() const {
  if (outputs_.size() == 1) {
    Json json = reports_.front().ToJson(sums_.front());
    json["loss"] = all_.loss();
    return json;
  }
  Json by_output = Json::array();
  for (size_t i = 0; i < outputs_.size(); ++i) {
    Json one = {{"layer", outputs_[i].name}, {"loss_weight", outputs_[i].conf.loss_weight}};
    if (sums_[i].examples() > 0) {
      one.update(reports_[i].ToJson(sums_[i]));
    } else {
      one["examples"] = 0;  // no example has a label of this output
    }
    by_output.push_back(std::move(one));
  }
  Json json = {{"examples", all_.examples()}, {"loss", all_.loss()}};
  if (sums_.back().has_accuracy()) json["accuracy"] = sums_.back().accuracy();
  json["by_output"] = std::move(by_output);
  return json;
}

}  // namespace dl::inference
