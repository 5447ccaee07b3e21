// The flags that describe a job, and the job spec that they give. Used by `run`, `submit` and
// `config show`.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/json.h"
#include "cli/clusters/cluster_flags.h"
#include "cli/command.h"
#include "cli/data/table_flags.h"
#include "cli/jobs/zoo_job.h"
#include "job/job_spec.h"

namespace dl::cli {

struct JobFlags {
  std::string job;                     // JOB (cli/jobs/job_source.h) or the name of a network
  ZooData data;                        // for a network: its training set and test set
  TableFlags table;                    // for a network: how tables in `data` are read
  std::vector<std::string> arguments;  // arguments of a job program, after "--"
  // Values of the flags in ShortcutKeys(), such as "--epochs". Empty: the flag was not given.
  std::map<std::string, std::string> common;
  std::string weights;            // value of --weights: a file of initial weights; empty: none
  std::vector<std::string> sets;  // values of --set ("PATH=VALUE"), in their order

  // Declares all flags. Parsing fills in the members, so this object must outlive `flags`.
  // `job_needed`: whether the command line must name a JOB.
  void Declare(Flags& flags, Flags::Need job_needed);
  // Returns all settings of the command, from these flags, those of `cluster`, the environment and
  // config files. Errors are those of ClusterFlags::Sources and ResolveSettings.
  StatusOr<Settings> Resolve(const Context& context, const ClusterFlags& cluster) const;
};

// Converts the document `written` to the current version, applies all settings, reads the result
// and checks it. A document without a version has version 1. `source` names the document in errors.
// Returns:
//   - VersionMismatch for a document of a newer version. It names `source`.
//   - InvalidArgument for an invalid version. It names `source`.
//   - InvalidArgument for mistakes that the document has with and without the settings. It names
//     `source`.
//   - otherwise the error of the settings that cause the mistakes. It names their origins. It is a
//     UsageError if all of these settings are flags or --set, else InvalidArgument.
StatusOr<job::JobSpec> ResolveJob(const Json& written, const std::string& source,
                                  const Settings& settings);

struct PreparedJob {
  Json written;        // the document before settings, in the current version of job documents
  std::string author;  // origin of `written`: "job program x", "file y" or "network z"
  job::JobSpec spec;   // with all settings and all defaults, checked
  // False: a network without a training set (ZooJob::has_data). It can be shown but not trained.
  bool has_data = true;
  std::vector<Json> tables;  // for a network: reports about the tables in its data
};
// Finds and reads the job that `flags` name, and applies all settings. A job program takes
// precedence over a network of the same name. Returns UsageError for flags that do not apply to
// this kind of job, and for a flag that requires another flag. Other errors are those of FindJob,
// ReadJobDocument, TableFlags::Hints, MakeZooJob and ResolveJob.
StatusOr<PreparedJob> PrepareJob(const Context& context, const JobFlags& flags,
                                 const Settings& settings);

}  // namespace dl::cli
