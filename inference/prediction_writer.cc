#include "inference/prediction_writer.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "inference/class_names.h"
#include "nn/conf/label_parts.h"

namespace dl::inference {
namespace {

// Returns the outputs that have a prediction for each row of the last output.
std::vector<size_t> ShownOf(const std::vector<nn::ModelOutput>& outputs) {
  std::vector<size_t> shown;
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].CountedPerExample() == outputs.back().CountedPerExample()) shown.push_back(i);
  }
  return shown;
}

}  // namespace

PredictionForm FormOfPredictions(const nn::ModelConfig& model, const dataset::Schema& schema,
                                 const PredictionFormOptions& options) {
  const std::vector<nn::ModelOutput> outputs = OutputsOf(model);
  PredictionForm form{.kind = options.kind,
                      .outputs = {},
                      .has_files = options.has_files,
                      .has_steps = outputs.back().CountedPerExample() > 1,
                      .top_k = options.top_k};
  for (const size_t i : ShownOf(outputs)) {
    const nn::ModelOutput& output = outputs[i];
    PredictedOutput& shown = form.outputs.emplace_back();
    if (outputs.size() > 1) shown.name = output.name;
    shown.classifies = output.HasClasses();
    shown.transcribes = output.HasClassSequences();
    if (shown.classifies || shown.transcribes)
      shown.class_names = ClassNamesAt(schema, output.first_label);
    shown.units = output.conf.units;
    shown.has_labels = options.has_labels && output.label_count > 0;
  }
  return form;
}

PredictionWriter::PredictionWriter(const Options& options)
    : outputs_(OutputsOf(options.model)),
      shown_(ShownOf(outputs_)),
      form_(&options.form),
      table_(&options.table),
      files_(&options.files) {}

StatusOr<PredictionWriter> PredictionWriter::Create(const Options& options) {
  PredictionWriter writer(options);
  const dataset::ExampleTable& table = options.table;
  if (table.targets.empty()) return writer;
  for (const size_t i : writer.shown_) {
    std::vector<int32_t>& classes = writer.classes_.emplace_back();
    if (!writer.outputs_[i].HasClasses()) continue;
    classes.resize(table.examples * table.schema.labels_per_example());
    DL_RETURN_IF_ERROR(
        nn::CutClasses(writer.outputs_[i], {table.targets, table.schema.target_size()}, classes));
  }
  return writer;
}

Status PredictionWriter::Write(const PredictedBatch& batch, ByteSink sink) {
  const int64_t steps = outputs_.back().CountedPerExample();
  std::string lines;
  for (int64_t row = 0; row < batch.examples * steps; ++row) {
    const int64_t example = batch.first + row / steps;
    if (steps > 1 && row % steps >= StepsOf(outputs_.back(), example)) continue;
    const Prediction prediction = PredictionOf(batch, row, steps);
    Count(form_->outputs.back(), prediction.answers.back());
    absl::StrAppend(&lines, PredictionLine(*form_, prediction));
  }
  return sink(lines);
}

// `row` is a row of the last output in the batch.
Prediction PredictionWriter::PredictionOf(const PredictedBatch& batch, int64_t row,
                                          int64_t steps) const {
  const int64_t example = batch.first + row / steps;
  Prediction prediction{.example = example,
                        .step = row % steps,
                        .file = form_->has_files ? std::string_view((*files_)[example]) : "",
                        .answers = {}};
  for (size_t i = 0; i < shown_.size(); ++i) {
    const nn::ModelOutput& output = outputs_[shown_[i]];
    if (output.HasClassSequences()) {
      prediction.answers.push_back(Transcribe(
          output, example, batch.outputs[shown_[i]].subspan(row * output.type.Elements())));
      continue;
    }
    const int64_t units = output.conf.units;
    Prediction::Answer answer{.values = batch.outputs[shown_[i]].subspan(row * units, units)};
    answer.origins = OriginsOf(output);
    if (form_->outputs[i].has_labels) Label(i, batch.first * steps + row, answer);
    prediction.answers.push_back(answer);
  }
  return prediction;
}

void PredictionWriter::Count(const PredictedOutput& form, const Prediction::Answer& answer) {
  if (!form.has_labels) return;
  if (form.transcribes) {
    ++correct_.rows;
    if (std::ranges::equal(answer.classes, answer.labels)) ++correct_.correct;
  } else if (form.classifies && answer.label >= 0) {
    ++correct_.rows;
    if (PredictedClass(answer.values) == answer.label) ++correct_.correct;
  }
}

// Returns the origins of the numbers that the output predicts; empty if they have none.
std::span<const double> PredictionWriter::OriginsOf(const nn::ModelOutput& output) const {
  const std::span<const double> all = table_->schema.target_origins();
  const bool predicts_numbers = output.label_count == output.conf.units && !output.HasClasses();
  return all.empty() || !predicts_numbers ? std::span<const double>()
                                          : all.subspan(output.first_label, output.label_count);
}

// Returns the number of steps that the output has for an example.
int64_t PredictionWriter::StepsOf(const nn::ModelOutput& output, int64_t example) const {
  return table_->lengths.empty() ? output.type.Steps()
                                 : output.type.StepsOf(table_->lengths[example]);
}

// `values` are the outputs for all steps of the example, or more.
Prediction::Answer PredictionWriter::Transcribe(const nn::ModelOutput& output, int64_t example,
                                                std::span<const float> values) const {
  const int64_t steps = StepsOf(output, example);
  Prediction::Answer answer{
      .values = {},
      .classes = MostProbablePath(values.first(steps * output.conf.units), output.conf.units)};
  if (!table_->classes.empty()) answer.labels = ClassesOf(*table_, example);
  return answer;
}

// Sets the labels of `answer`. `row` is a row of the table's labels.
void PredictionWriter::Label(size_t shown, int64_t row, Prediction::Answer& answer) const {
  const nn::ModelOutput& output = outputs_[shown_[shown]];
  if (table_->targets.empty()) {
    answer.label = table_->classes[row];
  } else if (output.HasClasses()) {
    answer.label = classes_[shown][row];
  } else {
    answer.targets =
        std::span(table_->targets)
            .subspan(row * table_->schema.target_size() + output.first_label, output.label_count);
  }
}

}  // namespace dl::inference
