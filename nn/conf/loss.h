// Losses as data. Each is a mean over the examples of the minibatch.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "nn/conf/field.h"
#include "nn/conf/key_row.h"

namespace dl::nn {

enum class LossKind : uint8_t { kSoftmaxCrossEntropy, kMeanSquaredError };

struct LossConf {
  LossKind kind = LossKind::kSoftmaxCrossEntropy;
  bool operator==(const LossConf&) const = default;
};

// -log softmax(z)[label]; the softmax belongs to the loss, the output layer computes z.
inline LossConf SoftmaxCrossEntropy() { return {LossKind::kSoftmaxCrossEntropy}; }
// mean over the outputs of (y - target)^2
inline LossConf MeanSquaredError() { return {LossKind::kMeanSquaredError}; }

// Whether labels are classes, one for each example; else they are as many numbers as outputs.
bool PredictsClasses(LossKind kind);

std::string_view LossTag(LossKind kind);  // "softmax_cross_entropy", "mean_squared_error"
Json ToJson(const LossConf& loss);        // the tag
void ReadValue(JsonObjectReader& reader, std::string_view key, LossConf& out);
inline void CheckValue(const Field&, const LossConf&, Mistakes&) {}
void DescribeValue(const Field& field, const LossConf& loss, std::vector<KeyRow>& rows);

}  // namespace dl::nn
