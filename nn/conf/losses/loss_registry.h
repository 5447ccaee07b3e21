// All losses: the variant LossConf, and the table by which readers of JSON and tests find them.
#pragma once

#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "base/json_fwd.h"
#include "base/one_of.h"
#include "nn/conf/key_row.h"
#include "nn/conf/losses/binary_cross_entropy.h"
#include "nn/conf/losses/cosine.h"
#include "nn/conf/losses/ctc.h"
#include "nn/conf/losses/focal.h"
#include "nn/conf/losses/hinge.h"
#include "nn/conf/losses/huber.h"
#include "nn/conf/losses/kl_divergence.h"
#include "nn/conf/losses/mean_absolute_error.h"
#include "nn/conf/losses/mean_squared_error.h"
#include "nn/conf/losses/poisson.h"
#include "nn/conf/losses/softmax_cross_entropy.h"
#include "nn/conf/losses/triplet.h"

namespace dl::nn {

struct AllLosses {
  using Variant =
      std::variant<SoftmaxCrossEntropy, BinaryCrossEntropy, MeanSquaredError, MeanAbsoluteError,
                   Huber, Focal, KlDivergence, Poisson, Hinge, SquaredHinge, Cosine, Triplet, Ctc>;
};
using LossConf = OneOf<AllLosses>;

struct LossType {
  std::string_view tag;
  LossConf (*make_default)();
  std::vector<LossConf> (*samples)();
};

// Returns one row for each of AllLosses, in its order. A type without a tag, keys or samples is a
// compile error.
std::span<const LossType> LossTypes();

std::string_view TagOf(const LossConf& loss);
const Labels& LabelsOf(const LossConf& loss);
// Returns whether labels are classes, one for each example or step.
bool PredictsClasses(const LossConf& loss);
// Returns whether the loss compares whole sequences with sequences of classes.
bool JudgesSequences(const LossConf& loss);
// Returns whether predictions are correct or wrong: predicted classes, or sequences of classes.
bool HasAccuracy(const LossConf& loss);
// WantsBalancedClasses returns whether the class weights are "balanced". SetClassWeights replaces
// them by numbers. REQUIRES for SetClassWeights: the loss has class weights.
bool WantsBalancedClasses(const LossConf& loss);
void SetClassWeights(std::vector<double> weights, LossConf& loss);
// Checks the layer whose outputs the loss uses, with Check of the loss. Adds mistakes.
void CheckJudged(const LossConf& loss, const Output& output, Mistakes& mistakes);

std::vector<LossConf> DefaultsOf(const LossConf*);
// Returns the tag alone if all keys have their defaults, otherwise "type" and the loss's keys.
// Documents that are older than the keys of losses have the tag alone. Changing a default would
// change their meaning (docs/adding.md, "A version of a document").
Json ToJson(const LossConf& loss);
void ReadValue(JsonObjectReader& reader, std::string_view key, LossConf& out);
void CheckValue(const Field& field, const LossConf& loss, Mistakes& mistakes);
void DescribeValue(const Field& field, const LossConf& loss, std::vector<KeyRow>& rows);

}  // namespace dl::nn
