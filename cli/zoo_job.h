// A job of a network that goes by its name (nn/conf/zoo): the data by flags and settings, the rest
// by defaults.
#pragma once

#include <iosfwd>
#include <map>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "cli/settings.h"
#include "dataset/readers/table_guess.h"
#include "job/job_spec.h"
#include "nn/conf/zoo/zoo.h"

namespace dl::cli {

// What --train and --test say: a table, rows of libsvm, an archive of arrays, or a .json file with
// a dataset. Empty: not stated.
struct ZooData {
  std::string train, test;
  std::string test_fraction;            // instead of `test`: a share of `train`
  dataset::TableHints hints;            // how a bare table is read, and what labels are
  std::string hint_flag;                // one of the flags that say so
  std::vector<Json>* tables = nullptr;  // gets the reports of bare tables, if it is not null
};

std::vector<std::string> ZooNames();

struct ZooJobOptions {
  ZooData data;
  // Settings of keys below `data` apply before the network gets its shape.
  const Settings* settings = nullptr;
  const std::map<std::string, std::string>* environment = nullptr;
};
struct ZooJob {
  job::JobSpec spec;
  bool has_data = true;  // false: the published network, for a dataset that does not exist
};

// The network for what the training set holds. Reads the files of the training set for it, within
// DL_IMPORT_MEMORY. Writes to `err` how a bare file is read. UsageError for flags and settings that
// do not fit, else the reader's errors.
StatusOr<ZooJob> MakeZooJob(const nn::zoo::ZooModel& zoo, const ZooJobOptions& options,
                            std::ostream& err);

}  // namespace dl::cli
