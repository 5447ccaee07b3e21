// Losses as data. Each is a mean over the examples of the minibatch.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/json_fwd.h"
#include "nn/conf/field.h"
#include "nn/conf/key_row.h"

namespace dl::nn {

enum class LossKind : uint8_t;  // nn/conf/kinds.h

struct LossConf {
  LossKind kind{};  // softmax cross entropy
  bool operator==(const LossConf&) const = default;
};

// -log softmax(z)[label]; the softmax belongs to the loss, the output layer computes z.
LossConf SoftmaxCrossEntropy();
// mean over the outputs of (y - target)^2
LossConf MeanSquaredError();

// Whether labels are classes, one for each example; else they are as many numbers as outputs.
bool PredictsClasses(LossKind kind);

std::string_view LossTag(LossKind kind);  // "softmax_cross_entropy", "mean_squared_error"
Json ToJson(const LossConf& loss);        // the tag
void ReadValue(JsonObjectReader& reader, std::string_view key, LossConf& out);
inline void CheckValue(const Field&, const LossConf&, Mistakes&) {}
void DescribeValue(const Field& field, const LossConf& loss, std::vector<KeyRow>& rows);

}  // namespace dl::nn
