// Lengths of the examples that a model computes at once, at the input of each layer.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "nn/conf/model_config.h"

namespace dl::nn {

// Holds one list for each distinct StepLengths of the layers' inputs. A list has the number of
// steps of each example there. Layers with equal StepLengths share a list. Not thread-safe.
class ExampleLengths {
 public:
  // `most` is the largest number of lengths in a call of Set. Makes no list if the model's input
  // has no variable length.
  ExampleLengths(const ModelConfig& model, int64_t most);

  // Computes all lists. `lengths` has the number of steps of each example in the data. Does nothing
  // if there is no list. REQUIRES: at most `most` lengths, each at least 1.
  void Set(std::span<const int32_t> lengths);
  // Returns the list for `lengths`, which has one entry for each example of the last Set. Returns
  // nullptr if the model's input has no variable length. Set changes the entries, but not the
  // address. REQUIRES: the model's input or the input of a layer has these StepLengths.
  const int32_t* Of(const StepLengths& lengths) const;

 private:
  struct List {
    StepLengths way;
    std::vector<int32_t> lengths;
  };
  std::vector<List> lists_;
};

}  // namespace dl::nn
