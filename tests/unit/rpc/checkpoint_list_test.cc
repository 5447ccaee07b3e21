#include "rpc/checkpoint_list.h"

#include "base/json.h"
#include "gtest/gtest.h"

namespace dl::rpc {
namespace {

// Returns the round of the checkpoint with this name in the list, or -1.
int64_t Found(const Json& list, const std::string& name) {
  const auto round = ParseRound(name);
  EXPECT_TRUE(round) << name;
  const Json* const found = round ? FindCheckpoint(list, *round) : nullptr;
  return found == nullptr ? -1 : found->at("round").get<int64_t>();
}

TEST(CheckpointList, NamesFindTheirCheckpoint) {
  const Json list = {{{"round", 10}},
                     {{"round", 20}, {"best", true}, {"test", {{"loss", 0.5}}}},
                     {{"round", 30}},
                     {{"round", 40}, {"set_aside", 2}, {"best", true}, {"test", {{"loss", 0.1}}}}};
  EXPECT_EQ(Found(list, "10"), 10);
  EXPECT_EQ(Found(list, "best"), 20);
  EXPECT_EQ(Found(list, "last"), 30);
  EXPECT_EQ(Found(list, "40~2"), 40);
  for (const char* missing : {"15", "40", "40~1", "30~2"}) EXPECT_EQ(Found(list, missing), -1);
}

TEST(CheckpointList, BestNeedsResultOnTestSet) {
  EXPECT_EQ(Found(Json::array({{{"round", 10}, {"best", true}}}), "best"), -1);
}

TEST(CheckpointList, EmptyListHasNoCheckpoint) {
  for (const char* name : {"0", "best", "last"}) EXPECT_EQ(Found(Json::array(), name), -1);
}

TEST(CheckpointList, OtherTextIsNoRound) {
  for (const char* text : {"", "newest", "-1", "1~0", "1~x", "~1", "best~1"})
    EXPECT_FALSE(ParseRound(text)) << text;
}

}  // namespace
}  // namespace dl::rpc
