// The flags that describe a job where it is started, and the job spec that comes of them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/json.h"
#include "cli/cluster_flags.h"
#include "cli/command.h"
#include "cli/table_flags.h"
#include "cli/zoo_job.h"
#include "job/job_spec.h"

namespace dl::cli {

struct JobFlags {
  std::string job;
  ZooData data;                               // of a network by its name
  TableFlags table;                           // likewise
  std::vector<std::string> arguments;         // of a job program, behind "--"
  std::map<std::string, std::string> common;  // by ShortcutKey::flag
  std::string weights;                        // a file to begin with
  std::vector<std::string> sets;

  void Declare(Flags& flags, Flags::Need job_needed);
  StatusOr<Settings> Resolve(const Context& context, const ClusterFlags& cluster) const;
};

// The document with every setting applied, read and checked. A mistake that the document has by
// itself and that no setting repairs is its own, whatever the settings are, and names `source`;
// else it is a setting's, and names its origin: a flag's or a --set's is a UsageError. Settings are
// applied to the document in its present version; errors of one that is newer, or says no version,
// name `source`.
StatusOr<job::JobSpec> ResolveJob(const Json& written, const std::string& source,
                                  const Settings& settings);

struct PreparedJob {
  Json written;              // as its author wrote it, in the present version of job documents
  std::string author;        // "job program x", "file y"
  job::JobSpec spec;         // every setting applied, every default frozen, checked
  bool has_data = true;      // false: a network by its name alone, to be looked at
  std::vector<Json> tables;  // of a network by its name: reports of its bare tables
};
StatusOr<PreparedJob> PrepareJob(const Context& context, const JobFlags& flags,
                                 const Settings& settings);

}  // namespace dl::cli
