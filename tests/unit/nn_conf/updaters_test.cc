// Properties of every row of UpdaterTypes().
#include <set>

#include "base/json.h"
#include "gtest/gtest.h"
#include "nn/conf/members.h"
#include "nn/conf/segments.h"
#include "tests/unit/nn_conf/sample_models.h"

namespace dl::nn {
namespace {

// Returns the keys of an updater as JSON, without its type.
Json KeysOf(const UpdaterConf& updater) {
  Json json = ToJson(updater);
  json.erase("type");
  return json;
}

TEST(UpdaterTypes, HaveTagsOfTheirOwnAndSamplesThatDiffer) {
  std::set<std::string_view> tags;
  for (const UpdaterType& type : UpdaterTypes()) {
    EXPECT_TRUE(tags.insert(type.tag).second) << type.tag << " twice";
    EXPECT_EQ(TagOf(type.make_default()), type.tag);
    const std::vector<UpdaterConf> samples = type.samples();
    ASSERT_FALSE(samples.empty()) << type.tag;
    // Each key must differ from its default in some sample; else no test would notice a missing
    // key.
    const Json standard = KeysOf(type.make_default());
    for (const auto& [key, value] : standard.items()) {
      bool varies = false;
      for (const UpdaterConf& sample : samples) varies |= KeysOf(sample).at(key) != value;
      EXPECT_TRUE(varies) << "no sample of " << type.tag << " sets " << key;
    }
  }
}

TEST(UpdaterTypes, DefaultsAndSamplesPassTheirOwnCheck) {
  for (const UpdaterType& type : UpdaterTypes()) {
    std::vector<UpdaterConf> all = type.samples();
    all.push_back(type.make_default());
    for (const UpdaterConf& updater : all) {
      Mistakes mistakes;
      CheckFields(MembersOf(updater), mistakes);
      EXPECT_TRUE(mistakes.empty()) << ToJson(updater).dump() << mistakes.ToStatus();
    }
  }
}

// Merges depend only on the kind of a segment, so the state of a new updater is averaged, reset or
// kept as the job says.
TEST(UpdaterTypes, EveryParameterHasEachStateInItsShape) {
  for (const UpdaterType& type : UpdaterTypes()) {
    const UpdaterConf updater = type.make_default();
    const SegmentTable table = FullTable(*SmallWithMoments(updater).Build());
    const auto states = static_cast<int64_t>(StateNamesOf(updater).size());
    EXPECT_EQ(table.SizeOf(SegmentKind::kUpdater), states * table.SizeOf(SegmentKind::kParameter))
        << type.tag;
    for (const Segment& parameter : table.segments()) {
      if (parameter.kind != SegmentKind::kParameter) continue;
      for (const std::string_view name : StateNamesOf(updater)) {
        const Segment* state = table.Find(parameter.name + "/" + std::string(name));
        ASSERT_NE(state, nullptr) << type.tag << " " << parameter.name << " " << name;
        EXPECT_EQ(state->kind, SegmentKind::kUpdater);
        EXPECT_EQ(state->shape, parameter.shape);
      }
    }
  }
}

}  // namespace
}  // namespace dl::nn
