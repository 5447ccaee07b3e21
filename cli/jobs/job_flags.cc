#include "cli/jobs/job_flags.h"

#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/document_version.h"
#include "base/json.h"
#include "base/sentences.h"
#include "cli/exit_code.h"
#include "cli/jobs/job_source.h"
#include "cli/nearest_name.h"
#include "job/job_keys.h"

namespace dl::cli {
namespace {

using Lines = std::vector<std::string>;

// Returns the mistakes of the document with these settings, one per line.
Lines MistakesOf(const Json& written, const Settings& settings) {
  Json document = written;
  (void)ApplyJobSettings(settings, document);
  const Status status = job::JobFromJson(document).status();
  if (status.ok()) return {};
  return absl::StrSplit(std::string(status.message()), '\n');
}

bool Holds(const Lines& lines, const std::string& line) {
  return std::find(lines.begin(), lines.end(), line) != lines.end();
}

Settings Without(const Settings& settings, const std::set<size_t>& left_out) {
  Settings others;
  for (size_t i = 0; i < settings.job.size(); ++i) {
    if (!left_out.contains(i)) others.job.push_back(settings.job[i]);
  }
  return others;
}

// Returns the settings that cause the mistakes: those without which a mistake would disappear, if
// removing them leaves no mistake.
std::vector<JobSetting> SettingsWithMistakes(const Json& written, const Settings& settings,
                                             const Lines& mistakes) {
  std::set<size_t> numbers;
  for (size_t i = 0; i < settings.job.size(); ++i) {
    const Lines others = MistakesOf(written, Without(settings, {i}));
    for (const std::string& mistake : mistakes) {
      if (!Holds(others, mistake)) numbers.insert(i);
    }
  }
  if (!MistakesOf(written, Without(settings, numbers)).empty()) {
    // The mistakes come from several settings together, unless the document has mistakes of its
    // own.
    return MistakesOf(written, {}).empty() ? settings.job : std::vector<JobSetting>();
  }
  std::vector<JobSetting> culprits;
  for (size_t i : numbers) culprits.push_back(settings.job[i]);
  return culprits;
}

// Returns the error about a document that is not a valid job, with or without its settings.
Status BadDocument(const Lines& mistakes, const std::string& source, const Settings& settings,
                   std::string remedy) {
  Lines lines = mistakes;
  for (const JobSetting& job : settings.job) {
    const Status status = job::CheckSetting(job.path, job.setting.value);
    if (status.ok()) continue;
    lines.push_back(
        absl::StrCat(job.setting.origin, ", ", job.path, ": ",
                     JoinSentences(std::string(status.message()), ErrorRemedy(status))));
  }
  if (remedy.empty()) remedy = "docs/job-spec.md lists every key";
  return InvalidArgument(
      {.message = absl::StrJoin(lines, "\n"), .where = source, .remedy = std::move(remedy)});
}

// Does the same as ResolveJob for a document in the current version.
StatusOr<job::JobSpec> Resolve(const Json& written, const std::string& source,
                               const Settings& settings) {
  Json document = written;
  const Status applied = ApplyJobSettings(settings, document);
  auto spec = job::JobFromJson(document);
  if (spec.ok()) {
    DL_RETURN_IF_ERROR(applied);
    return spec;
  }
  const std::string remedy = ErrorRemedy(spec.status());
  const Lines mistakes = MistakesOf(written, settings);
  Lines own;  // mistakes of the document that no setting repairs
  for (const std::string& mistake : MistakesOf(written, {})) {
    if (Holds(mistakes, mistake)) own.push_back(mistake);
  }
  if (!own.empty()) return BadDocument(own, source, settings, remedy);
  DL_RETURN_IF_ERROR(applied);
  const std::vector<JobSetting> culprits = SettingsWithMistakes(written, settings, mistakes);
  if (culprits.empty()) return BadDocument(mistakes, source, settings, remedy);
  std::vector<std::string> origins;
  bool from_line = true;
  for (const JobSetting& culprit : culprits) {
    from_line = from_line && IsFromLine(culprit.setting);
    origins.push_back(absl::StrCat(culprit.setting.origin, ", ", culprit.path));
  }
  ErrorText text{.message = std::string(spec.status().message()),
                 .where = absl::StrJoin(origins, "; "),
                 .remedy = remedy.empty() ? "docs/job-spec.md lists every key" : remedy};
  return from_line ? UsageError(std::move(text)) : InvalidArgument(std::move(text));
}

}  // namespace

StatusOr<job::JobSpec> ResolveJob(const Json& written, const std::string& source,
                                  const Settings& settings) {
  const StatusOr<CurrentDocument> current = job::CurrentJob(written);
  if (!current.ok()) return WithContext(current.status(), source);
  auto spec = Resolve(current->json(), source, settings);
  if (!spec.ok()) return current->Explain(spec.status());
  return spec;
}

void JobFlags::Declare(Flags& flags, Flags::Need job_needed) {
  flags.Positional(
      "JOB", job,
      absl::StrCat(
          "Job program (in the folder of dl-submit, or a path), .json file, or zoo network: ",
          absl::StrJoin(ZooNames(), ", "), ". Arguments after -- go to the job program."),
      job_needed);
  flags.SetCompletions("JOB", ZooNames());
  flags.Text("--train", "DATA", data.train,
             "Training set of a zoo network, in any form that dl-submit import reads");
  flags.Text("--test", "DATA", data.test,
             "Test set of a zoo network, in any form that dl-submit import reads");
  flags.Text("--test-fraction", "SHARE", data.test_fraction,
             "Use this fraction of --train as test set, for example 0.2: stratified by class; of a "
             "text, its end");
  table.Declare(flags, TableFlags::Use::kTraining);
  flags.Text("--test-example-weights", "FILE", data.test_weights,
             "Weights of the examples of --test if it is not a table, like --example-weights");
  flags.SetRemainder(arguments);
  for (const ShortcutKey& key : ShortcutKeys()) {
    flags.Text(
        std::string(key.flag), std::string(key.metavar), common[std::string(key.flag)],
        absl::StrCat(std::string(key.help), ". Environment: ", std::string(key.environment), "."));
  }
  flags.Text("--weights", "FILE", weights,
             "Start with the tensors of a safetensors file (initial_weights in the job spec)");
  flags.List("--set", "PATH=VALUE", sets,
             "Set a key of the job spec (docs/job-spec.md). May be repeated.");
}

StatusOr<Settings> JobFlags::Resolve(const Context& context, const ClusterFlags& cluster) const {
  DL_ASSIGN_OR_RETURN(SettingSources sources, cluster.Sources(context));
  sources.weights = weights;
  sources.sets = sets;
  for (const auto& [flag, value] : common) {
    if (!value.empty()) sources.common_flags[flag] = value;
  }
  return ResolveSettings(sources);
}

namespace {

StatusOr<PreparedJob> PrepareZooJob(const Context& context, const JobFlags& flags,
                                    const nn::zoo::ZooModel& zoo, const Settings& settings) {
  PreparedJob prepared{.author = absl::StrCat("network ", std::string(zoo.name))};
  if (!flags.arguments.empty()) {
    return UsageError({.message = "words after -- are arguments of a job program",
                       .where = flags.job,
                       .remedy = "Leave them out, or set keys with --set"});
  }
  const std::string needs_data = !flags.data.test.empty()            ? "--test"
                                 : !flags.data.test_fraction.empty() ? "--test-fraction"
                                 : !flags.data.test_weights.empty()  ? "--test-example-weights"
                                                                     : flags.table.FirstGivenFlag();
  if (flags.data.train.empty() && !needs_data.empty()) {
    return UsageError(
        {.message = absl::StrCat(needs_data, " needs --train"), .remedy = "Give both"});
  }
  if (flags.data.test.empty() && !flags.data.test_weights.empty()) {
    return UsageError({.message = "--test-example-weights needs --test",
                       .remedy = "Give both, or --example-weights with --test-fraction"});
  }
  ZooData data = flags.data;
  DL_ASSIGN_OR_RETURN(data.hints, flags.table.Hints());
  data.hint_flag = flags.table.FirstGivenFlag();
  data.tables = &prepared.tables;
  DL_ASSIGN_OR_RETURN(
      const ZooJob job,
      MakeZooJob(zoo, {.data = data, .settings = &settings, .environment = &context.environment},
                 context.err));
  prepared.has_data = job.has_data;
  prepared.written = job::ToJson(job.spec);
  DL_ASSIGN_OR_RETURN(prepared.spec, ResolveJob(prepared.written, std::string(zoo.name), settings));
  return prepared;
}

}  // namespace

StatusOr<PreparedJob> PrepareJob(const Context& context, const JobFlags& flags,
                                 const Settings& settings) {
  // A job program of this name takes precedence, because its user has put it there.
  if (const nn::zoo::ZooModel* zoo = nn::zoo::FindZooModel(flags.job);
      zoo != nullptr && !FindJob(flags.job, context.program_folder).ok()) {
    return PrepareZooJob(context, flags, *zoo, settings);
  }
  const ZooData& data = flags.data;
  const bool names_data = !data.train.empty() || !data.test.empty() ||
                          !data.test_fraction.empty() || !data.test_weights.empty();
  const bool is_name = flags.job.find_first_of("/.") == std::string::npos;
  if (names_data && is_name && !FindJob(flags.job, context.program_folder).ok()) {
    const std::vector<std::string> networks = ZooNames();
    return NotFound({.message = absl::StrCat("there is no network \"", flags.job, "\"",
                                             DidYouMeanName(flags.job, networks)),
                     .where = "JOB",
                     .remedy = absl::StrCat("The networks are ", absl::StrJoin(networks, ", "))});
  }
  if (names_data) {
    return UsageError(
        {.message = "--train, --test, --test-fraction and --test-example-weights apply only to a "
                    "zoo network",
         .where = flags.job,
         .remedy = "The job names its data; --set data.train=... replaces it"});
  }
  if (const std::string flag = flags.table.FirstGivenFlag(); !flag.empty()) {
    return UsageError({.message = absl::StrCat(flag, " applies only to a zoo network"),
                       .where = flags.job,
                       .remedy = "The job names its data; --set data.train.KEY=VALUE changes it. "
                                 "To label the job, use --job-label KEY=VALUE"});
  }
  PreparedJob prepared;
  DL_ASSIGN_OR_RETURN(JobSource source, FindJob(flags.job, context.program_folder));
  source.arguments = flags.arguments;
  DL_ASSIGN_OR_RETURN(const Json written, ReadJobDocument(source, Spawner::Real(), context.err));
  prepared.author =
      absl::StrCat(source.kind == JobSource::Kind::kFile ? "file " : "job program ", source.path);
  DL_ASSIGN_OR_RETURN(prepared.spec, ResolveJob(written, source.path, settings));
  DL_ASSIGN_OR_RETURN(const CurrentDocument current, job::CurrentJob(written));
  prepared.written = current.json();
  return prepared;
}

}  // namespace dl::cli
