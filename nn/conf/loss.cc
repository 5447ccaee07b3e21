#include "nn/conf/loss.h"

#include "absl/strings/str_join.h"
#include "nn/conf/kinds.h"
#include "nn/conf/typed_object.h"

namespace dl::nn {

LossConf SoftmaxCrossEntropy() { return {LossKind::kSoftmaxCrossEntropy}; }
LossConf MeanSquaredError() { return {LossKind::kMeanSquaredError}; }

std::string_view LossTag(LossKind kind) {
  switch (kind) {
    case LossKind::kSoftmaxCrossEntropy:
      return "softmax_cross_entropy";
    case LossKind::kMeanSquaredError:
      return "mean_squared_error";
  }
  return kNoTag;
}

bool PredictsClasses(LossKind kind) {
  switch (kind) {
    case LossKind::kSoftmaxCrossEntropy:
      return true;
    case LossKind::kMeanSquaredError:
      return false;
  }
  return false;
}

Json ToJson(const LossConf& loss) { return LossTag(loss.kind); }

void ReadValue(JsonObjectReader& reader, std::string_view key, LossConf& out) {
  std::vector<std::string_view> tags;
  for (const LossKind kind : AllKinds(LossTag)) tags.push_back(LossTag(kind));
  std::string tag(LossTag(out.kind));
  reader.OneOf(key, tag, tags);
  for (const LossKind kind : AllKinds(LossTag)) {
    if (LossTag(kind) == tag) out = {kind};
  }
}

void DescribeValue(const Field& field, const LossConf& loss, std::vector<KeyRow>& rows) {
  KeyRow row = RowOf(field, KeyType::kChoice, ToJson(loss));
  std::vector<std::string> tags;
  for (const LossKind kind : AllKinds(LossTag)) tags.emplace_back(LossTag(kind));
  row.choices = absl::StrJoin(tags, "|");
  rows.push_back(std::move(row));
}

}  // namespace dl::nn
