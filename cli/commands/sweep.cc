// The command `sweep`: runs many jobs of one spec with different settings.
#include <algorithm>
#include <map>
#include <ostream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/limits.h"
#include "cli/commands/commands.h"
#include "cli/data/data_output.h"
#include "cli/data/import_memory.h"
#include "cli/exit_code.h"
#include "cli/interrupts.h"
#include "cli/jobs/job_flags.h"
#include "cli/jobs/scheduling_flags.h"
#include "cli/sweep/sweep_report.h"
#include "cli/sweep/sweep_run.h"
#include "job/training_config.h"

namespace dl::cli {
namespace {

class SweepCommand final : public Command {
 public:
  std::string_view name() const override { return "sweep"; }
  std::string_view json_lines() const override { return "TrialEvent|TrialWarning|RungEvent|Sweep"; }
  bool Computes() const override { return true; }
  std::string_view summary() const override {
    return "Run many jobs of one spec with different settings, and compare them";
  }
  std::string_view examples() const override {
    return "  dl-submit sweep job.json --grid training.workers=1,2,4 --grid "
           "training.averaging_frequency=8,32\n"
           "  dl-submit sweep job.json --range model.updater.learning_rate=0.001:0.3:log --random "
           "20 --halving --epochs 16\n"
           "  dl-submit sweep --master dl://127.0.0.1:7077 job.json --grid model.l2=0,1e-5,1e-4 "
           "--name decay\n"
           "The same command continues a sweep that was interrupted. Same seed, same jobs and same "
           "decisions, on any cluster.";
  }
  void Declare(Flags& flags) override {
    job_.Declare(flags, Flags::Need::kRequired);
    cluster_.Declare(flags);
    flags.List("--grid", "PATH=A,B,C", grids_,
               "Try these values of a key of the job spec. May be repeated: all combinations are "
               "tried.");
    flags.List("--range", "PATH=LOW:HIGH", ranges_,
               "With --random: draw a value of a key between two numbers. With :log at the end, "
               "uniformly in the logarithm. Whole numbers if both are. May be repeated.");
    flags.Integer("--random", "N", random_,
                  "Draw N combinations at random. Default: 0, try all of them.", 0, kMaxTrials);
    flags.Integer("--sweep-seed", "N", seed_, "Seed of --random. Default: 0.", 0, INT64_MAX);
    flags.Switch("--halving", halving_,
                 "Stop the weaker half of the jobs after the epochs 1, 2, 4, 8, …");
    flags.Text("--metric", "NAME", metric_,
               "Figure that ranks the jobs: of the test set, such as accuracy, or of the training "
               "set, such as train/loss. Default: the metric of early stopping, or the loss.");
    scheduling_flags_.Declare(flags);
    flags.Switch("--json", json_, "Print events as JSON, the result last");
  }

  StatusOr<int> Run(Context& context) override {
    DL_ASSIGN_OR_RETURN(const Settings settings, job_.Resolve(context, cluster_));
    DL_ASSIGN_OR_RETURN(const launch::Target target, TargetOf(settings.master));
    DL_RETURN_IF_ERROR(CheckTarget(target));
    DL_ASSIGN_OR_RETURN(const SweepPlan plan, MakePlan(context, settings));
    const Interrupts interrupts;
    SweepRun::Options options{.plan = &plan, .importing = {.stop = &interrupts.stop()}};
    DL_ASSIGN_OR_RETURN(options.scheduling, scheduling_flags_.Read(target));
    DL_RETURN_IF_ERROR(CheckLabels(options.scheduling.labels));
    DL_ASSIGN_OR_RETURN(options.importing.memory_bytes, ImportMemory(0, context.environment));
    DL_ASSIGN_OR_RETURN(Session session, OpenSession(settings, kSessionToRun));
    const job::TrainingConfig& first = plan.trials.front().spec.training;
    DL_RETURN_IF_ERROR(StartExecutors(session, {first.isa, first.precision}));
    if (!session.data_dir.empty()) options.importing.cache_dir = session.data_dir + "/imports";
    options.on_event = [&](const Json& event) {
      if (json_) {
        context.out << JsonText(event) << std::endl;
      } else {
        context.err << SweepEventText(event) << std::endl;
      }
    };
    SweepRun run(std::move(options), session, interrupts);
    Status ended = run.Submit();
    if (ended.ok()) ended = run.Follow();
    if (!ended.ok()) return Explain(ended, plan, session, interrupts);
    const Json sweep = SweepJson(plan, run);
    context.out << (json_ ? JsonText(sweep) + "\n" : SweepText(sweep)) << std::flush;
    if (!json_)
      context.err << SweepNextText(sweep, session.next.store_flags, !session.data_dir.empty())
                  << std::flush;
    DL_RETURN_IF_ERROR(CheckOutput(context.out));
    return sweep.contains("best_job") ? kSuccess : kFailed;
  }

 private:
  static Status CheckTarget(const launch::Target& target) {
    if (target.has_pages() || target.is_standing()) return absl::OkStatus();
    return UsageError({.message = "a sweep needs a master that runs several jobs",
                       .where = "--master",
                       .remedy = "Use local[N], local-cluster[N] or dl://host:port"});
  }

  Status CheckFlags() const {
    if (grids_.empty() && ranges_.empty()) {
      return UsageError({.message = "the sweep has no settings to try",
                         .remedy = "Give --grid PATH=A,B,C; docs/job-spec.md lists the keys"});
    }
    if (!ranges_.empty() && random_ == 0) {
      return UsageError({.message = "--range needs --random",
                         .remedy = "Say how many values to draw: --random 20"});
    }
    if (seed_ != 0 && random_ == 0) {
      return UsageError({.message = "--sweep-seed needs --random",
                         .remedy = "Leave it out, or draw combinations with --random N"});
    }
    return absl::OkStatus();
  }

  // The labels of the sweep are added to those of the flags.
  static Status CheckLabels(const std::vector<std::string>& labels) {
    for (const std::string& label : labels) {
      for (const std::string_view key : kSweepLabelKeys) {
        if (!label.starts_with(std::string(key) + "=")) continue;
        return UsageError({.message = absl::StrCat("the label \"", std::string(key),
                                                   "\" is one of those that a sweep sets itself"),
                           .where = "--job-label",
                           .remedy = "Use another key, or name the sweep with --name"});
      }
    }
    const auto most = static_cast<int64_t>(limits::kMaxLabels) - std::ssize(kSweepLabelKeys);
    if (std::ssize(labels) <= most) return absl::OkStatus();
    return UsageError(
        {.message = absl::StrCat("at most ", most, " labels besides those of the sweep"),
         .where = "--job-label",
         .remedy = "Give fewer labels"});
  }

  // A setting of the command line that each trial replaces would have no effect.
  static Status CheckOverrides(const SearchSpace& space, const Settings& settings) {
    std::map<std::string, const char*> tried;  // flags by path
    for (const SearchSpace::List& list : space.lists) tried.emplace(list.path, "--grid");
    for (const SearchSpace::Range& range : space.ranges) tried.emplace(range.path, "--range");
    for (const JobSetting& given : settings.job) {
      if (!IsFromLine(given.setting)) continue;
      for (const auto& [path, flag] : tried) {
        if (given.path != path && !given.path.starts_with(path + ".")) continue;
        std::string origin = given.setting.origin;
        if (origin.starts_with("flag ")) origin.erase(0, 5);
        return UsageError({.message = absl::StrCat(origin, " sets ", given.path, ", and ", flag,
                                                   " replaces it in each trial"),
                           .where = flag,
                           .remedy = "Leave out one of them"});
      }
    }
    return absl::OkStatus();
  }

  StatusOr<SweepPlan> MakePlan(const Context& context, const Settings& settings) const {
    DL_RETURN_IF_ERROR(CheckFlags());
    DL_ASSIGN_OR_RETURN(const SearchSpace space, ParseSearchSpace(grids_, ranges_));
    DL_RETURN_IF_ERROR(CheckOverrides(space, settings));
    DL_ASSIGN_OR_RETURN(const std::vector<TrialSettings> trials,
                        TrialsOf(space, random_, static_cast<uint64_t>(seed_)));
    DL_ASSIGN_OR_RETURN(const PreparedJob prepared, PrepareJob(context, job_, settings));
    if (!prepared.has_data) {
      return UsageError({.message = absl::StrCat(prepared.spec.name, " has no data to train on"),
                         .remedy = "Add --train DATA and --test DATA"});
    }
    SweepPlan plan{.name = prepared.spec.name, .halves = halving_};
    for (const TrialSettings& trial : trials) {
      DL_ASSIGN_OR_RETURN(job::JobSpec spec, SpecOf(trial, prepared, settings));
      plan.trials.push_back({trial, std::move(spec)});
    }
    DL_RETURN_IF_ERROR(CheckDifferences(plan));
    if (halving_) DL_RETURN_IF_ERROR(CheckHalving(plan));
    DL_RETURN_IF_ERROR(ChooseMetric(plan));
    return plan;
  }

  static StatusOr<job::JobSpec> SpecOf(const TrialSettings& trial, const PreparedJob& prepared,
                                       const Settings& settings) {
    Settings all = settings;  // later settings win
    for (const TrialSetting& setting : trial)
      all.job.push_back({setting.path, {setting.value, "flag --grid or --range"}});
    return ResolveJob(prepared.written, prepared.author, all);
  }

  // Two equal jobs show that a value does not mean what its author expects: 1 and 1.0.
  static Status CheckDifferences(const SweepPlan& plan) {
    std::map<std::string, size_t> seen;
    for (size_t i = 0; i < plan.trials.size(); ++i) {
      const auto [found, is_new] = seen.emplace(JsonText(job::ToJson(plan.trials[i].spec)), i);
      if (is_new) continue;
      return UsageError({.message = absl::StrCat("the trials ", found->second + 1, " and ", i + 1,
                                                 " are the same job"),
                         .where = "--grid",
                         .remedy = "Give values that differ"});
    }
    return absl::OkStatus();
  }

  // Returns an error if there is nothing to decide.
  static Status CheckHalving(const SweepPlan& plan) {
    const bool has_epochs = std::ranges::any_of(
        plan.trials, [](const SweepPlan::Trial& trial) { return trial.spec.training.epochs > 1; });
    if (has_epochs && plan.trials.size() > 1) return absl::OkStatus();
    return UsageError({.message = has_epochs ? "the sweep has only one job"
                                             : "all jobs of the sweep have one epoch",
                       .where = "--halving",
                       .remedy = has_epochs ? "Name more values, or leave out --halving"
                                            : "Give more --epochs, or leave out --halving"});
  }

  Status ChooseMetric(SweepPlan& plan) const {
    const job::JobSpec& spec = plan.trials.front().spec;
    const auto& stopping = spec.training.early_stopping;
    const bool has_test = spec.data.test.has_value() || spec.data.split.has_value();
    plan.metric = !metric_.empty() ? metric_
                  : stopping       ? stopping->metric
                  : has_test       ? "loss"
                                   : "train/loss";
    const auto [of_training, figure] = ParseSweepMetric(plan.metric);
    const std::vector<std::string> of_tests(std::begin(job::kWatchedMetrics),
                                            std::end(job::kWatchedMetrics));
    const bool is_known = of_training ? figure == "loss" || figure == "accuracy"
                                      : std::ranges::find(of_tests, figure) != of_tests.end();
    if (!is_known) {
      return UsageError({.message = absl::StrCat("there is no figure \"", plan.metric, "\""),
                         .where = "--metric",
                         .remedy = absl::StrCat("Use train/loss, train/accuracy, ",
                                                absl::StrJoin(of_tests, ", "))});
    }
    if (!of_training && !has_test) {
      return UsageError({.message = absl::StrCat("the job has no test set for ", plan.metric),
                         .where = "--metric",
                         .remedy = "Rank by train/loss, or add data.test or data.split"});
    }
    if (!of_training && halving_ && !spec.training.evaluation.every_epoch) {
      return UsageError({.message = "the job is evaluated only at its end",
                         .where = "--halving",
                         .remedy = "Set training.evaluation.every_epoch=true, or give --metric "
                                   "train/loss"});
    }
    const bool is_watched = stopping && stopping->metric == figure;
    const job::EarlyStoppingConf conf =
        is_watched ? *stopping : job::EarlyStoppingConf{.metric = figure};
    plan.better = conf.Maximizes() ? Better::kLarger : Better::kSmaller;
    return absl::OkStatus();
  }

  // Says what becomes of the jobs after an interruption.
  static Status Explain(const Status& ended, const SweepPlan& plan, Session& session,
                        const Interrupts& interrupts) {
    if (interrupts.exit_code() == 0 || !absl::IsCancelled(ended)) return ReasonOf(session, ended);
    return interrupts.WithSignal(Cancelled(
        {.message = absl::StrCat("interrupted; the jobs of the sweep ", plan.name,
                                 session.is_remote() ? " continue on their cluster"
                                                     : " stay as they are until a command "
                                                       "computes them again"),
         .where = plan.name,
         .remedy = absl::StrCat("Continue with the same command, or cancel the jobs: dl-submit "
                                "list",
                                session.next.store_flags, " -q --job-label sweep=", plan.name,
                                " | xargs -n 1 dl-submit cancel", session.next.run_flags)}));
  }

  ClusterFlags cluster_;
  JobFlags job_;
  SchedulingFlags scheduling_flags_;
  std::vector<std::string> grids_, ranges_;
  std::string metric_;
  int64_t random_ = 0, seed_ = 0;
  bool halving_ = false, json_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeSweep() { return std::make_unique<SweepCommand>(); }

}  // namespace dl::cli
