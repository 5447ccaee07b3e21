// The command `evaluate`: evaluates a checkpoint on the test set of its job, or on other data.
#include "inference/evaluate.h"

#include <algorithm>
#include <ostream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/limits.h"
#include "cli/clusters/cluster_flags.h"
#include "cli/command_session.h"
#include "cli/commands/commands.h"
#include "cli/data/import_memory.h"
#include "cli/data/model_data.h"
#include "cli/data/table_flags.h"
#include "cli/exit_code.h"
#include "cli/jobs/job_query.h"
#include "cli/output/evaluation_text.h"
#include "cli/output/table_report_text.h"
#include "dataset/manifest.h"
#include "dataset/readers/table/table_columns.h"
#include "inference/checkpoint_reader.h"
#include "inference/output_report.h"
#include "inference/unknown_json.h"
#include "launch/submission.h"
#include "rpc/messages.h"

namespace dl::cli {
namespace {

class EvaluateCommand final : public Command {
 public:
  std::string_view name() const override { return "evaluate"; }
  std::string_view json_lines() const override { return "Evaluation"; }
  bool Computes() const override { return true; }
  std::string_view summary() const override { return "Evaluate a checkpoint on this machine"; }
  std::string_view examples() const override {
    return "  dl-submit evaluate lenet5-1          # its newest checkpoint\n"
           "  dl-submit evaluate lenet5-1@470 --json\n"
           "  dl-submit evaluate lenet5-1 --data other.json    # {\"format\": \"idx\", "
           "\"features\": …, \"labels\": …}";
  }
  void Declare(Flags& flags) override {
    flags.Positional("CHECKPOINT", name_, "JOB@ROUND, JOB@best, or JOB for its newest checkpoint",
                     Flags::Need::kRequired);
    cluster_.Declare(flags);
    flags.Text("--data", "DATA", data_,
               "Evaluate on this data: a table, an image folder, a .json file with a dataset, or a "
               "job spec (its test set is used). Default: the job's test set.");
    flags.Integer("--top-k", "K", top_,
                  "Report top-K accuracy if there are more than K classes. Default: 5.", 1,
                  limits::kMaxClasses);
    table_.Declare(flags, TableFlags::Use::kEvaluation);
    flags.Switch("--json", json_, "Print JSON");
  }
  std::string job() const override { return name_.substr(0, name_.rfind('@')); }
  StatusOr<int> Run(Context& context) override {
    DL_RETURN_IF_ERROR(ParseCheckpointName(name_).status());
    DL_ASSIGN_OR_RETURN(Settings settings, cluster_.Resolve(context));
    DL_ASSIGN_OR_RETURN(Session session, OpenSession(settings, kSessionToRead));
    DL_ASSIGN_OR_RETURN(const std::string name, FindCheckpoint(name_, session.client()));
    DL_ASSIGN_OR_RETURN(
        inference::LoadedCheckpoint checkpoint,
        inference::LoadCheckpoint(name, inference::CheckpointContent::kModel, session.client()));
    DL_ASSIGN_OR_RETURN(std::string manifest, Manifest(session, checkpoint, context));
    StatusOr<Json> evaluated =
        inference::EvaluateCheckpoint(checkpoint, manifest, top_, session.client());
    if (absl::IsFailedPrecondition(evaluated.status()))
      return WithExitCode(evaluated.status(), kFailed);  // not possible on this machine
    if (!evaluated.ok()) return AsDataError(evaluated.status());
    Json report = *std::move(evaluated);
    if (report.value("examples", int64_t{1}) == 0) {
      return AsDataError(
          InvalidArgument({.message = "no example of the test set has a label",
                           .where = data_.empty() ? job() : data_,
                           .remedy = "Give data with labels; dl-submit predict needs no labels"}));
    }
    report["checkpoint"] = checkpoint.name;
    report["state_sha256"] = checkpoint.state_sha256;
    if (!unknown_.empty()) report["unknown_values"] = inference::UnknownJson(unknown_);
    if (!warnings_.empty()) report["warnings"] = warnings_;
    context.out << (json_ ? report.dump() + "\n" : EvaluationText(report)) << std::flush;
    return kSuccess;
  }

 private:
  StatusOr<std::string> Manifest(Session& session, const inference::LoadedCheckpoint& checkpoint,
                                 Context& context) {
    if (data_.empty()) {
      if (!checkpoint.spec.data.test) {
        return WithExitCode(FailedPrecondition({.message = absl::StrCat(job(), " has no test set"),
                                                .where = job(),
                                                .remedy = "Give one with --data DATA"}),
                            kFailed);
      }
      DL_ASSIGN_OR_RETURN(
          rpc::QueryReply reply,
          session.client().Query({.what = rpc::QueryKind::kTestManifest, .job = job()},
                                 limits::kControlDeadline));
      return std::move(reply.json);
    }
    return Import(session, checkpoint, context);
  }

  // Imports the data with the normalizers of the training set.
  StatusOr<std::string> Import(Session& session, const inference::LoadedCheckpoint& checkpoint,
                               Context& context) {
    DL_ASSIGN_OR_RETURN(
        const rpc::QueryReply reply,
        session.client().Query({.what = rpc::QueryKind::kTrainManifest, .job = job()},
                               limits::kControlDeadline));
    DL_ASSIGN_OR_RETURN(const dataset::Manifest training,
                        dataset::ManifestFromJson(reply.json, "training manifest"));
    DL_ASSIGN_OR_RETURN(const ModelData data, ReadModelData({.path = data_,
                                                             .trained = &checkpoint.spec,
                                                             .training = &training.schema,
                                                             .table = &table_,
                                                             .labels = ModelLabels::kRequired,
                                                             .report = !json_},
                                                            context));
    constexpr size_t kRankOfSequences = 2;
    if (!data.has_labels && training.schema.feature_shape.size() == kRankOfSequences) {
      return AsDataError(InvalidArgument(
          {.message = absl::StrCat("the model reads sequences, and ", data_,
                                   " does not say how its rows become sequences"),
           .where = data_,
           .remedy = "Describe it in a .json file with the key sequences, and give that file"}));
    }
    if (!data.has_labels) {
      return AsDataError(InvalidArgument(
          {.message = absl::StrCat(data_, " has no labels: the label column is missing",
                                   LabelNames(training.schema), ", or the column is empty"),
           .where = data_,
           .remedy = "Name the column with --label COLUMN; dl-submit predict needs no labels"}));
    }
    launch::ImportOptions options{.part = data.part};
    options.on_unknown = [&](const std::vector<dataset::UnknownCategories>& unknown) {
      unknown_ = unknown;
      if (!json_) ReportUnknown(unknown, context.err);
    };
    DL_ASSIGN_OR_RETURN(options.memory_bytes, ImportMemory(0, context.environment));
    if (!session.data_dir.empty()) options.cache_dir = session.data_dir + "/imports";
    if (json_) options.on_warning = [&](const std::string& text) { warnings_.push_back(text); };
    if (!json_)
      options.progress = [&](const std::string& line) { context.err << line << std::endl; };
    auto manifest = launch::ImportDataset(data.dataset, launch::NormalizersOf(checkpoint.spec),
                                          reply.json, options, session.client());
    if (!manifest.ok()) return AsDataError(manifest.status());
    DL_ASSIGN_OR_RETURN(const dataset::Manifest evaluated,
                        dataset::ManifestFromJson(*manifest, "manifest"));
    if (evaluated.content_fingerprint == training.content_fingerprint) {
      const std::string text = absl::StrCat(
          data_,
          ": these are the examples of the training set, so the figures say nothing about "
          "new examples");
      if (json_)
        warnings_.push_back(text);
      else
        context.err << "warning: " << text << std::endl;
    }
    return manifest;
  }

  static std::string LabelNames(const dataset::Schema& schema) {
    const std::vector<std::string> names = dataset::LabelNamesOf(schema);
    return names.empty() ? "" : absl::StrCat(", \"", absl::StrJoin(names, "\", \""), "\"");
  }

  ClusterFlags cluster_;
  TableFlags table_;
  std::vector<dataset::UnknownCategories> unknown_;
  std::vector<std::string> warnings_;  // about the data, for --json
  std::string name_, data_;
  int64_t top_ = inference::OutputReport::kTop;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeEvaluate() { return std::make_unique<EvaluateCommand>(); }

}  // namespace dl::cli
