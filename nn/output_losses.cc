#include "nn/output_losses.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "nn/backend/parallel_for.h"
#include "nn/conf/label_parts.h"
#include "nn/conf/layer_config.h"
#include "nn/kernels/bf16.h"
#include "nn/layers/counted_rows_only.h"
#include "nn/losses/expected.h"

namespace dl::nn {
namespace {

// Returns the part of `all` that belongs to a micro-batch.
Expected PartOf(const Expected& all, const MicroBatch& part) {
  return {.labels = part.SliceOf(all.labels),
          .targets = part.SliceOf(all.targets),
          .counted = part.SliceOf(all.counted),
          .weights = part.SliceOf(all.weights),
          .counted_of_all = all.counted_of_all,
          .weight = all.weight};
}

// Copies the given rows of `all`, each of `width` values.
template <typename T>
std::span<const T> Copied(std::span<const T> all, const std::vector<int32_t>& rows, int64_t width,
                          std::vector<T>& copy) {
  copy.clear();
  if (all.empty()) return {};
  copy.reserve(all.size());
  for (const int32_t row : rows) {
    const auto first = all.begin() + row * width;
    copy.insert(copy.end(), first, first + width);
  }
  return copy;
}

}  // namespace

OutputLosses::OutputLosses(const ModelConfig& model, int64_t most, const PassSwitches& passes)
    : selected_(OutputsOf(model).size()) {
  const std::vector<ModelOutput> all = OutputsOf(model);
  form_ = LabelFormOf(all);
  const std::vector<bool> may_select = OutputsOfCountedRows(model);
  for (const ModelOutput& one : all) {
    const bool selects = passes.counted_rows_only && may_select[outputs_.size()];
    OutputLoss& output = outputs_.emplace_back(
        OutputLoss{.model = one, .loss = MakeLoss(one.conf.loss), .may_select = selects});
    output.works_in_place = passes.loss_of_rows && output.loss->WorksInPlace();
    output.expected.weight = output.model.conf.loss_weight;
    output.counted.resize(most * output.model.type.Steps());
    if (output.model.type.Steps() > 1) output.weights.resize(output.counted.size());
    if (form_.owners < 2 || output.model.label_count == 0) continue;
    if (output.model.HasClasses()) {
      output.labels.resize(most * form_.steps);
    } else {
      output.targets.resize(most * form_.steps * output.model.label_count);
    }
  }
}

Status OutputLosses::Expect(const Minibatch& batch) {
  for (OutputLoss& output : outputs_) DL_RETURN_IF_ERROR(Expect(batch, output));
  return absl::OkStatus();
}

Status OutputLosses::Expect(const Minibatch& batch, OutputLoss& output) const {
  const InputType& type = output.model.type;
  const int64_t steps = type.Steps(), rows = batch.examples * steps;
  Expected& expected = output.expected;
  expected.labels = {};
  expected.targets = {};
  expected.counted = {};
  expected.weights = WeightsOfRows(batch, output);
  if (output.model.conf.compared_with == ComparedWith::kInput) {
    expected.targets = batch.features;
  } else if (output.model.label_count > 0 && form_.owners > 1) {
    DL_RETURN_IF_ERROR(CutLabels(batch, output));
  } else if (output.model.label_count > 0) {
    expected.labels = batch.labels;
    expected.targets = batch.targets;
  }
  const auto is_short = [&](int32_t length) { return type.StepsOf(length) < steps; };
  const bool as_a_whole = output.model.HasClassSequences();
  const bool padded = type.variable_length && std::ranges::any_of(batch.lengths, is_short);
  const bool lacks_labels =
      !as_a_whole && std::ranges::find(expected.labels, kNoLabel) != expected.labels.end();
  if (padded || lacks_labels) {
    int64_t own = steps;  // of the example
    for (int64_t r = 0; r < rows; ++r) {
      if (type.variable_length && r % steps == 0) own = type.StepsOf(batch.lengths[r / steps]);
      const bool padding = r % steps >= own;
      const bool labelled = as_a_whole || r >= static_cast<int64_t>(expected.labels.size()) ||
                            expected.labels[r] != kNoLabel;
      output.counted[r] = !padding && labelled ? 1 : 0;
    }
    expected.counted = std::span(output.counted).first(rows);
  }
  expected.counted_of_all = as_a_whole ? batch.examples : expected.CountedOf(rows);
  return CheckExpected(LabelsOf(output.model.conf.loss),
                       {.layer = output.model.name,
                        .rows = rows,
                        .outputs = output.model.conf.units,
                        .steps = steps},
                       expected);
}

std::span<const float> OutputLosses::WeightsOfRows(const Minibatch& batch,
                                                   OutputLoss& output) const {
  const int64_t steps = output.model.type.Steps();
  if (steps == 1 || batch.weights.empty()) return batch.weights;
  for (int64_t e = 0; e < batch.examples; ++e)
    std::fill_n(output.weights.begin() + e * steps, steps, batch.weights[e]);
  return std::span(output.weights).first(batch.examples * steps);
}

Status OutputLosses::CutLabels(const Minibatch& batch, OutputLoss& output) const {
  const int64_t count = batch.examples * form_.steps, values = count * form_.numbers;
  if (static_cast<int64_t>(batch.targets.size()) != values) {
    return InvalidArgument({.message = absl::StrCat("targets has ", batch.targets.size(),
                                                    " values, expected ", values),
                            .where = "batch"});
  }
  const LabelRows rows{batch.targets, form_.numbers};
  if (output.model.HasClasses()) {
    const std::span<int32_t> labels = std::span(output.labels).first(count);
    output.expected.labels = labels;
    return CutClasses(output.model, rows, labels);
  }
  const std::span<float> targets =
      std::span(output.targets).first(count * output.model.label_count);
  output.expected.targets = targets;
  CutNumbers(output.model, rows, targets);
  return absl::OkStatus();
}

void OutputLosses::SelectRows(const MicroBatch& part) {
  for (size_t i = 0; i < outputs_.size(); ++i) {
    if (!outputs_[i].may_select) continue;
    const Expected expected = PartOf(outputs_[i].expected, part);
    selected_.Set(i, expected.counted);
    if (selected_.capacities()[i] > 0) CopySelected(i, expected);
  }
}

std::vector<bool> OutputLosses::WorkInPlace() const {
  std::vector<bool> work;
  for (const OutputLoss& output : outputs_) work.push_back(output.works_in_place);
  return work;
}

void OutputLosses::CopySelected(size_t output, const Expected& part) {
  const std::vector<int32_t>& rows = selected_.Of(output);
  OutputLoss::Selected& selected = outputs_[output].selected;
  selected.expected = {
      .labels = Copied(part.labels, rows, 1, selected.labels),
      .targets = Copied(part.targets, rows, outputs_[output].model.conf.units, selected.targets),
      .weights = Copied(part.weights, rows, 1, selected.weights),
      .counted_of_all = part.counted_of_all,
      .weight = part.weight};
}

Expected OutputLosses::ExpectedOf(size_t output, const ExecutionPlan& plan,
                                  const MicroBatch& part) const {
  if (plan.capacity(output) > 0) return outputs_[output].selected.expected;
  return PartOf(outputs_[output].expected, part);
}

void OutputLosses::Predict(const ExecutionPlan& plan) const {
  for (size_t i = 0; i < outputs_.size(); ++i) outputs_[i].loss->Predict(plan.outputs(i));
}

void OutputLosses::AddShare(const OutputLoss& output, const MetricSums& own,
                            MetricSums& all) const {
  if (own.examples() == 0) return;  // it has no mean
  const OutputLoss& last = outputs_.back();
  const double weight = output.expected.weight;
  const double sum = own.loss() * static_cast<double>(own.examples());
  if (&output == &last) {
    if (weight != 1) all.AddPenalty((weight - 1) * sum);
  } else if (last.expected.counted_of_all > 0) {
    all.AddPenalty(weight * sum * static_cast<double>(last.expected.counted_of_all) /
                   static_cast<double>(output.expected.counted_of_all));
  }
}

void OutputLosses::AddNumbers(const Outputs& y, const Expected& expected, MetricSums& all) {
  const auto width = static_cast<size_t>(y.outputs);
  for (int64_t r = 0; r < y.rows; ++r) {
    if (!expected.Counts(r)) continue;
    all.AddNumbers(std::span<const float>(y.values + r * y.outputs, width),
                   expected.targets.subspan(r * y.outputs, width), expected.WeightOf(r));
  }
}

void OutputLosses::AddScores(const Outputs& y, const Expected& expected, MetricSums& all) {
  const int64_t outputs = all.scores()->outputs();
  const bool has_classes = !expected.labels.empty();
  // The first class is not ranked if there are two.
  const int64_t first = has_classes && outputs == 1 ? 1 : 0;
  std::vector<ScoredExample> examples;
  for (int64_t o = 0; o < outputs; ++o) {
    examples.clear();
    for (int64_t r = 0; r < y.rows; ++r) {
      if (!expected.Counts(r)) continue;
      const float target = has_classes ? (expected.labels[r] == first + o ? 1.0f : 0.0f)
                                       : expected.targets[r * y.outputs + o];
      if (target != 0.0f && target != 1.0f) continue;
      examples.push_back({.score = y.values[r * y.outputs + first + o],
                          .positive = target == 1.0f,
                          .weight = static_cast<float>(expected.WeightOf(r))});
    }
    all.AddScores(o, examples);
  }
}

void OutputLosses::AddLosses(const ExecutionPlan& plan, const MicroBatch& part,
                             MetricSums& all) const {
  if (!outputs_.back().expected.weights.empty()) all.EnableWeights();
  for (size_t i = outputs_.size(); i-- > 0;) {  // AddShare needs the last output's rows
    const OutputLoss& output = outputs_[i];
    const Expected expected = ExpectedOf(i, plan, part);
    const bool is_last = i + 1 == outputs_.size();
    const auto add_losses = [&](MetricSums& sums) {
      if (plan.is_gradient_in_place(i)) {
        output.loss->AddLossesInPlace(plan.outputs(i), expected, sums, [&](int64_t row) {
          FinishGradient(plan, i, expected, {row, row + 1});
        });
      } else {
        output.loss->AddLosses(plan.outputs(i), expected, sums);
      }
    };
    if (is_last && expected.weight == 1) {
      add_losses(all);
    } else {
      MetricSums own(is_last ? all.classes() : 0);
      if (!expected.weights.empty()) own.EnableWeights();
      add_losses(own);
      if (is_last) DL_CHECK(all.Merge(own).ok());  // own has a matrix of the same size
      AddShare(output, own, all);
    }
    // Both use the predictions that AddLosses wrote.
    DL_CHECK(!plan.is_gradient_in_place(i) || !is_last || (!all.numbers() && !all.scores()));
    if (is_last && all.numbers()) AddNumbers(plan.outputs(i), expected, all);
    if (is_last && all.scores()) AddScores(plan.outputs(i), expected, all);
  }
}

void OutputLosses::AddLosses(const ExecutionPlan& plan, std::span<MetricSums> sums,
                             MetricSums& all) const {
  for (size_t i = outputs_.size(); i-- > 0;) {
    const OutputLoss& output = outputs_[i];
    MetricSums own(sums[i].classes());
    if (!output.expected.weights.empty()) own.EnableWeights();
    output.loss->AddLosses(plan.outputs(i), output.expected, own);
    DL_CHECK(sums[i].Merge(own).ok());
    if (i + 1 == outputs_.size()) {
      own.DropFigures();
      DL_CHECK(all.Merge(own).ok());
    }
    AddShare(output, own, all);
  }
}

void OutputLosses::FinishGradient(const ExecutionPlan& plan, size_t output,
                                  const Expected& expected, IndexRange rows) {
  const int64_t width = plan.outputs(output).outputs;
  float* const gradient = plan.loss_gradient(output);
  for (int64_t r = rows.begin; r < rows.end; ++r) {
    float* const row = gradient + r * width;
    if (!expected.Counts(r)) std::fill_n(row, width, 0.0f);
    if (!expected.weights.empty()) ScaleRows(expected.weights.subspan(r, 1), width, row);
    // The rounded rows take the place of this row and of rows before it.
    if (uint16_t* const rounded = plan.rounded_gradient(output))
      RoundOverlappingToBf16(row, rounded + r * width, width);
  }
}

void OutputLosses::SetGradients(const ExecutionPlan& plan, const MicroBatch& part) const {
  for (size_t i = 0; i < outputs_.size(); ++i) {
    const Expected expected = ExpectedOf(i, plan, part);
    const Outputs outputs = plan.outputs(i);
    const int64_t values = outputs.rows * outputs.outputs;
    const int64_t unused = std::max<int64_t>(plan.capacity(i) * outputs.outputs - values, 0);
    if (uint16_t* const rounded = plan.rounded_gradient(i)) {
      std::fill_n(rounded + values, unused, uint16_t{0});
    } else {
      std::fill_n(plan.loss_gradient(i) + values, unused, 0.0f);
    }
    if (plan.is_gradient_in_place(i)) continue;  // AddLosses has finished it
    outputs_[i].loss->Gradient(outputs, expected, plan.loss_gradient(i));
    ForRows(outputs.rows, outputs.outputs, [&](int64_t begin, int64_t end) {
      FinishGradient(plan, i, expected, {begin, end});
    });
  }
}

}  // namespace dl::nn
