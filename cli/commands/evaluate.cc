// evaluate: a checkpoint on its job's test set, or on other data.
#include "launch/evaluate.h"

#include <ostream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/limits.h"
#include "cli/cluster_flags.h"
#include "cli/commands/commands.h"
#include "cli/dataset_document.h"
#include "cli/exit_code.h"
#include "cli/job_query.h"
#include "cli/job_source.h"
#include "cli/json_fields.h"
#include "cli/session.h"
#include "cli/table.h"
#include "launch/checkpoint_reader.h"
#include "launch/submission.h"

namespace dl::cli {
namespace {

std::string ForPeople(const Json& report) {
  std::string text = absl::StrCat("checkpoint  ", TextAt(report, "checkpoint"), "\nexamples    ",
                                  IntegerAt(report, "examples"), "\nloss        ",
                                  absl::StrFormat("%.6f", NumberAt(report, "loss")), "\n");
  absl::StrAppend(&text, "contract    ", TextAt(report, "kernel_contract"), "\n");
  if (Member(report, "accuracy") != nullptr) {
    absl::StrAppendFormat(&text, "accuracy    %.2f %%\n", 100 * NumberAt(report, "accuracy"));
  }
  const Json* classes = Member(report, "classes");
  if (classes == nullptr) return text;
  std::vector<std::vector<std::string>> rows = {
      {"CLASS", "NAME", "EXAMPLES", "PRECISION", "RECALL"}};
  for (const Json& entry : *classes) {
    rows.push_back({absl::StrCat(IntegerAt(entry, "class")), TextAt(entry, "name"),
                    absl::StrCat(IntegerAt(entry, "examples")),
                    absl::StrFormat("%.4f", NumberAt(entry, "precision")),
                    absl::StrFormat("%.4f", NumberAt(entry, "recall"))});
  }
  return absl::StrCat(text, "\n", RenderTable(rows));
}

class EvaluateCommand final : public Command {
 public:
  std::string_view name() const override { return "evaluate"; }
  std::string_view summary() const override {
    return "Measure a checkpoint, here, on its job's test set or on other data";
  }
  std::string_view examples() const override {
    return "  dl-submit evaluate lenet5-1          # its newest checkpoint\n  dl-submit evaluate "
           "lenet5-1@470 --json\n"
           "  dl-submit evaluate lenet5-1 --data other.json    # {\"format\": \"idx\", "
           "\"features\": …, \"labels\": …}";
  }
  void Declare(Flags& flags) override {
    flags.Positional("CHECKPOINT", name_, "JOB@ROUND, or JOB for its newest",
                     Flags::Need::kRequired);
    cluster_.Declare(flags);
    flags.Text("--data", "FILE", data_,
               "A .json file with a dataset, or a job spec whose test set is meant");
    flags.Switch("--json", json_, "Print JSON");
  }
  std::string job() const override { return name_.substr(0, name_.rfind('@')); }
  StatusOr<int> Run(Context& context) override {
    DL_RETURN_IF_ERROR(ParseCheckpointName(name_).status());
    DL_ASSIGN_OR_RETURN(Settings settings, cluster_.Resolve(context));
    DL_ASSIGN_OR_RETURN(Session session, OpenSession(settings, kToAsk));
    DL_ASSIGN_OR_RETURN(const std::string name, FindCheckpoint(name_, session.client()));
    DL_ASSIGN_OR_RETURN(launch::LoadedCheckpoint checkpoint,
                        launch::LoadCheckpoint(name, session.client()));
    DL_ASSIGN_OR_RETURN(std::string manifest, Manifest(session, checkpoint, context));
    StatusOr<Json> evaluated = launch::EvaluateCheckpoint(checkpoint, manifest, session.client());
    if (absl::IsFailedPrecondition(evaluated.status()))
      return WithExitCode(evaluated.status(), kFailed);  // not on this machine
    if (!evaluated.ok()) return AsDataError(evaluated.status());
    Json report = *std::move(evaluated);
    report["checkpoint"] = checkpoint.name;
    report["state_sha256"] = checkpoint.state_sha256;
    context.out << (json_ ? report.dump() + "\n" : ForPeople(report)) << std::flush;
    return kSuccess;
  }

 private:
  StatusOr<std::string> Manifest(Session& session, const launch::LoadedCheckpoint& checkpoint,
                                 Context& context) {
    if (data_.empty()) {
      if (!checkpoint.spec.data.test) {
        return UsageError({.message = absl::StrCat(job(), " has no test set"),
                           .where = job(),
                           .remedy = "Give one with --data FILE"});
      }
      DL_ASSIGN_OR_RETURN(rpc::QueryReply reply,
                          session.client().Query({.what = "test_manifest", .job = job()},
                                                 limits::kControlDeadline));
      return std::move(reply.json);
    }
    DL_ASSIGN_OR_RETURN(Json document,
                        ReadJobDocument({JobSource::Kind::kFile, data_}, Spawner::Real()));
    DL_ASSIGN_OR_RETURN(DatasetDocument datasets, ReadDatasetDocument(document, data_));
    // Normalized as the model was trained.
    DL_ASSIGN_OR_RETURN(
        rpc::QueryReply training,
        session.client().Query({.what = "train_manifest", .job = job()}, limits::kControlDeadline));
    launch::ImportOptions options;
    if (!session.data_dir.empty()) options.cache_dir = session.data_dir + "/imports";
    if (!json_)
      options.progress = [&](const std::string& line) { context.err << line << std::endl; };
    auto manifest = launch::ImportDataset(datasets.test ? *datasets.test : datasets.train,
                                          checkpoint.spec.data.normalizer, training.json, options,
                                          session.client());
    return manifest.ok() ? manifest : AsDataError(manifest.status());
  }

  ClusterFlags cluster_;
  std::string name_, data_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeEvaluate() { return std::make_unique<EvaluateCommand>(); }

}  // namespace dl::cli
