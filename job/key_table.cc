// All keys of a job spec, in the order of docs/job-spec.md. Each part lists its own keys.
#include <limits>
#include <utility>
#include <vector>

#include "job/initial_weights.h"
#include "job/job_keys.h"
#include "job/job_spec.h"
#include "job/training_config.h"
#include "nn/conf/model_keys.h"

namespace dl::job {
namespace {

// Returns the keys of the document that no part has.
std::vector<nn::KeyRow> Head() {
  return {{.path = "format",
           .type = KeyType::kInteger,
           .standard = "1",
           .min = 1,
           .max = kJobDocument.version(),
           .meaning = "Version of the document"},
          {.path = "name",
           .type = KeyType::kString,
           .standard = "-",
           .meaning = "Name of the job: up to 63 letters, digits, `_`, `-`, `.`, starting with a "
                      "letter or digit. Default: the model's name"},
          {.path = "seed",
           .type = KeyType::kInteger,
           .standard = "-",
           .max = static_cast<double>(std::numeric_limits<uint64_t>::max()),
           .meaning = "Random seed of weights, of the order of examples, and of dropout, noise and "
                      "augmentation. Default: the model's seed"}};
}

std::vector<nn::KeyRow> AllKeys() {
  std::vector<nn::KeyRow> keys = Head();
  const auto append = [&](std::vector<nn::KeyRow> rows) {
    for (nn::KeyRow& row : rows) keys.push_back(std::move(row));
  };
  append(nn::ModelKeys());
  append(InitialWeightsKeys());
  append(TrainingKeys());
  keys.push_back(
      {.path = "data", .type = KeyType::kObject, .standard = "", .meaning = "Datasets of the job"});
  append(DataKeys());
  return keys;
}

}  // namespace

std::span<const nn::KeyRow> Keys() {
  static const std::vector<nn::KeyRow> keys = AllKeys();
  return keys;
}

}  // namespace dl::job
