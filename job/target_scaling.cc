#include "job/target_scaling.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "nn/conf/model_outputs.h"

namespace dl::job {
namespace {

bool MeasuresDistances(const nn::LossConf& loss) {
  return std::holds_alternative<nn::MeanSquaredError>(loss) ||
         std::holds_alternative<nn::MeanAbsoluteError>(loss) ||
         std::holds_alternative<nn::Huber>(loss);
}

}  // namespace

std::vector<bool> ScaledTargets(const nn::ModelConfig& model) {
  const std::vector<nn::ModelOutput> outputs = OutputsOf(model);
  const nn::LabelForm form = LabelFormOf(outputs);
  if (form.kind != nn::LabelForm::Kind::kNumbers) return {};
  std::vector<bool> scaled(static_cast<size_t>(form.numbers), true);
  for (const nn::ModelOutput& output : outputs) {
    if (MeasuresDistances(output.conf.loss)) continue;
    // Labels that another output also uses unscaled are not scaled.
    const auto first = scaled.begin() + output.first_label;
    std::fill(first, first + output.label_count, false);
  }
  return scaled;
}

void CheckTargetNormalizer(const JobSpec& spec, nn::Mistakes& mistakes) {
  if (spec.training.target_normalizer == NormalizerChoice::kNone) return;
  const std::vector<bool> scaled = ScaledTargets(spec.model);
  if (std::find(scaled.begin(), scaled.end(), true) != scaled.end()) return;
  mistakes.SetWhere("training.target_normalizer");
  mistakes.Add(absl::StrCat("no output predicts numbers that can be scaled; the last output has "
                            "the loss ",
                            std::string(TagOf(spec.model.output().loss))),
               "Set it to \"none\", or use the loss mean_squared_error, mean_absolute_error or "
               "huber with labels that are numbers");
}

}  // namespace dl::job
