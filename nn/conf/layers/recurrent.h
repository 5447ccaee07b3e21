// Common parts of recurrent layers: the direction in which they process the steps, and their
// outputs. The direction is a key of each layer and not a wrapper layer, because a model is a flat
// list of layers whose tensors have the layer's name.
//
// A bidirectional layer (Schuster, Paliwal, IEEE Trans. Signal Processing 45, 1997) has two sets of
// tensors; names of the second begin with "backward_". The first set processes the steps from first
// to last, the second from last to first. The output of a step merges both states. With
// return_sequences = false, the output merges the final state of each direction, which both depend
// on the whole sequence. A last_step layer would instead use a backward state that depends on one
// step.
//
// A stateful layer begins a minibatch with the states at the end of the minibatch before, row by
// row; other layers begin with zeros. No gradient crosses that border: truncated back-propagation
// through time (Williams, Peng, Neural Computation 2, 1990). The rows must continue the earlier
// rows, so such jobs need `shuffle` "stream" (dataset/epoch_order.h): each row of a worker's
// minibatches is a contiguous range of the data. States are zero at the start of each epoch and of
// each evaluation. The name is Keras's; Deeplearning4j calls it truncated BPTT.
//
// recurrent_dropout p: in training, products with the recurrent weights R use m h[t-1] instead of
// h[t-1]. A value of the mask m is 0 with probability p, otherwise 1 / (1 - p). Each example of
// each minibatch has one value per unit, equal at all steps and for all gates. This is the variant
// with tied weights of Gal, Ghahramani, "A theoretically grounded application of dropout in
// recurrent neural networks", NIPS 2016; the name is Keras's. Each direction draws its own mask.
// Only the operand of R is masked: not the z h[t-1] of a GRU, not the cell of an LSTM, and not the
// output. It thus differs from zoneout (Krueger et al., ICLR 2017), in which units keep their
// previous state. It also differs from a `dropout` layer after the recurrent layer, which does not
// affect the next step. To mask the inputs as in the paper, add a `dropout` layer of kind spatial
// before the layer. A stateful layer draws a new mask for each minibatch, although its sequence
// continues.
#pragma once

#include <initializer_list>

#include "nn/conf/layers/layer_base.h"
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
  StateMerge merge = StateMerge::kConcat;  // only for bidirectional layers
  bool return_sequences = true;            // false: the output is the final state
  bool stateful = false;                   // only for direction forward
  double recurrent_dropout = 0;            // probability of dropping; 0 <= p < 1
  bool operator==(const RecurrentKeys&) const = default;

  bool IsBidirectional() const { return direction == Direction::kBidirectional; }
  // Returns the prefix of the tensor names of each direction.
  std::vector<std::string> Prefixes() const;
  // Adds mistakes for too many units, for `merge` in a layer of one direction, and for `stateful`
  // in a layer whose direction is not forward. `gates` is the number of gates of the cell, each
  // with a row of weights per unit.
  void CheckUnits(int64_t units, int64_t gates, Mistakes& mistakes) const;
  // Returns the output type: the states of all steps, or the final state.
  InputType OutputTypeOf(const InputType& input, int64_t units) const;
  // Returns the carried states of a stateful layer, one for each name; otherwise none.
  std::vector<CarriedConf> CarriedOf(std::initializer_list<std::string_view> names,
                                     int64_t units) const;
  struct Products {
    std::string prefix;  // begins the names of the parameters: one of Prefixes()
    int64_t units = 0, gates = 1;
  };
  // Returns the parameters of one direction: "weight" [gates * units, features], "recurrent_weight"
  // [gates * units, units] and "bias" [gates * units]. Initializers use the fans of one gate.
  std::vector<ParameterConf> ParametersOf(const Products& products, const InputType& input,
                                          const WeightDefaults& defaults) const;

  template <typename Layer, typename Visit>
  static void Fields(Layer& self, Visit&& visit) {
    visit(
        Field{.key = "direction",
              .meaning = "Direction over the steps. `bidirectional` = both, with separate weights"},
        self.direction);
    visit(Field{.key = "merge",
                .meaning = "Combination of the states of both directions of a bidirectional layer"},
          self.merge);
    visit(Field{.key = "return_sequences",
                .meaning = "`true` = return the states of all steps, `false` = the last state of "
                           "each direction"},
          self.return_sequences);
    visit(
        Field{.key = "stateful",
              .meaning =
                  "Whether a minibatch starts with the final states of the previous minibatch, per "
                  "row, instead of zeros. Requires training.shuffle stream and direction forward"},
        self.stateful);
    visit(Field{.key = "recurrent_dropout",
                .what = "the probability of dropping recurrent states",
                .max = 0.999999,
                .meaning = "Probability of dropping a value of the recurrent state before its "
                           "product with the weights, the same values at all steps. Below 1"},
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
  // Returns one state for the whole sequence instead of one for each step.
  Self& LastState() {
    this->return_sequences = false;
    return this->self();
  }
  // Begins a minibatch with the states at the end of the minibatch before.
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
