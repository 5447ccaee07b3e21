// The names of a state's parts, and the piece hashes from which they are computed.
#include <gtest/gtest.h>

#include "averaging/average.h"
#include "master/merge/round_state.h"
#include "tests/support/status_matchers.h"

namespace dl::master {
namespace {

JobMaterial KeptUpdater() {
  SegmentTable table;
  table.Add("w", SegmentKind::kParameter, {3});
  table.Add("w/momentum", SegmentKind::kUpdater, {3});
  return {.strategy = std::make_shared<averaging::Average>(
              *averaging::StateLayout::Create(table, averaging::UpdaterStatePolicy::kKeep)),
          .workers = 2};
}

void ExpectListsOfAll(const JobMaterial& material, const RoundState& state) {
  for (const auto& [key, part] : KeysOf(material)) {
    const std::string& name = state.names.parts.at(key);
    EXPECT_EQ(PartSha256(part->table, state.parts.at(key)->span()), name) << key;
    ASSERT_TRUE(state.pieces.contains(name)) << key;
    EXPECT_EQ(PartSha256OfPieces(part->table, state.pieces.at(name)), name) << key;
  }
  EXPECT_EQ(StateSha256(state.names.parts), state.names.state_sha256);
}

TEST(NameState, UnchangedPartKeepsNameAndHashes) {
  const JobMaterial material = KeptUpdater();
  RoundState before, after;
  const SharedVector model = *CopyVector(std::vector<float>{1, 2, 3});
  const SharedVector idle = *CopyVector(std::vector<float>{4, 5, 6});
  before.parts = {{"model", model}, {"updater-0", idle}, {"updater-1", idle}};
  NameState(material, before);
  ExpectListsOfAll(material, before);
  EXPECT_EQ(before.pieces.size(), 2u) << "one list of what is one vector";
  after.parts = {{"model", *CopyVector(std::vector<float>{7, 8, 9})},
                 {"updater-0", *CopyVector(std::vector<float>{1, 1, 1})},
                 {"updater-1", idle}};
  NameState(material, after, &before);
  ExpectListsOfAll(material, after);
  EXPECT_EQ(after.names.parts.at("updater-1"), before.names.parts.at("updater-1"));
  EXPECT_EQ(after.pieces.size(), 3u) << "what is not of this state is not kept";
}

}  // namespace
}  // namespace dl::master
