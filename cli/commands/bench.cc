// The command `bench`.
#include <algorithm>
#include <iterator>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/json.h"
#include "base/limits.h"
#include "cli/clusters/cluster_flags.h"
#include "cli/commands/commands.h"
#include "cli/exit_code.h"
#include "cli/jobs/job_flags.h"
#include "cli/jobs/job_source.h"
#include "nn/conf/model_json.h"
#include "nn/conf/segments.h"
#include "nn/conf/zoo/zoo.h"
#include "speed/benchmark.h"

namespace dl::cli {
namespace {

constexpr char kDefaultModel[] = "lenet_a";

// The settings of a job that a step depends on. Their flags are those of `run`.
constexpr std::string_view kJobFlags[] = {"--batch-size", "--precision", "--isa", "--kernels"};

// Makes a job of a document that has only a model, or a model and no data.
void CompleteJob(Json& written) {
  if (!written.is_object()) return;
  if (written.contains("layers")) written = Json{{"model", std::move(written)}};
  if (!written.contains("model") || written.contains("data")) return;
  // The data of a measured job is never read, so that any will do.
  written["data"] = {{"train", {{"format", "npz"}, {"path", "none.npz"}}}};
  const auto model = nn::ModelFromJson(written["model"], "model");
  if (model.ok() && nn::IsStateful(*model) && !written.contains("training"))
    written["training"] = {{"shuffle", "stream"}};
}

class BenchCommand final : public Command {
 public:
  std::string_view name() const override { return "bench"; }
  std::string_view json_lines() const override { return "Benchmark"; }
  std::string_view summary() const override {
    return "Measure how fast this machine trains a model, by layer";
  }
  std::string_view examples() const override {
    return "  dl-submit bench                                  # lenet_a\n"
           "  dl-submit bench resnet18 --batch-size 32 --threads 2\n"
           "  dl-submit bench gpt --precision bf16 --json\n"
           "  dl-submit bench lenet_a --kernels portable\n"
           "  dl-submit bench job.json --set training.micro_batch_size=16\n\n"
           "Each step trains on random examples. No data is read, and no job is started.";
  }
  void Declare(Flags& flags) override {
    flags.Positional(
        "MODEL", model_,
        absl::StrCat(
            "Zoo network in its published shape (", absl::StrJoin(ZooNames(), ", "),
            "), job program, or .json file with a job or a model. Default: ", kDefaultModel, "."),
        Flags::Need::kOptional);
    flags.SetCompletions("MODEL", ZooNames());
    for (const ShortcutKey& key : ShortcutKeys()) {
      if (std::ranges::find(kJobFlags, key.flag) == std::end(kJobFlags)) continue;
      const std::string flag(key.flag);
      flags.Text(flag, std::string(key.metavar), common_[flag],
                 absl::StrCat(std::string(key.help),
                              ". Environment: ", std::string(key.environment), "."));
    }
    flags.Integer("--threads", "N", threads_,
                  "Threads of a step. Default: training.threads_per_worker of the job, which is 1 "
                  "unless it is set.",
                  1, limits::kMaxThreadsPerWorker);
    flags.List("--set", "PATH=VALUE", sets_,
               "Set a key of the job spec (docs/job-spec.md). May be repeated.");
    cluster_.DeclareConfig(flags);
    flags.Integer("--seconds", "N", seconds_, "Seconds of measured steps. Default: 3.", 1, 3600);
    flags.Integer("--rows", "N", rows_,
                  "Layers and kernels to show, the longest first. Default: 12.", 0, 1000);
    flags.Switch("--json", json_, "Print JSON");
  }
  bool Computes() const override { return true; }

  StatusOr<int> Run(Context& context) override {
    if (model_.empty()) model_ = kDefaultModel;
    DL_ASSIGN_OR_RETURN(const Settings settings, Resolve(context));
    DL_ASSIGN_OR_RETURN(const job::JobSpec spec, SpecOf(context, settings));
    const job::TrainingConfig& training = spec.training;
    const int64_t threads = threads_ > 0 ? threads_ : training.threads_per_worker;
    const auto measured = speed::RunBenchmark(
        spec.model, {.size = {.examples = training.batch_size, .labelled = LabelledShare(spec)},
                     .isa = training.isa,
                     .threads = static_cast<int>(threads),
                     .precision = training.precision,
                     .kernels = training.kernels,
                     .micro_batch = training.micro_batch_size,
                     .checkpoint_activations = training.checkpoint_activations,
                     .seconds = static_cast<double>(seconds_)});
    // Another attempt on this machine would fail too.
    if (absl::IsFailedPrecondition(measured.status()))
      return WithExitCode(measured.status(), kFailed);
    DL_RETURN_IF_ERROR(measured.status());
    Print(spec, *measured, context.out);
    return kSuccess;
  }

 private:
  StatusOr<Settings> Resolve(const Context& context) const {
    DL_ASSIGN_OR_RETURN(SettingSources sources, cluster_.Sources(context));
    sources.sets = sets_;
    for (const auto& [flag, value] : common_) {
      if (!value.empty()) sources.common_flags[flag] = value;
    }
    return ResolveSettings(sources);
  }

  // Returns the job that MODEL names. A job program takes precedence over a network of its name, as
  // in `run`.
  StatusOr<job::JobSpec> SpecOf(const Context& context, const Settings& settings) {
    const nn::zoo::ZooModel* zoo = nn::zoo::FindZooModel(model_);
    const auto source = FindJob(model_, context.program_folder);
    if (!source.ok() && zoo == nullptr) return source.status();
    if (!source.ok()) return SpecOfNetwork(*zoo, context, settings);
    DL_ASSIGN_OR_RETURN(Json written, ReadJobDocument(*source, Spawner::Real(), context.err));
    CompleteJob(written);
    return ResolveJob(written, source->path, settings);
  }

  StatusOr<job::JobSpec> SpecOfNetwork(const nn::zoo::ZooModel& zoo, const Context& context,
                                       const Settings& settings) {
    masks_words_ = zoo.reads == nn::zoo::Reads::kMaskedWords;
    const Settings none;  // no data: the network has its published shape
    DL_ASSIGN_OR_RETURN(
        const ZooJob made,
        MakeZooJob(zoo, {.settings = &none, .environment = &context.environment}, context.err));
    return ResolveJob(job::ToJson(made.spec), model_, settings);
  }

  // Returns the share of the steps of an example that have a label, which is below 1 if the model
  // predicts hidden text tokens.
  double LabelledShare(const job::JobSpec& spec) const {
    const auto* text = std::get_if<job::TextSource>(&spec.data.train);
    if (text != nullptr && text->mask_probability > 0) return text->mask_probability;
    return masks_words_ ? job::TextSource().Masked().mask_probability : 1;
  }

  void Print(const job::JobSpec& spec, const speed::Benchmark& measured, std::ostream& out) const {
    const speed::StepMeasurement& steps = measured.measurement;
    const speed::MachineSpeed& machine = measured.machine.speed;
    if (json_) {
      Json json = speed::MeasurementJson(steps, machine);
      json["model"] = spec.model.name;
      json["parameters"] = spec.model.ParameterCount();
      json["machine"] = speed::MachineJson(measured.machine);
      out << json.dump() << std::endl;
      return;
    }
    out << speed::DescribeMachine(measured.machine) << "\n"
        << spec.model.name << ": minibatches of " << steps.batch << " examples, "
        << spec.model.ParameterCount() << " parameters, " << steps.updater << ", "
        << nn::WordOf(steps.precision) << "\n"
        << speed::DescribeSpeed(steps, machine) << "\n"
        << speed::DescribeProfile(steps, static_cast<size_t>(rows_)) << std::flush;
  }

  ClusterFlags cluster_;
  std::string model_;
  std::map<std::string, std::string> common_;
  std::vector<std::string> sets_;
  int64_t threads_ = 0, seconds_ = 3, rows_ = 12;  // threads_ 0: those of the job
  bool json_ = false;
  bool masks_words_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeBench() { return std::make_unique<BenchCommand>(); }

}  // namespace dl::cli
