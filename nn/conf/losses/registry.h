// All losses: the type that holds any of them, and the table that tests iterate.
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

// One row for each of AllLosses, in its order. A type without a tag, keys or samples
// does not compile.
std::span<const LossType> LossTypes();

std::string_view TagOf(const LossConf& loss);
const Labels& LabelsOf(const LossConf& loss);
// Whether labels are classes, one for each example.
bool PredictsClasses(const LossConf& loss);
// Whether it judges sequences as a whole, by sequences of classes.
bool JudgesSequences(const LossConf& loss);
// Whether some predictions are right and others not: of classes, or of sequences of them.
bool HasAccuracy(const LossConf& loss);
// Whether its class weights are "balanced", and numbers in their place. REQUIRES of the latter: a
// loss that has some.
bool WantsBalancedClasses(const LossConf& loss);
void SetClassWeights(std::vector<double> weights, LossConf& loss);
// Adds what the loss finds wrong with the layer that it judges.
void CheckJudged(const LossConf& loss, const Output& output, Mistakes& mistakes);

std::vector<LossConf> DefaultsOf(const LossConf*);
// The tag alone where all keys have their defaults, as all documents from before losses had keys
// have it: a default that is changed changes what they mean (docs/adding.md, "A version of a
// document"). Else "type" and the loss's keys.
Json ToJson(const LossConf& loss);
void ReadValue(JsonObjectReader& reader, std::string_view key, LossConf& out);
void CheckValue(const Field& field, const LossConf& loss, Mistakes& mistakes);
void DescribeValue(const Field& field, const LossConf& loss, std::vector<KeyRow>& rows);

}  // namespace dl::nn
