// What recurrent layers have in common: in which direction they go over the steps, and what they
// give. A direction is a key of each of them, not a layer around another one: a model is a flat
// list of layers whose tensors bear the layer's name, and so it stays.
//
// A bidirectional layer (Schuster, Paliwal, IEEE Trans. Signal Processing 45, 1997) has two sets of
// tensors, the second called "backward_...": one goes over the steps from the first to the last,
// the other from the last to the first, and each step gives what both say of it. The last state of
// the one is that of the last step, of the other that of the first: return_sequences = false gives
// the states that have seen the whole sequence, where last_step behind a bidirectional layer would
// take a backward state that has seen one step.
//
// A stateful layer begins a minibatch with what it ended the one before with, row by row, where
// others begin with zeros, and no gradient goes back over that border: back-propagation through
// time, truncated to the steps of an example (Williams, Peng, Neural Computation 2, 1990). Rows
// have to be what goes on, so a job with such layers trains by `shuffle` "stream"
// (dataset/epoch_order.h): each row of a worker's minibatches is a stretch of the data in its
// order. A stretch begins with zeros in each epoch, and in each evaluation. Words of Keras
// ("stateful") and of Deeplearning4j (truncated BPTT).
//
// recurrent_dropout p: in training R reads m h[t-1] where it reads h[t-1] otherwise. m is 0 with
// probability p, else 1 / (1 - p); one of each unit, drawn for each example and minibatch, the same
// at all steps and for all gates (Gal, Ghahramani, "A theoretically grounded application of dropout
// in recurrent neural networks", NIPS 2016, the form with tied weights; the word is Keras's). Each
// direction draws its own. What is carried on is not masked: neither h[t-1] where a gate passes it
// on (the z h[t-1] of a GRU), nor an LSTM's cell, nor what a step gives. So it is neither zoneout
// (Krueger et al., ICLR 2017), by which units keep their state of the step before, nor a `dropout`
// layer behind, which drops what others read and leaves the next step its whole state. Of the
// inputs the paper masks as much: by a `dropout` layer of kind spatial in front. A stateful layer
// draws new masks for each minibatch, in the middle of what it goes on with.
#pragma once

#include <initializer_list>

#include "nn/conf/layers/layer.h"
#include "nn/conf/words.h"

namespace dl::nn {

enum class Direction : uint8_t { kForward, kBackward, kBidirectional };
template <>
struct WordsOf<Direction> {
  static constexpr std::string_view kWords[] = {"forward", "backward", "bidirectional"};
};

enum class StateMerge : uint8_t { kConcat, kSum, kAverage, kProduct };
template <>
struct WordsOf<StateMerge> {
  static constexpr std::string_view kWords[] = {"concat", "sum", "average", "product"};
};

struct RecurrentKeys : StartKeys {
  Direction direction = Direction::kForward;
  StateMerge merge = StateMerge::kConcat;
  bool return_sequences = true;
  bool stateful = false;
  double recurrent_dropout = 0;  // of dropping; 0 <= p < 1
  bool operator==(const RecurrentKeys&) const = default;

  bool IsBidirectional() const { return direction == Direction::kBidirectional; }
  // What the names of each direction's tensors begin with.
  std::vector<std::string> Prefixes() const;
  // Of a layer whose cell has `gates` rows of weights for a unit.
  void CheckUnits(int64_t units, int64_t gates, Mistakes& mistakes) const;
  InputType StatesOf(const InputType& input, int64_t units) const;
  // Of a stateful layer's cell: one of each name.
  std::vector<CarriedConf> CarriedOf(std::initializer_list<std::string_view> names,
                                     int64_t units) const;
  // "weight" [gates units, features], "recurrent_weight" [gates units, units] and "bias"
  // [gates units], of one direction. The fans are those of one gate.
  struct Products {
    std::string prefix;
    int64_t units = 0, gates = 1;
  };
  std::vector<ParameterConf> ParametersOf(const Products& products, const InputType& input,
                                          const WeightDefaults& defaults) const;

  template <typename Layer, typename Visit>
  static void Fields(Layer& self, Visit&& visit) {
    visit(Field{.key = "direction",
                .meaning = "Which way a recurrent layer goes over the steps; bidirectional: both, "
                           "with weights for each"},
          self.direction);
    visit(Field{.key = "merge",
                .meaning = "What a bidirectional layer makes of the states of both directions"},
          self.merge);
    visit(Field{.key = "return_sequences",
                .meaning = "Whether a recurrent layer gives the states of all steps; else of each "
                           "direction the last that it comes to"},
          self.return_sequences);
    visit(Field{.key = "stateful",
                .meaning = "Whether a recurrent layer begins a minibatch with the states that it "
                           "ended the one before with, row by row, and not with zeros; asks for "
                           "training.shuffle stream"},
          self.stateful);
    visit(Field{.key = "recurrent_dropout",
                .what = "the probability of dropping recurrent states",
                .max = 0.999999,
                .meaning = "Probability of dropping a value of the state where a recurrent layer "
                           "multiplies it with its weights, the same ones at all steps of an "
                           "example; below 1"},
          self.recurrent_dropout);
    StartKeys::Fields(self, visit);
  }
};

template <typename Self>
struct RecurrentLayer : LayerWithWeights<Self, RecurrentKeys> {
  Self& Backward() {
    this->direction = Direction::kBackward;
    return this->self();
  }
  Self& Bidirectional(StateMerge value = StateMerge::kConcat) {
    this->direction = Direction::kBidirectional;
    this->merge = value;
    return this->self();
  }
  // Of a whole sequence one state, instead of one for each step.
  Self& LastState() {
    this->return_sequences = false;
    return this->self();
  }
  // Goes on where the minibatch before ended.
  Self& Stateful() {
    this->stateful = true;
    return this->self();
  }
  Self& RecurrentDropout(double probability) {
    this->recurrent_dropout = probability;
    return this->self();
  }
  bool operator==(const RecurrentLayer&) const = default;
};

}  // namespace dl::nn
