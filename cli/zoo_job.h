// A job of a network that goes by its name (nn/conf/zoo): the data by flags, the rest by defaults.
#pragma once

#include <iosfwd>
#include <map>
#include <string>
#include <vector>

#include "base/status.h"
#include "job/job_spec.h"
#include "nn/conf/zoo/zoo.h"

namespace dl::cli {

// What --train and --test say: a table, rows of libsvm, an archive of arrays, or a .json file with
// a dataset. Empty: not stated.
struct ZooData {
  std::string train, test;
  std::string test_fraction;  // instead of `test`: a share of each class of `train`
};

std::vector<std::string> ZooNames();

// The network for what the training set holds, whose files are read for it: their memory goes by
// DL_IMPORT_MEMORY. Without a training set it is the published one, for a dataset that is nowhere:
// to be looked at. What is guessed about a table is told to `err`.
StatusOr<job::JobSpec> ZooJob(const nn::zoo::ZooModel& zoo, const ZooData& data,
                              const std::map<std::string, std::string>& environment,
                              std::ostream& err);

}  // namespace dl::cli
