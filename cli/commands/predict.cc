// The command `predict`: prints the predictions of a checkpoint, one line per example.
#include "inference/predict.h"

#include <algorithm>
#include <ostream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/limits.h"
#include "cli/clusters/cluster_flags.h"
#include "cli/command_session.h"
#include "cli/commands/commands.h"
#include "cli/data/data_output.h"
#include "cli/data/import_memory.h"
#include "cli/data/model_data.h"
#include "cli/data/table_flags.h"
#include "cli/exit_code.h"
#include "cli/jobs/job_query.h"
#include "cli/output/prediction_lines.h"
#include "cli/output/table_report_text.h"
#include "dataset/manifest.h"
#include "dataset/readers/source.h"
#include "inference/checkpoint_reader.h"
#include "nn/conf/inner_model.h"
#include "nn/conf/label_parts.h"
#include "nn/conf/model_outputs.h"

namespace dl::cli {
namespace {

// Number of labels, and how many of them were predicted.
struct Right {
  int64_t rows = 0, right = 0;
};

struct Examples {
  dataset::ExampleTable table;
  bool has_labels = true;
  std::vector<dataset::UnknownCategories> unknown;
  std::vector<std::string> files;  // path of each example, if examples are files
};

// Writes the predictions of a batch for the shown outputs, with the labels.
class Answers {
 public:
  // Returns InvalidArgument for a label that is not a class.
  static StatusOr<Answers> Create(const std::vector<nn::ModelOutput>& outputs,
                                  std::vector<size_t> shown, const dataset::ExampleTable& table) {
    Answers answers(outputs, std::move(shown), table);
    if (table.targets.empty()) return answers;
    for (const size_t i : answers.shown_) {
      std::vector<int32_t>& classes = answers.classes_.emplace_back();
      if (!outputs[i].HasClasses()) continue;
      classes.resize(table.examples * table.schema.labels_per_example());
      DL_RETURN_IF_ERROR(
          nn::CutClasses(outputs[i], {table.targets, table.schema.target_size()}, classes));
    }
    return answers;
  }

  // Writes the lines of a batch. Counts the correct predictions of the last output in `right`.
  Status Write(const PredictionForm& form, const Examples& examples,
               const inference::PredictedBatch& batch, ByteSink sink, Right& right) const {
    const int64_t steps = outputs_.back().CountedPerExample();
    std::string lines;
    for (int64_t row = 0; row < batch.examples * steps; ++row) {
      const int64_t example = batch.first + row / steps;
      if (steps > 1 && row % steps >= StepsOf(outputs_.back(), example)) continue;
      Prediction prediction{.example = example,
                            .step = row % steps,
                            .file = form.has_files ? std::string_view(examples.files[example]) : "",
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
        if (form.outputs[i].has_labels) Label(i, batch.first * steps + row, answer);
        prediction.answers.push_back(answer);
      }
      Count(form.outputs.back(), prediction.answers.back(), right);
      absl::StrAppend(&lines, PredictionLine(form, prediction));
    }
    return sink(lines);
  }

 private:
  Answers(const std::vector<nn::ModelOutput>& outputs, std::vector<size_t> shown,
          const dataset::ExampleTable& table)
      : outputs_(outputs), shown_(std::move(shown)), table_(table) {}

  static void Count(const PredictedOutput& form, const Prediction::Answer& answer, Right& right) {
    if (!form.has_labels) return;
    if (form.transcribes) {
      ++right.rows;
      if (std::ranges::equal(answer.classes, answer.labels)) ++right.right;
    } else if (form.classifies && answer.label >= 0) {
      ++right.rows;
      if (PredictedClass(answer.values) == answer.label) ++right.right;
    }
  }

  // Returns the origins of the numbers that the output predicts; empty if they have none.
  std::span<const double> OriginsOf(const nn::ModelOutput& output) const {
    const std::span<const double> all = table_.schema.target_origins();
    const bool predicts_numbers = output.label_count == output.conf.units && !output.HasClasses();
    return all.empty() || !predicts_numbers ? std::span<const double>()
                                            : all.subspan(output.first_label, output.label_count);
  }

  // Returns the number of steps that the output has for an example.
  int64_t StepsOf(const nn::ModelOutput& output, int64_t example) const {
    return table_.lengths.empty() ? output.type.Steps()
                                  : output.type.StepsOf(table_.lengths[example]);
  }

  // `values` are the outputs for all steps of the example, or more.
  Prediction::Answer Transcribe(const nn::ModelOutput& output, int64_t example,
                                std::span<const float> values) const {
    const int64_t steps = StepsOf(output, example);
    Prediction::Answer answer{.values = {},
                              .classes = inference::MostProbablePath(
                                  values.first(steps * output.conf.units), output.conf.units)};
    if (!table_.classes.empty()) answer.labels = ClassesOf(table_, example);
    return answer;
  }

  // Sets the labels of `answer`. `row` is a row of the table's labels.
  void Label(size_t shown, int64_t row, Prediction::Answer& answer) const {
    const nn::ModelOutput& output = outputs_[shown_[shown]];
    if (table_.targets.empty()) {
      answer.label = table_.classes[row];
    } else if (output.HasClasses()) {
      answer.label = classes_[shown][row];
    } else {
      answer.targets =
          std::span(table_.targets)
              .subspan(row * table_.schema.target_size() + output.first_label, output.label_count);
    }
  }

  const std::vector<nn::ModelOutput>& outputs_;
  std::vector<size_t> shown_;
  const dataset::ExampleTable& table_;
  std::vector<std::vector<int32_t>> classes_;  // for the shown outputs, if labels are numbers
};

class PredictCommand final : public Command {
 public:
  std::string_view name() const override { return "predict"; }
  bool Computes() const override { return true; }
  std::string_view summary() const override { return "Predict with a checkpoint"; }
  std::string_view examples() const override {
    return "  dl-submit predict iris-1@best --data new.csv --no-labels\n"
           "  dl-submit predict flowers-1 --data new-photos --no-labels   # a folder of images\n"
           "  dl-submit predict lenet5-1 --data test.json --top-k 3 --format jsonl -o "
           "answers.jsonl\n"
           "  dl-submit predict resnet18-1 --data photos --no-labels --layer pool1   # features\n"
           "Prints one line per example, in the order of the file; per step, if steps have labels. "
           "A line has the example's\n"
           "number, its label if the data has labels, and the predicted class with its probability "
           "or the predicted numbers.\n"
           "Preprocessing and class names are those of the training set.";
  }
  void Declare(Flags& flags) override {
    flags.Positional("CHECKPOINT", name_, "JOB@ROUND, JOB@best, or JOB for its newest checkpoint",
                     Flags::Need::kRequired);
    cluster_.Declare(flags);
    flags.Text("--data", "DATA", data_,
               "Data to predict: a table, arrays, a text, an image folder, a .json file with a "
               "dataset, or a job spec (its test set is used)");
    flags.Switch("--no-labels", no_labels_,
                 "Read data without labels: a table without a label column, features without a "
                 "label array, or images directly in the folder");
    table_.Declare(flags, TableFlags::Use::kModel);
    flags.Choice("--format", "FORMAT", format_, {"csv", "jsonl"},
                 "csv or jsonl. Default: by the file name, otherwise csv.");
    flags.Text("--layer", "NAME", layer_, "Print this layer's activations instead of the outputs");
    flags.Integer("--top-k", "K", top_k_, "Print the K most probable classes. Default: 1.", 1,
                  limits::kMaxClasses);
    flags.Text("-o,--output", "FILE", output_,
               "Output file; - writes to standard output. Default: -.");
    flags.Switch("--json", json_, "Print a summary as JSON");
  }
  std::string job() const override { return name_.substr(0, name_.rfind('@')); }
  StatusOr<int> Run(Context& context) override {
    DL_RETURN_IF_ERROR(CheckFlags());
    DL_ASSIGN_OR_RETURN(Settings settings, cluster_.Resolve(context));
    DL_ASSIGN_OR_RETURN(Session session, OpenSession(settings, kToRead));
    DL_ASSIGN_OR_RETURN(const std::string name, FindCheckpoint(name_, session.client()));
    DL_ASSIGN_OR_RETURN(
        inference::LoadedCheckpoint checkpoint,
        inference::LoadCheckpoint(name, inference::CheckpointContent::kModel, session.client()));
    DL_ASSIGN_OR_RETURN(const dataset::Manifest training,
                        QueryTrainingManifest(session.client(), job()));
    DL_ASSIGN_OR_RETURN(const Examples examples, Read(checkpoint.spec, training.schema, context));
    if (!layer_.empty()) {
      DL_ASSIGN_OR_RETURN(checkpoint.spec.model, nn::ModelUpTo(checkpoint.spec.model, layer_));
    }
    DL_ASSIGN_OR_RETURN(PredictionForm form, FormOf(checkpoint.spec, training.schema));
    DL_ASSIGN_OR_RETURN(const std::string contract,
                        inference::ContractOf(checkpoint, session.client()));
    form.has_files = !examples.files.empty();
    for (PredictedOutput& output : form.outputs)
      output.has_labels = output.has_labels && examples.has_labels;
    const std::vector<nn::ModelOutput> outputs = OutputsOf(checkpoint.spec.model);
    DL_ASSIGN_OR_RETURN(const Answers answers,
                        Answers::Create(outputs, Shown(outputs), examples.table));
    Right right;
    const auto content = [&](ByteSink sink) -> Status {
      DL_RETURN_IF_ERROR(sink(PredictionHeader(form)));
      const auto visit = [&](const inference::PredictedBatch& batch) {
        return answers.Write(form, examples, batch, sink, right);
      };
      const Status status =
          inference::PredictExamples(checkpoint, examples.table,
                                     {.contract = contract,
                                      .normalizer = &training.normalizer,
                                      .target_normalizer = &training.target_normalizer,
                                      .visit = visit})
              .status();
      // Not possible on this machine.
      return absl::IsFailedPrecondition(status) ? WithExitCode(status, kFailed) : status;
    };
    DL_RETURN_IF_ERROR(WriteOutput(output_, content, context));
    Summarize(checkpoint.name, examples, right, SummaryStream(output_, context));
    return kSuccess;
  }

 private:
  Status CheckFlags() {
    DL_RETURN_IF_ERROR(ParseCheckpointName(name_).status());
    if (data_.empty()) {
      return UsageError({.message = "predict needs examples",
                         .remedy = "Give --data DATA. dl-submit evaluate evaluates a checkpoint on "
                                   "the test set of its job"});
    }
    if (format_.empty()) {
      const bool lines = output_.ends_with(".jsonl") || output_.ends_with(".ndjson");
      format_ = lines ? "jsonl" : "csv";
    }
    return absl::OkStatus();
  }

  // Returns the outputs that have a prediction for each row of the last output.
  static std::vector<size_t> Shown(const std::vector<nn::ModelOutput>& outputs) {
    std::vector<size_t> shown;
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (outputs[i].CountedPerExample() == outputs.back().CountedPerExample()) shown.push_back(i);
    }
    return shown;
  }

  StatusOr<PredictionForm> FormOf(const job::JobSpec& spec, const dataset::Schema& schema) const {
    const std::vector<nn::ModelOutput> outputs = OutputsOf(spec.model);
    PredictionForm form{
        .kind = format_ == "csv" ? PredictionForm::Kind::kCsv : PredictionForm::Kind::kJsonLines,
        .outputs = {},
        .has_steps = outputs.back().CountedPerExample() > 1,
        .top_k = top_k_};
    bool classifies = false;
    for (const size_t i : Shown(outputs)) {
      const nn::ModelOutput& output = outputs[i];
      PredictedOutput& shown = form.outputs.emplace_back();
      if (outputs.size() > 1) shown.name = output.name;
      shown.classifies = output.HasClasses();
      shown.transcribes = output.HasClassSequences();
      if (shown.classifies || shown.transcribes)
        shown.class_names = schema.ClassNamesAt(output.first_label);
      shown.units = output.conf.units;
      shown.has_labels = !no_labels_ && layer_.empty() && output.label_count > 0;
      classifies = classifies || shown.classifies;
    }
    if (!classifies && top_k_ > 1) {
      return UsageError(
          {.message = absl::StrCat("--top-k is for models that predict one class, but ", job(),
                                   " does not"),
           .remedy = "Leave it out"});
    }
    return form;
  }

  StatusOr<Examples> Read(const job::JobSpec& trained, const dataset::Schema& schema,
                          Context& context) const {
    DL_ASSIGN_OR_RETURN(const ModelData data, ReadModelData({.path = data_,
                                                             .trained = &trained,
                                                             .training = &schema,
                                                             .table = &table_,
                                                             .labels = ModelLabels::kOptional,
                                                             .tell = !json_},
                                                            context));
    const bool may_lack_labels = dataset::MayHaveNoLabels(data.dataset);
    if (no_labels_ && !may_lack_labels) {
      return UsageError(
          {.message = absl::StrCat("data in the format ", std::string(job::FormatOf(data.dataset)),
                                   " always has labels, but --no-labels is given for ", data_),
           .remedy = "Leave it out; the labels are read and shown"});
    }
    if (no_labels_ && data.part) {
      return UsageError(
          {.message = absl::StrCat("the split of ", data_, " is stratified, so it needs labels"),
           .remedy = "Leave out --no-labels, or give only the table"});
    }
    dataset::ReadOptions reading{
        .training = &schema, .memory = {}, .part = data.part, .uses_weights = false};
    DL_ASSIGN_OR_RETURN(const int64_t memory, ImportMemory(0, context.environment));
    reading.memory.bytes = memory / 4;
    Examples examples{.has_labels = !no_labels_ && data.has_labels};
    if (!examples.has_labels) reading.labels = dataset::LabelColumns::kNone;
    reading.paths = &examples.files;
    reading.unknown = &examples.unknown;
    auto table = dataset::ReadSource(data.dataset, reading);
    if (table.ok()) {
      examples.table = *std::move(table);
      if (json_) return examples;
      ReportUnknown(examples.unknown, context.err);
      for (const std::string& warning : examples.table.warnings)
        context.err << "warning: " << data_ << ": " << warning << std::endl;
      return examples;
    }
    const auto reads_without_labels = [&] {
      dataset::ReadOptions without = reading;
      without.labels = dataset::LabelColumns::kNone;
      without.paths = nullptr;
      without.unknown = nullptr;
      return dataset::ReadSource(data.dataset, without).ok();
    };
    if (may_lack_labels && examples.has_labels && absl::IsInvalidArgument(table.status()) &&
        reads_without_labels()) {
      return AsDataError(WithRemedy(
          table.status(), absl::StrCat(ErrorRemedy(table.status()),
                                       "; where the data has no labels, give --no-labels")));
    }
    return AsDataError(table.status());
  }

  void Summarize(const std::string& checkpoint, const Examples& all, const Right& right,
                 std::ostream& out) const {
    const int64_t examples = all.table.examples;
    const double accuracy =
        right.rows == 0 ? 0 : static_cast<double>(right.right) / static_cast<double>(right.rows);
    if (json_) {
      Json json = {{"checkpoint", checkpoint},
                   {"file", output_},
                   {"format", format_},
                   {"examples", examples}};
      if (right.rows > 0) json["accuracy"] = accuracy;
      if (!all.unknown.empty()) json["unknown_values"] = UnknownJson(all.unknown);
      if (!all.table.warnings.empty()) json["warnings"] = all.table.warnings;
      out << json.dump() << std::endl;
      return;
    }
    out << "predicted " << examples << " examples by " << checkpoint;
    if (right.rows > 0) out << absl::StrFormat(", %.2f %% as their labels say", 100 * accuracy);
    out << std::endl;
  }

  ClusterFlags cluster_;
  TableFlags table_;
  std::string name_, data_, layer_, format_, output_ = "-";
  int64_t top_k_ = 1;
  bool no_labels_ = false, json_ = false;
};

}  // namespace

std::unique_ptr<Command> MakePredict() { return std::make_unique<PredictCommand>(); }

}  // namespace dl::cli
