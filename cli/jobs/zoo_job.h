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

// The flags that give data to a network of the zoo.
struct ZooData {
  // Values of --train and --test: a table, libsvm file, IDX file, .npz archive, image folder, or
  // .json file with a dataset. For language models, a text. Empty: not given.
  std::string train, test;
  std::string test_fraction;  // instead of `test`: fraction of `train`
  dataset::TableHints hints;  // how a table is read, and whether labels are classes or numbers
  std::string hint_flag;      // flag that errors about `hints` name; empty: no hints
  // Weights of the examples of `test` if it is not a table: the path of a file, or the name of an
  // array in the archive (DataFileOptions::weights). Empty: none.
  std::string test_weights;
  std::vector<Json>* tables = nullptr;  // if not null, receives the reports about tables
};

// Returns the names of all networks, in the order of nn::zoo::ZooModels().
std::vector<std::string> ZooNames();

struct ZooJobOptions {
  ZooData data;
  // Only settings of `data` and of keys below it are used. REQUIRES: not null.
  const Settings* settings = nullptr;
  // For DL_IMPORT_MEMORY. REQUIRES: not null.
  const std::map<std::string, std::string>* environment = nullptr;
};
struct ZooJob {
  job::JobSpec spec;
  // False: no training set was given. The shapes of the input and the classes are taken from the
  // network's paper, and the training set in `spec` does not exist.
  bool has_data = true;
};

// Makes the job. The input and output of the network have the shapes of the training set, whose
// files are read within DL_IMPORT_MEMORY. A dataset that the master has (job::ManifestReference) is
// not read. Writes to `err` how data files are read. Returns UsageError for flags and settings that
// do not fit each other, and InvalidArgument if the data does not fit the network. Errors of the
// readers about the content of data have exit code 65. A missing file is NotFound.
StatusOr<ZooJob> MakeZooJob(const nn::zoo::ZooModel& zoo, const ZooJobOptions& options,
                            std::ostream& err);

}  // namespace dl::cli
