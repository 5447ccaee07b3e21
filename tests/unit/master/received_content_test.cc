// A complete contribution must match its announcement.
#include "master/merge/received_content.h"

#include <gtest/gtest.h>

#include "averaging/average.h"
#include "base/checksum.h"
#include "base/part_name.h"
#include "tests/support/merge_contributions.h"
#include "tests/support/status_matchers.h"

namespace dl::master {
namespace {

TEST(ReceivedContent, KeptPartMatchesAnnouncement) {
  SegmentTable table;
  table.Add("w", SegmentKind::kParameter, {4});
  table.Add("w/momentum", SegmentKind::kUpdater, {4});
  const averaging::Average strategy(
      *averaging::StateLayout::Create(table, averaging::UpdaterStatePolicy::kKeep));
  const std::vector<float> values = {1, 2, 3, 4, 5, 6, 7, 8};
  const SharedVector vector = CopyVector(values).value();
  const auto own = strategy.layout().PartsWith(averaging::PartScope::kWorker);
  ASSERT_EQ(own.size(), 1u);
  std::vector<rpc::NamedPart> parts = {
      {own[0]->name, PartSha256(own[0]->table, own[0]->In(vector->span()))}};
  const averaging::Magnitudes magnitudes = *strategy.Measure(vector->span());
  const AnnouncedContent announced{
      .hash = Xxh3(std::as_bytes(std::span(values))), .magnitudes = magnitudes, .parts = parts};
  DL_EXPECT_OK(CheckContribution(strategy, *vector, announced));
  parts[0].sha256 = Sha256Hex("of another worker");
  EXPECT_THAT(CheckContribution(strategy, *vector, announced),
              test::IsError(absl::StatusCode::kDataLoss,
                            "the worker's own part of a contribution differs"));
}

}  // namespace
}  // namespace dl::master
