// Connectionist temporal classification (Graves, Fernandez, Gomez, Schmidhuber, "Connectionist
// temporal classification: labelling unsegmented sequence data with recurrent neural networks",
// ICML 2006). A sequence is compared with a sequence l of classes in the same order, which is not
// longer, without knowing which step belongs to which class. With p_t = softmax(z_t) at step t,
//   L = -log p(l),   p(l) = sum over all paths pi that collapse to l of prod_t p_t,pi(t)
// The softmax belongs to the loss; the output layer computes logits. A path assigns a class or the
// blank, which is the last output, to each step. It collapses to a sequence of classes by merging
// equal adjacent steps and then removing blanks. Computed by equations 5 to 8 and 13 to 16. A p_t
// below the smallest normal float counts as that float.
//
// The loss is the mean over examples, whatever their lengths. This is torch.nn.CTCLoss with
// reduction "sum", divided by the number of examples. (Its blank is class 0 by default,
// TensorFlow's is the last.) A prediction is correct if the path of the most probable output at
// each step collapses to l. A minibatch is refused if an example has fewer steps than its l needs:
// one for each class, and one more between two equal adjacent classes.
#pragma once

#include "nn/conf/losses/loss_config.h"

namespace dl::nn {

struct Ctc : PlainLoss {
  static constexpr std::string_view kTag = "ctc";
  static constexpr Labels kLabels = {.kind = Labels::Kind::kClassSequence};

  bool operator==(const Ctc&) const = default;
  // Adds a mistake if the layer has an activation or a single output.
  void Check(const Output& output, Mistakes& mistakes) const;
  static std::vector<Ctc> Samples() { return {Ctc()}; }
};

}  // namespace dl::nn
