// Makes a job from the name of a network (nn/conf/zoo): the data comes from flags and settings, the
// rest from defaults.
#pragma once

#include <iosfwd>
#include <map>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "cli/settings.h"
#include "dataset/readers/table/table_guess.h"
#include "job/job_spec.h"
#include "nn/conf/zoo/zoo.h"

namespace dl::cli {

// The values of --train and --test: a table, a libsvm file, an archive of arrays, or a .json file
// with a dataset. Empty: not given.
struct ZooData {
  std::string train, test;
  std::string test_fraction;            // instead of `test`: fraction of `train`
  dataset::TableHints hints;            // how a table is read, and what the labels are
  std::string hint_flag;                // one of the flags that gave the hints
  std::vector<Json>* tables = nullptr;  // if not null, receives the reports about tables
};

std::vector<std::string> ZooNames();

struct ZooJobOptions {
  ZooData data;
  // Settings of keys below `data` are applied before the shape of the network is determined.
  const Settings* settings = nullptr;
  const std::map<std::string, std::string>* environment = nullptr;
};
struct ZooJob {
  job::JobSpec spec;
  bool has_data = true;  // false: the published network, for data that is not given
};

// Makes the network for the content of the training set. Reads the files of the training set,
// within DL_IMPORT_MEMORY. Writes to `err` how a data file is read. Returns UsageError for flags
// and settings that do not fit; other errors are those of the reader.
StatusOr<ZooJob> MakeZooJob(const nn::zoo::ZooModel& zoo, const ZooJobOptions& options,
                            std::ostream& err);

}  // namespace dl::cli
