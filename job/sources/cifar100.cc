#include "job/sources/cifar100.h"

#include "base/json.h"

namespace dl::job {

void ReadValue(JsonObjectReader& reader, std::string_view key, Cifar100Labels& out) {
  std::string word = ToJson(out).get<std::string>();
  reader.OneOf(key, word, {"fine", "coarse"});
  out = word == "coarse" ? Cifar100Labels::kCoarse : Cifar100Labels::kFine;
}
Json ToJson(Cifar100Labels labels) { return labels == Cifar100Labels::kFine ? "fine" : "coarse"; }
void DescribeValue(const nn::Field& field, Cifar100Labels labels, std::vector<nn::KeyRow>& rows) {
  rows.push_back(nn::RowOf(field, nn::KeyType::kChoice, ToJson(labels)));
  rows.back().choices = "fine|coarse";
}

}  // namespace dl::job
