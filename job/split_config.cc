#include "job/split_config.h"

#include "base/json.h"

namespace dl::job {

Json ToJson(const std::optional<SplitConfig>& split) {
  if (!split) return {};
  return {{"test_fraction", split->test_fraction},
          {"seed", split->seed},
          {"stratified", split->stratified},
          {"take", split->take == SplitTake::kLast ? "last" : "random"}};
}

void ReadSplit(JsonObjectReader& parent, std::optional<SplitConfig>& out) {
  const Json* json = parent.Child("split");
  if (json == nullptr || json->is_null()) return;
  JsonObjectReader reader(*json, parent.PathOf("split"));
  SplitConfig& split = out.emplace();
  reader.Double("test_fraction", split.test_fraction);
  reader.U64("seed", split.seed);
  reader.Bool("stratified", split.stratified);
  std::string take = "random";
  reader.OneOf("take", take, {"random", "last"});
  if (take == "last") split.take = SplitTake::kLast;
  parent.AddErrors(reader.Finish());
}

void CheckSplit(const SplitConfig& split, nn::Mistakes& mistakes) {
  mistakes.SetWhere("data.split");
  mistakes.Range("test_fraction", split.test_fraction, SplitConfig::kLeast, SplitConfig::kMost);
  if (split.take != SplitTake::kLast || !split.stratified) return;
  mistakes.Add("the last examples are the test set, and a stratified split draws from each class",
               "Set stratified to false, or take to \"random\"");
}

}  // namespace dl::job
