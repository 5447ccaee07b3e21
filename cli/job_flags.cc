#include "cli/job_flags.h"

#include "absl/strings/str_cat.h"
#include "cli/job_source.h"

namespace dl::cli {

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
  Json document = prepared.written;
  DL_RETURN_IF_ERROR(ApplyJobSettings(settings, document));
  auto spec = job::JobFromJson(document);
  if (!spec.ok()) {
    return InvalidArgument({.message = std::string(spec.status().message()),
                            .where = source.path,
                            .remedy = ErrorRemedy(spec.status()).empty()
                                          ? "docs/job-spec.md lists every key"
                                          : ErrorRemedy(spec.status())});
  }
  prepared.spec = *std::move(spec);
  return prepared;
}

}  // namespace dl::cli
