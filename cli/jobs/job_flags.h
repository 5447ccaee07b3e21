// The flags that describe a job when it is started, and the job spec that they give.
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
  std::string job;                            // JOB (cli/jobs/job_source.h) or a network's name
  ZooData data;                               // data of a job that names only a network
  TableFlags table;                           // how a table of such a job is read
  std::vector<std::string> arguments;         // arguments of a job program, after "--"
  std::map<std::string, std::string> common;  // by ShortcutKey::flag
  std::string weights;                        // file of initial weights
  std::vector<std::string> sets;

  void Declare(Flags& flags, Flags::Need job_needed);
  // Returns all settings of the command. Errors are those of ClusterFlags::Sources and
  // ResolveSettings.
  StatusOr<Settings> Resolve(const Context& context, const ClusterFlags& cluster) const;
};

// Applies all settings to the document, reads it and checks it. If the document has a mistake of
// its own that no setting repairs, the error names `source`. Otherwise the error names the origin
// of the setting, and is a UsageError for a flag or --set. Settings are applied to the current
// version of the document. A document of a newer version, or without a version, is an error that
// names `source`.
StatusOr<job::JobSpec> ResolveJob(const Json& written, const std::string& source,
                                  const Settings& settings);

struct PreparedJob {
  // As its author wrote it, converted to the current version of job documents.
  Json written;
  std::string author;        // "job program x", "file y"
  job::JobSpec spec;         // with all settings and all defaults, checked
  bool has_data = true;      // false: only the name of a network, to be displayed
  std::vector<Json> tables;  // for a network by name: reports about its tables
};
// Finds and reads the job that `flags` name, and applies all settings. Errors are those of FindJob,
// ReadJobDocument, MakeZooJob and ResolveJob.
StatusOr<PreparedJob> PrepareJob(const Context& context, const JobFlags& flags,
                                 const Settings& settings);

}  // namespace dl::cli
