#include "cli/job_flags.h"

#include "absl/strings/str_cat.h"
#include "cli/exit_code.h"
#include "cli/job_source.h"

namespace dl::cli {
namespace {

bool IsJob(const Json& written, const Settings& settings) {
  Json document = written;
  return ApplyJobSettings(settings, document).ok() && job::JobFromJson(document).ok();
}

// The settings to blame for a job that cannot be: each one without which it could. None when the
// document itself is wrong.
std::vector<JobSetting> Culprits(const Json& written, const Settings& settings) {
  std::vector<JobSetting> culprits;
  if (settings.job.empty() || !IsJob(written, {})) return culprits;
  for (size_t i = 0; i < settings.job.size(); ++i) {
    Settings others = settings;
    others.job.erase(others.job.begin() + static_cast<std::ptrdiff_t>(i));
    if (IsJob(written, others)) culprits.push_back(settings.job[i]);
  }
  return culprits.empty() ? settings.job : culprits;  // only together
}

}  // namespace

StatusOr<job::JobSpec> ResolveJob(const Json& written, const std::string& source,
                                  const Settings& settings) {
  Json document = written;
  DL_RETURN_IF_ERROR(ApplyJobSettings(settings, document));
  auto spec = job::JobFromJson(document);
  if (spec.ok()) return spec;
  ErrorText text{.message = std::string(spec.status().message()),
                 .where = source,
                 .remedy = ErrorRemedy(spec.status())};
  if (text.remedy.empty()) text.remedy = "docs/job-spec.md lists every key";
  const std::vector<JobSetting> culprits = Culprits(written, settings);
  if (culprits.empty()) return InvalidArgument(std::move(text));
  text.where.clear();
  bool from_line = true;
  for (const JobSetting& culprit : culprits) {
    from_line = from_line && IsFromLine(culprit.setting);
    absl::StrAppend(&text.where, text.where.empty() ? "" : "; ", culprit.setting.origin, ", ",
                    culprit.path);
  }
  return from_line ? UsageError(std::move(text)) : InvalidArgument(std::move(text));
}

void JobFlags::Declare(Flags& flags, Flags::Need job_needed) {
  flags.Positional("JOB", job, "A job program beside dl-submit, a path to one, or a .json file",
                   job_needed);
  for (const ShortcutKey& key : ShortcutKeys()) {
    flags.Text(std::string(key.flag), std::string(key.metavar), common[std::string(key.flag)],
               absl::StrCat(std::string(key.help), " (", std::string(key.environment), ")"));
  }
  flags.List("--set", "PATH=VALUE", sets,
             "Any key of the job spec (docs/job-spec.md), may be repeated");
}

StatusOr<Settings> JobFlags::Resolve(const Context& context, const ClusterFlags& cluster) const {
  DL_ASSIGN_OR_RETURN(SettingSources sources, cluster.Sources(context));
  sources.sets = sets;
  for (const auto& [flag, value] : common) {
    if (!value.empty()) sources.common_flags[flag] = value;
  }
  return ResolveSettings(sources);
}

StatusOr<PreparedJob> PrepareJob(const Context& context, const std::string& job,
                                 const Settings& settings) {
  PreparedJob prepared;
  DL_ASSIGN_OR_RETURN(JobSource source, FindJob(job, context.program_folder));
  DL_ASSIGN_OR_RETURN(prepared.written, ReadJobDocument(source, Spawner::Real()));
  prepared.author =
      absl::StrCat(source.kind == JobSource::Kind::kFile ? "file " : "job program ", source.path);
  DL_ASSIGN_OR_RETURN(prepared.spec, ResolveJob(prepared.written, source.path, settings));
  return prepared;
}

}  // namespace dl::cli
