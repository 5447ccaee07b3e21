// Connectionist temporal classification (Graves, Fernandez, Gomez, Schmidhuber, "Connectionist
// temporal classification: labelling unsegmented sequence data with recurrent neural networks",
// ICML 2006): a sequence is compared with classes l that come in its order and are fewer than its
// steps, where nobody knows which step is which. With p_t = softmax(z_t) of step t, which belongs
// to the loss (the output layer computes logits),
//   L = -log p(l),   p(l) = sum over all paths pi that collapse to l of prod_t p_t,pi(t)
// A path gives each step a class or the blank, which is the last output; it collapses to what is
// left when of equal steps beside each other one is kept, and then all blanks are dropped. Computed
// by equations 5 to 8 and 13 to 16. A p_t below the smallest normal float counts as that. The loss
// is the mean over examples, each one count whatever its length (torch.nn.CTCLoss with reduction
// "sum", divided by the number of examples; its blank is class 0 by default, TensorFlow's the
// last). An example is right where the path of the likeliest step each collapses to l.
// An example that has fewer steps than l has classes and repetitions beside each other is refused.
#pragma once

#include "nn/conf/losses/loss.h"

namespace dl::nn {

struct Ctc : PlainLoss {
  static constexpr std::string_view kTag = "ctc";
  static constexpr Labels kLabels = {.kind = Labels::Kind::kClassSequence};

  bool operator==(const Ctc&) const = default;
  void Check(const Output& output, Mistakes& mistakes) const;
  static std::vector<Ctc> Samples() { return {Ctc()}; }
};

}  // namespace dl::nn
