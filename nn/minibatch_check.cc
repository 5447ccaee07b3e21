#include "nn/minibatch_check.h"

#include <limits>
#include <string>

namespace dl::nn {
namespace {

Status CheckWeights(const Minibatch& batch) {
  if (batch.weights.empty()) return absl::OkStatus();
  if (static_cast<int64_t>(batch.weights.size()) != batch.examples)
    return SizeError("weights", batch.examples, batch.weights.size());
  for (const float weight : batch.weights) {
    if (weight >= 0 && weight <= std::numeric_limits<float>::max()) continue;
    return InvalidArgument({.message = "an example has the weight " + std::to_string(weight) +
                                       ", expected a finite number of at least 0",
                            .where = "batch"});
  }
  return absl::OkStatus();
}

}  // namespace

Status SizeError(std::string_view what, int64_t expected, size_t actual) {
  return InvalidArgument({.message = std::string(what) + " has " + std::to_string(actual) +
                                     " values, expected " + std::to_string(expected),
                          .where = "batch"});
}

Status CheckMinibatch(const ModelConfig& model, const Minibatch& batch) {
  const int64_t values = batch.examples * ElementsOf(model.inputs);
  if (static_cast<int64_t>(batch.features.size()) != values) {
    return SizeError("features", values, batch.features.size());
  }
  const int64_t with_lengths = model.input().variable_length ? batch.examples : 0;
  if (static_cast<int64_t>(batch.lengths.size()) != with_lengths)
    return SizeError("lengths", with_lengths, batch.lengths.size());
  DL_RETURN_IF_ERROR(CheckWeights(batch));
  for (const int32_t length : batch.lengths) {
    if (length >= 1 && length <= model.input().Steps()) continue;
    return InvalidArgument({.message = "an example has " + std::to_string(length) +
                                       " steps, expected 1 to " +
                                       std::to_string(model.input().Steps()),
                            .where = "batch"});
  }
  return absl::OkStatus();
}

}  // namespace dl::nn
