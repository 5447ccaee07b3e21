// The command `predict`: prints the predictions of a checkpoint, one line per example.
#include "inference/predict.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <ostream>

#include "absl/strings/ascii.h"
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
#include "cli/output/table_report_text.h"
#include "dataset/manifest.h"
#include "dataset/readers/source.h"
#include "dataset/unit_changes.h"
#include "inference/checkpoint_reader.h"
#include "inference/prediction_lines.h"
#include "inference/prediction_writer.h"
#include "inference/unknown_json.h"
#include "nn/conf/inner_model.h"

namespace dl::cli {
namespace {

struct Examples {
  dataset::ExampleTable table;
  bool has_labels = true;
  std::vector<dataset::UnknownCategories> unknown;
  std::vector<std::string> files;  // path of each example, if examples are files
};

class PredictCommand final : public Command {
 public:
  std::string_view name() const override { return "predict"; }
  std::string_view json_lines() const override { return "PredictedFile|Prediction"; }
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
    DL_ASSIGN_OR_RETURN(Session session, OpenSession(settings, kSessionToRead));
    DL_ASSIGN_OR_RETURN(const std::string name, FindCheckpoint(name_, session.client()));
    DL_ASSIGN_OR_RETURN(
        inference::LoadedCheckpoint checkpoint,
        inference::LoadCheckpoint(name, inference::CheckpointContent::kModel, session.client()));
    DL_ASSIGN_OR_RETURN(const dataset::Manifest training,
                        QueryTrainingManifest(session.client(), job()));
    DL_ASSIGN_OR_RETURN(const Examples examples, Read(checkpoint.spec, training, context));
    if (!layer_.empty()) {
      auto part = nn::ModelUpTo(checkpoint.spec.model, layer_);
      if (!part.ok()) return AsFlagError(part.status(), "--layer");
      checkpoint.spec.model = *std::move(part);
    }
    DL_ASSIGN_OR_RETURN(const inference::PredictionForm form,
                        FormOf(checkpoint.spec, training.schema, examples));
    DL_ASSIGN_OR_RETURN(const std::string contract,
                        inference::ContractOf(checkpoint, session.client()));
    DL_ASSIGN_OR_RETURN(inference::PredictionWriter writer,
                        inference::PredictionWriter::Create({.model = checkpoint.spec.model,
                                                             .form = form,
                                                             .table = examples.table,
                                                             .files = examples.files}));
    const auto content = [&](ByteSink sink) -> Status {
      DL_RETURN_IF_ERROR(sink(inference::PredictionHeader(form)));
      const auto visit = [&](const inference::PredictedBatch& batch) {
        return writer.Write(batch, sink);
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
    Summarize(checkpoint.name, examples, writer.correct(), SummaryStream(output_, context));
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
    DL_RETURN_IF_ERROR(CheckKeepsData(output_, data_));
    return ChooseFormat();
  }

  // Chooses the format by the ending of the file. An unknown ending is an error unless --format is
  // given.
  Status ChooseFormat() {
    if (!format_.empty()) return absl::OkStatus();
    const std::string ending =
        absl::AsciiStrToLower(std::filesystem::path(output_).extension().string());
    format_ = ending == ".jsonl" || ending == ".ndjson" ? "jsonl" : "csv";
    const bool is_format = ending.size() > 1 && absl::ascii_isalpha(ending[1]);
    if (format_ == "jsonl" || !is_format || ending == ".csv" || ending == ".txt")
      return absl::OkStatus();
    return UsageError({.message = absl::StrCat("predictions are not written as ", ending),
                       .where = output_,
                       .remedy =
                           "Name a file that ends in .csv or .jsonl; with --format, any other "
                           "ending is allowed"});
  }

  StatusOr<inference::PredictionForm> FormOf(const job::JobSpec& spec,
                                             const dataset::Schema& schema,
                                             const Examples& examples) const {
    using inference::PredictionForm;
    const inference::PredictionForm form = inference::FormOfPredictions(
        spec.model, schema,
        {.kind = format_ == "csv" ? PredictionForm::Kind::kCsv : PredictionForm::Kind::kJsonLines,
         .has_labels = examples.has_labels && layer_.empty(),
         .has_files = !examples.files.empty(),
         .top_k = top_k_});
    const bool classifies =
        std::ranges::any_of(form.outputs, &inference::PredictedOutput::classifies);
    if (!classifies && top_k_ > 1) {
      return UsageError(
          {.message = absl::StrCat("--top-k is for models that predict one class, but ", job(),
                                   " does not"),
           .remedy = "Leave it out"});
    }
    return form;
  }

  StatusOr<Examples> Read(const job::JobSpec& trained, const dataset::Manifest& training,
                          Context& context) const {
    const dataset::Schema& schema = training.schema;
    DL_ASSIGN_OR_RETURN(const ModelData data, ReadModelData({.path = data_,
                                                             .trained = &trained,
                                                             .training = &schema,
                                                             .table = &table_,
                                                             .labels = ModelLabels::kOptional,
                                                             .report = !json_},
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
      DL_ASSIGN_OR_RETURN(std::vector<std::string> changes,
                          dataset::FindUnitChanges(examples.table, training.normalizer,
                                                   examples.has_labels ? training.target_normalizer
                                                                       : dataset::Normalizer()));
      std::ranges::move(changes, std::back_inserter(examples.table.warnings));
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

  void Summarize(const std::string& checkpoint, const Examples& all,
                 const inference::PredictionWriter::CorrectCount& right, std::ostream& out) const {
    const int64_t examples = all.table.examples;
    const double accuracy =
        right.rows == 0 ? 0 : static_cast<double>(right.correct) / static_cast<double>(right.rows);
    if (json_) {
      Json json = {{"checkpoint", checkpoint},
                   {"file", output_},
                   {"format", format_},
                   {"examples", examples}};
      if (right.rows > 0) json["accuracy"] = accuracy;
      if (!all.unknown.empty()) json["unknown_values"] = inference::UnknownJson(all.unknown);
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
