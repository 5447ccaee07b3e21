// A part is verified against its name while it arrives, for any chunk sizes.
#include "base/piece_verifier.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"

namespace dl {
namespace {

using test::IsError;

constexpr int64_t kPieceFloats = kPieceBytes / static_cast<int64_t>(sizeof(float));

struct Part {
  explicit Part(int64_t floats) : values(floats) {
    table.Add("w", SegmentKind::kParameter, {floats});
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
    const PartContent content{&table, values};
    hashes = HashParts({&content, 1}).front();
  }
  StatusOr<PieceVerifier> Verifier() const {
    return PieceVerifier::Create(table, hashes.name, hashes.pieces);
  }
  std::span<const std::byte> bytes() const { return std::as_bytes(std::span(values)); }

  SegmentTable table;
  std::vector<float> values;
  PartHashes hashes;
};

TEST(PieceVerifier, PiecesAreVerifiedWhenTheyAreWhole) {
  const Part part(2 * kPieceFloats + 5);
  auto pieces = part.Verifier();
  DL_ASSERT_OK(pieces);
  const int64_t all = 2 * kPieceBytes + 20;
  ASSERT_EQ(pieces->bytes(), all);
  for (const auto& [there, verified] :
       std::vector<std::pair<int64_t, int64_t>>{{0, 0},
                                                {kPieceBytes - 1, 0},
                                                {kPieceBytes, kPieceBytes},
                                                {kPieceBytes + 1, kPieceBytes},
                                                {all - 1, 2 * kPieceBytes},
                                                {all, all},
                                                {all, all}}) {
    DL_EXPECT_OK(pieces->Verify(part.bytes().first(there)));
    EXPECT_EQ(pieces->verified(), verified) << there;
  }
}

TEST(PieceVerifier, ChunksNeedNotEndWherePiecesDo) {
  const Part part(3 * kPieceFloats + 1);
  for (const int64_t chunk :
       {int64_t{777'777}, kPieceBytes, 5 * kPieceBytes / 4, 2 * kPieceBytes, 9 * kPieceBytes}) {
    auto pieces = part.Verifier();
    DL_ASSERT_OK(pieces);
    for (int64_t there = 0; there < pieces->bytes();) {
      there = std::min(pieces->bytes(), there + chunk);
      DL_EXPECT_OK(pieces->Verify(part.bytes().first(there)));
    }
    EXPECT_EQ(pieces->verified(), pieces->bytes()) << chunk;
  }
}

// The last piece is short. A longer or shorter piece is not the same piece.
TEST(PieceVerifier, FirstWrongPieceIsNamed) {
  for (const int64_t at : {int64_t{0}, kPieceFloats - 1, kPieceFloats, 2 * kPieceFloats + 4}) {
    Part part(2 * kPieceFloats + 5);
    auto pieces = part.Verifier();
    DL_ASSERT_OK(pieces);
    const float right = part.values[at];
    part.values[at] += 1;
    const int64_t begin = at / kPieceFloats * kPieceBytes;
    EXPECT_THAT(pieces->Verify(part.bytes()),
                IsError(absl::StatusCode::kDataLoss, "the piece at byte " + std::to_string(begin)));
    EXPECT_EQ(pieces->verified(), begin);
    EXPECT_FALSE(pieces->Verify(part.bytes()).ok()) << "it is looked at again";
    part.values[at] = right;
    DL_EXPECT_OK(pieces->Verify(part.bytes()));
    EXPECT_EQ(pieces->verified(), pieces->bytes());
  }
}

TEST(PieceVerifier, VerifiedPieceIsCheckedOnlyIfReceivedAgain) {
  Part part(2 * kPieceFloats);
  auto pieces = part.Verifier();
  DL_ASSERT_OK(pieces);
  DL_EXPECT_OK(pieces->Verify(part.bytes().first(kPieceBytes)));
  part.values[0] += 1;
  DL_EXPECT_OK(pieces->Verify(part.bytes()));
  pieces->Restart();
  EXPECT_EQ(pieces->verified(), 0);
  EXPECT_THAT(pieces->Verify(part.bytes().first(kPieceBytes)),
              IsError(absl::StatusCode::kDataLoss, "the piece at byte 0"));
}

TEST(PieceVerifier, ListWithOtherNameIsRefused) {
  const Part part(2 * kPieceFloats + 5);
  const auto refused = [&](PieceHashes list, const char* why) {
    EXPECT_THAT(PieceVerifier::Create(part.table, part.hashes.name, std::move(list)).status(),
                IsError(absl::StatusCode::kDataLoss, why));
  };
  constexpr char kSize[] = "but a part of this size needs 96",
                 kOther[] = "does not match the hash of its part";
  const PieceHashes& right = part.hashes.pieces;
  refused("", kSize);
  refused(right.substr(0, 64), kSize);
  refused(right.substr(0, 95), kSize);
  refused(right + right.substr(0, 32), kSize);
  for (const size_t at : {size_t{0}, size_t{40}, size_t{95}}) {
    PieceHashes wrong = right;
    wrong[at] = static_cast<char>(wrong[at] ^ 1);
    refused(wrong, kOther);
  }
  refused(right.substr(32, 32) + right.substr(0, 32) + right.substr(64), kOther);
  DL_EXPECT_OK(PieceVerifier::Create(part.table, part.hashes.name, right).status());
}

// A list for a part with as many pieces, and a list for a part with equal bytes.
TEST(PieceVerifier, ListOfOtherTableIsRefused) {
  const Part part(kPieceFloats + 6), larger(kPieceFloats + 7);
  EXPECT_THAT(PieceVerifier::Create(larger.table, part.hashes.name, part.hashes.pieces).status(),
              IsError(absl::StatusCode::kDataLoss, "does not match the hash of its part"));
  SegmentTable other;
  other.Add("w", SegmentKind::kUpdater, {kPieceFloats + 6});
  EXPECT_THAT(PieceVerifier::Create(other, part.hashes.name, part.hashes.pieces).status(),
              IsError(absl::StatusCode::kDataLoss, "does not match the hash of its part"));
}

TEST(PieceVerifier, EmptyPartHasNameAndNoPieces) {
  const Part part(0);
  auto pieces = part.Verifier();
  DL_ASSERT_OK(pieces);
  EXPECT_EQ(pieces->bytes(), 0);
  DL_EXPECT_OK(pieces->Verify({}));
  EXPECT_EQ(pieces->verified(), 0);
  EXPECT_FALSE(
      PieceVerifier::Create(part.table, part.hashes.name, PieceHashes(32, 'x')).status().ok());
  EXPECT_FALSE(PieceVerifier::Create(part.table, std::string(64, '0'), {}).status().ok());
}

}  // namespace
}  // namespace dl
