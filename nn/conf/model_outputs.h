// A model's outputs: its layers with a loss, and with which of an example's labels each is
// compared.
//
// The labels of an example are one row. Each output that has labels of its own takes its part of
// it, in the order of the layers: of a class one value, of numbers one for each unit; an output
// with `labels_of` is compared with what another one took. Where one output alone takes labels they
// are those of a dataset with classes, or of one with numbers. Where several do, the dataset has
// numbers, and a class is a whole one: -1 where an example has no label of this output, which it
// does not count for then. Of sequences that are judged step by step each step has such a row. Of
// sequences of classes an example has a row of up to so many as the
// dataset says, -1 behind the last one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "nn/conf/layer_config.h"
#include "nn/conf/layers/output.h"
#include "nn/conf/mistakes.h"

namespace dl::nn {

struct ModelOutput {
  size_t layer = 0;  // its index in the model
  std::string name;  // the layer's
  Output conf;       // of one that is a loss alone, what it would be with a product
  InputType type;    // what the layer gives

  // The output whose labels it is compared with, by its index: itself where it has its own, or is
  // compared with none.
  size_t labels_from = 0;
  int64_t first_label = 0;  // in the row of labels, and how many of it are its; of one that is
  int64_t label_count = 0;  // compared with no labels none

  Labels::Kind LabelKind() const { return LabelsOf(conf.loss).kind; }
  bool HasClasses() const { return LabelKind() == Labels::Kind::kClass; }
  // What its loss is a mean over: its rows, or where it judges them as a whole, examples.
  int64_t CountedPerExample() const { return HasClassSequences() ? 1 : type.Steps(); }
  bool HasClassSequences() const { return JudgesSequences(conf.loss); }
};

// In the order of the layers; the last one is the last layer. At least one, of a validated model.
std::vector<ModelOutput> OutputsOf(const ModelConfig& model);

// What the dataset of a model has for labels.
struct LabelForm {
  // kNone: no output is compared with any, and none are looked at.
  enum class Kind : uint8_t { kNone, kClass, kNumbers, kClassSequence };
  Kind kind = Kind::kNone;
  int64_t classes = 0;  // of kClass and kClassSequence
  int64_t numbers = 0;  // of kNumbers: the row's length
  int64_t steps = 1;    // rows of an example
  size_t owners = 0;    // outputs that have labels of their own
  size_t output = 0;    // the first of them
};
LabelForm LabelFormOf(const std::vector<ModelOutput>& outputs);

// What is wrong with the outputs of a model that is connected and has shapes: more than there may
// be, labels of an output that is not there or unlike, sequences of labels beside others of other
// lengths, what is
// compared with the input and is not as large, sequences of classes for what is no sequence.
void CheckModelOutputs(const ModelConfig& model, Mistakes& mistakes);

}  // namespace dl::nn
