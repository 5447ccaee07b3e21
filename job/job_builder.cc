#include "job/job_builder.h"

#include "job/validate.h"

namespace dl::job {

StatusOr<JobSpec> Job::Build() const {
  JobSpec spec;
  nn::Mistakes mistakes;
  CheckJobName(name_, mistakes);
  spec.name = name_;
  std::optional<nn::ModelConfig> model;
  if (model_) {
    model = model_->Build(mistakes);
  } else {
    mistakes.SetWhere("model");
    mistakes.Add("there is no model", "Add .Model(nn::Sequential(...)...)");
  }
  if (model) spec.model = *std::move(model);
  spec.seed = seed_.value_or(spec.model.seed);
  spec.model.seed = spec.seed;
  spec.initial_weights = initial_weights_;
  CheckInitialWeights(spec.initial_weights, model ? &spec.model : nullptr, mistakes);
  spec.training = training_;
  CheckTraining(spec.training, mistakes);
  if (train_) {
    spec.data = {*train_, test_, normalizer_, split_, augmentation_};
    CheckData(spec.data, mistakes);
    CheckTogether(spec, !spec.model.layers.empty(), mistakes);
  } else {
    mistakes.SetWhere("data.train");
    mistakes.Add("there is no training set", "Add .Train(data::Idx(...)) or another source");
  }
  DL_RETURN_IF_ERROR(mistakes.ToStatus());
  return spec;
}

}  // namespace dl::job
