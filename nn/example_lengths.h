// Lengths of the examples of a minibatch, at each layer of a model.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "nn/conf/model_config.h"

namespace dl::nn {

// Holds a list of lengths for each way in which layers of the model change lengths. Not
// thread-safe.
class ExampleLengths {
 public:
  // `most`: largest number of examples of a minibatch. Holds nothing if the model's input has no
  // variable length.
  ExampleLengths(const ModelConfig& model, int64_t most);

  // Computes all lists from the lengths in the data.
  void Set(std::span<const int32_t> lengths);
  // Returns a list that Set writes; nullptr if the model's input has no variable length. The
  // address does not change. REQUIRES: a layer of the model has these lengths.
  const int32_t* Of(const StepLengths& lengths) const;

 private:
  struct List {
    StepLengths way;
    std::vector<int32_t> lengths;
  };
  std::vector<List> lists_;
};

}  // namespace dl::nn
