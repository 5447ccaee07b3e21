// evaluate: a checkpoint on its job's test set, or on other data.
#include "launch/evaluate.h"

#include <algorithm>
#include <ostream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/limits.h"
#include "cli/cluster_flags.h"
#include "cli/commands/commands.h"
#include "cli/exit_code.h"
#include "cli/import_memory.h"
#include "cli/job_query.h"
#include "cli/json_fields.h"
#include "cli/model_data.h"
#include "cli/session.h"
#include "cli/table.h"
#include "launch/checkpoint_reader.h"
#include "launch/submission.h"
#include "rpc/messages.h"

namespace dl::cli {
namespace {

constexpr size_t kWidestMatrix = 20;
constexpr size_t kConfusionsShown = 20;
constexpr size_t kOutputsShown = 20;

std::string RightAligned(int64_t value, size_t width) {
  const std::string digits = absl::StrCat(value);
  return std::string(width - std::min(width, digits.size()), ' ') + digits;
}

int64_t Count(const Json& confusion, size_t of_class, size_t predicted) {
  return confusion[of_class][predicted].get<int64_t>();
}

// "3 dress", or the number alone.
std::string ClassName(const Json& classes, size_t number) {
  const std::string name = number < classes.size() ? TextAt(classes[number], "name") : "";
  return name.empty() || name == absl::StrCat(number) ? absl::StrCat(number)
                                                      : absl::StrCat(number, " ", name);
}

std::string Matrix(const Json& confusion, const Json& classes) {
  const size_t n = confusion.size();
  size_t width = 1;
  for (size_t i = 0; i < n * n; ++i)
    width = std::max(width, absl::StrCat(Count(confusion, i / n, i % n)).size());
  std::vector<std::vector<std::string>> rows = {{"CLASS"}};
  for (size_t c = 0; c < n; ++c) {
    rows[0].push_back(RightAligned(static_cast<int64_t>(c), width));
    rows.push_back({ClassName(classes, c)});
    for (size_t p = 0; p < n; ++p)
      rows[c + 1].push_back(RightAligned(Count(confusion, c, p), width));
  }
  return absl::StrCat("\nconfusion matrix: a row for each class, a column for each prediction\n",
                      RenderTable(rows));
}

// Where a matrix is wider than any terminal: what is taken for what most often.
std::string Confusions(const Json& confusion, const Json& classes) {
  struct Confusion {
    int64_t count;
    size_t of_class, predicted;
  };
  std::vector<Confusion> found;
  const size_t n = confusion.size();
  for (size_t c = 0; c < n; ++c) {
    for (size_t p = 0; p < n; ++p) {
      if (const int64_t count = Count(confusion, c, p); c != p && count > 0)
        found.push_back({count, c, p});
    }
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Confusion& a, const Confusion& b) { return a.count > b.count; });
  if (found.size() > kConfusionsShown) found.resize(kConfusionsShown);
  std::vector<std::vector<std::string>> rows = {{"CLASS", "PREDICTED", "EXAMPLES"}};
  for (const Confusion& entry : found) {
    rows.push_back({ClassName(classes, entry.of_class), ClassName(classes, entry.predicted),
                    absl::StrCat(entry.count)});
  }
  return absl::StrCat("\nmost frequent confusions (--json has the whole matrix)\n",
                      RenderTable(rows));
}

// A line of the summary; nothing where the report lacks the figure.
void Line(const Json& report, const char* key, const char* name, std::string& text) {
  if (Member(report, key) == nullptr) return;
  absl::StrAppendFormat(&text, "%-12s%.4f\n", name, NumberAt(report, key));
}

// With four digits behind the point; "-" where there is none.
std::string Cell(const Json& entry, const char* key) {
  return Member(entry, key) == nullptr ? "-" : absl::StrFormat("%.4f", NumberAt(entry, key));
}

std::string Classes(const Json& report, const Json& classes) {
  std::vector<std::vector<std::string>> rows = {
      {"CLASS", "NAME", "EXAMPLES", "PRECISION", "RECALL", "F1", "ROC AUC"}};
  for (const Json& entry : classes) {
    rows.push_back({absl::StrCat(IntegerAt(entry, "class")), TextAt(entry, "name"),
                    absl::StrCat(IntegerAt(entry, "examples")), Cell(entry, "precision"),
                    Cell(entry, "recall"), Cell(entry, "f1"), Cell(entry, "roc_auc")});
  }
  const std::string text = "\n" + RenderTable(rows);
  const Json* confusion = Member(report, "confusion");
  if (confusion == nullptr) return text;
  return text + (confusion->size() <= kWidestMatrix ? Matrix(*confusion, classes)
                                                    : Confusions(*confusion, classes));
}

// Of a model that says yes or no, or that predicts numbers.
std::string OutputsTable(const Json& outputs) {
  const bool answers = !outputs.empty() && Member(outputs[0], "f1") != nullptr;
  std::vector<std::vector<std::string>> rows = {{"OUTPUT"}};
  rows[0].insert(rows[0].end(),
                 answers ? std::initializer_list<std::string>{"EXAMPLES", "ACCURACY", "PRECISION",
                                                              "RECALL", "F1", "ROC AUC"}
                         : std::initializer_list<std::string>{"MSE", "MAE", "R2"});
  for (const Json& entry : outputs) {
    if (rows.size() > kOutputsShown) break;
    std::vector<std::string> row = {absl::StrCat(IntegerAt(entry, "output"))};
    if (answers) {
      row.push_back(absl::StrCat(IntegerAt(entry, "examples")));
      for (const char* key : {"accuracy", "precision", "recall", "f1", "roc_auc"})
        row.push_back(Cell(entry, key));
    } else {
      for (const char* key : {"mse", "mae"})
        row.push_back(absl::StrFormat("%.6g", NumberAt(entry, key)));
      row.push_back(Cell(entry, "r2"));
    }
    rows.push_back(std::move(row));
  }
  std::string text = "\n" + RenderTable(rows);
  if (outputs.size() > kOutputsShown) {
    absl::StrAppend(&text, "… and ", outputs.size() - kOutputsShown,
                    " more outputs (--json has all)\n");
  }
  return text;
}

std::string ForPeople(const Json& report) {
  std::string text = absl::StrCat("checkpoint  ", TextAt(report, "checkpoint"), "\nexamples    ",
                                  IntegerAt(report, "examples"), "\nloss        ",
                                  absl::StrFormat("%.6f", NumberAt(report, "loss")), "\n");
  absl::StrAppend(&text, "contract    ", TextAt(report, "kernel_contract"), "\n");
  for (const auto& [key, name] : {std::pair{"accuracy", "accuracy"}, {"top_5_accuracy", "top 5"}}) {
    if (Member(report, key) != nullptr)
      absl::StrAppendFormat(&text, "%-12s%.2f %%\n", name, 100 * NumberAt(report, key));
  }
  Line(report, "perplexity", "perplexity", text);
  Line(report, "macro_f1", "macro F1", text);
  Line(report, "mean_iou", "mean IoU", text);
  Line(report, "kappa", "kappa", text);
  Line(report, "mcc", "MCC", text);
  Line(report, "roc_auc", "ROC AUC", text);
  Line(report, "average_precision", "PR AUC", text);
  Line(report, "log_loss", "log loss", text);
  Line(report, "brier", "Brier", text);
  if (const Json* classes = Member(report, "classes")) text += Classes(report, *classes);
  if (const Json* outputs = Member(report, "outputs")) text += OutputsTable(*outputs);
  return text;
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
    flags.Positional("CHECKPOINT", name_, "JOB@ROUND, JOB@best, or JOB for its newest",
                     Flags::Need::kRequired);
    cluster_.Declare(flags);
    flags.Text("--data", "FILE", data_,
               "A table, a folder of images, a .json file with a dataset, or a job spec whose "
               "test set is meant");
    flags.Switch("--json", json_, "Print JSON");
  }
  std::string job() const override { return name_.substr(0, name_.rfind('@')); }
  StatusOr<int> Run(Context& context) override {
    DL_RETURN_IF_ERROR(ParseCheckpointName(name_).status());
    DL_ASSIGN_OR_RETURN(Settings settings, cluster_.Resolve(context));
    DL_ASSIGN_OR_RETURN(Session session, OpenSession(settings, kToAsk));
    DL_ASSIGN_OR_RETURN(const std::string name, FindCheckpoint(name_, session.client()));
    DL_ASSIGN_OR_RETURN(
        launch::LoadedCheckpoint checkpoint,
        launch::LoadCheckpoint(name, launch::CheckpointContent::kModel, session.client()));
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
        return WithExitCode(FailedPrecondition({.message = absl::StrCat(job(), " has no test set"),
                                                .where = job(),
                                                .remedy = "Give one with --data FILE"}),
                            kFailed);
      }
      DL_ASSIGN_OR_RETURN(rpc::QueryReply reply,
                          session.client().Query({.what = "test_manifest", .job = job()},
                                                 limits::kControlDeadline));
      return std::move(reply.json);
    }
    DL_ASSIGN_OR_RETURN(
        const ModelData data,
        ReadModelData({.path = data_, .trained = &checkpoint.spec, .tell = !json_}, context));
    return Import(data, session, checkpoint, context);
  }

  // Normalized as the model was trained.
  StatusOr<std::string> Import(const ModelData& data, Session& session,
                               const launch::LoadedCheckpoint& checkpoint, Context& context) {
    DL_ASSIGN_OR_RETURN(
        rpc::QueryReply training,
        session.client().Query({.what = "train_manifest", .job = job()}, limits::kControlDeadline));
    launch::ImportOptions options{.part = data.part};
    DL_ASSIGN_OR_RETURN(options.memory_bytes, ImportMemory(0, context.environment));
    if (!session.data_dir.empty()) options.cache_dir = session.data_dir + "/imports";
    if (!json_)
      options.progress = [&](const std::string& line) { context.err << line << std::endl; };
    auto manifest = launch::ImportDataset(data.dataset, checkpoint.spec.data.normalizer,
                                          training.json, options, session.client());
    return manifest.ok() ? manifest : AsDataError(manifest.status());
  }

  ClusterFlags cluster_;
  std::string name_, data_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeEvaluate() { return std::make_unique<EvaluateCommand>(); }

}  // namespace dl::cli
