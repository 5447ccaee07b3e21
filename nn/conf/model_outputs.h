// A model's outputs, which are its layers with a loss, and the labels that each is compared with.
//
// The labels of an example are one row. Each output with labels of its own has a part of the row,
// in the order of the layers: one value for a class, one value for each unit for numbers. An output
// with `labels_of` uses the part of another output. If only one output has labels, the dataset has
// classes, numbers or sequences of classes. If several outputs have labels, the dataset has
// numbers, and a class is an integer. There, -1 means that the example has no label for this output
// and does not count in its loss. For sequences with a label for each step, each step has such a
// row. For sequences of classes, an example has a row of a fixed maximum length, which the dataset
// defines, filled with -1 after the last class.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "nn/conf/layer_config.h"
#include "nn/conf/layers/output.h"
#include "nn/conf/mistakes.h"

namespace dl::nn {

struct ModelOutput {
  size_t layer = 0;  // index in the model
  std::string name;  // name of the layer
  Output conf;       // OutputOf(layer): a LossLayer is converted to an Output
  InputType type;    // output type of the layer

  // Index of the output that owns the labels: this output, if it has labels of its own or none.
  size_t labels_from = 0;
  // Its part of the row of labels. label_count is 0 if the output is compared with no labels.
  int64_t first_label = 0;
  int64_t label_count = 0;

  Labels::Kind LabelKind() const { return LabelsOf(conf.loss).kind; }
  bool HasClasses() const { return LabelKind() == Labels::Kind::kClass; }
  // Returns how many losses an example has: one for each row, or one if the loss counts whole
  // sequences.
  int64_t CountedPerExample() const { return HasClassSequences() ? 1 : type.Steps(); }
  bool HasClassSequences() const { return JudgesSequences(conf.loss); }
};

// Returns the outputs in the order of the layers. A validated model has at least one; the last
// output is the last layer.
std::vector<ModelOutput> OutputsOf(const ModelConfig& model);

// The labels that the dataset of a model must have.
struct LabelForm {
  // kNone: no output is compared with labels, and labels in the data are ignored.
  enum class Kind : uint8_t { kNone, kClass, kNumbers, kClassSequence };
  Kind kind = Kind::kNone;
  int64_t classes = 0;  // for kClass and kClassSequence; without the blank
  int64_t numbers = 0;  // for kNumbers: length of the row
  int64_t steps = 1;    // rows per example
  size_t owners = 0;    // number of outputs with labels of their own
  size_t output = 0;    // index of the first of them
};
LabelForm LabelFormOf(const std::vector<ModelOutput>& outputs);

// Adds the mistakes of the outputs of a model whose layers are connected. Mistakes are: too many
// outputs; labels_of in an output that uses no labels; labels_of an output that does not exist, is
// not an earlier one, uses no labels or has another form; an output with a label for each step
// whose examples have other lengths than in the data; several outputs with labels of their own, of
// which one has sequences of classes, or which have different numbers of steps; an output that is
// compared with the input but has another size or other numbers of steps, or there are several
// inputs; sequences of classes for an output that is not a sequence; balanced class weights if
// several outputs have labels of their own.
void CheckModelOutputs(const ModelConfig& model, Mistakes& mistakes);

}  // namespace dl::nn
