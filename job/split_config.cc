#include "job/split_config.h"

#include "base/json.h"
#include "nn/conf/members.h"

namespace dl::job {

template <typename Self, typename Visit>
void SplitConfig::Fields(Self& self, Visit&& visit) {
  visit(nn::Field{.key = "test_fraction",
                  .min = SplitConfig::kLeast,
                  .max = SplitConfig::kMost,
                  .meaning = "Fraction of the examples in the test set"},
        self.test_fraction);
  visit(
      nn::Field{.key = "seed",
                .meaning =
                    "Seed that selects the examples. The job's seed does not change the selection"},
      self.seed);
  visit(nn::Field{.key = "stratified",
                  .meaning = "Whether the test set has this fraction of each class"},
        self.stratified);
  visit(nn::Field{.key = "take",
                  .meaning =
                      "`random` = random examples, `last` = the last examples of the source. With "
                      "`last`, training omits examples that share steps with the test set"},
        self.take);
}

void ReadValue(JsonObjectReader& parent, std::string_view key, SplitConfig& out) {
  nn::ReadValue<SplitConfig>(parent, key, out);
}
Json ToJson(const SplitConfig& split) { return nn::ToJson<SplitConfig>(split); }
void CheckValue(const nn::Field&, const SplitConfig& split, nn::Mistakes& mistakes) {
  CheckSplit(split, mistakes);
}
void DescribeValue(const nn::Field& field, const SplitConfig& split,
                   std::vector<nn::KeyRow>& rows) {
  nn::DescribeValue<SplitConfig>(field, split, rows);
}

void CheckSplit(const SplitConfig& split, nn::Mistakes& mistakes) {
  mistakes.SetWhere("data.split");
  nn::CheckFieldsByKey("", nn::MembersOf(split), mistakes);
  if (split.take != SplitTake::kLast || !split.stratified) return;
  mistakes.Add("a stratified split needs random examples, but take is \"last\"",
               "Set stratified to false, or take to \"random\"");
}

}  // namespace dl::job
