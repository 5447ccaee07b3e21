#include "base/piece_verifier.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/limits.h"

namespace dl {

static_assert(limits::kMaxBufferFloats * static_cast<int64_t>(sizeof(float)) / kPieceBytes *
                  kPieceHashBytes <=
              limits::kMaxPieceHashesBytes);

StatusOr<PieceVerifier> PieceVerifier::Create(const SegmentTable& table, std::string name,
                                              PieceHashes pieces) {
  const auto size = static_cast<int64_t>(pieces.size());
  if (const int64_t expected = PieceHashesBytes(table); size != expected) {
    return DataLoss({.message = absl::StrCat("a list of piece hashes has ", size,
                                             " bytes, but a part of this size needs ", expected),
                     .where = std::move(name)});
  }
  if (PartSha256OfPieces(table, pieces) != name) {
    return DataLoss({.message = "a list of piece hashes does not match the hash of its part",
                     .where = std::move(name)});
  }
  const int64_t bytes = table.size() * static_cast<int64_t>(sizeof(float));
  return PieceVerifier(std::move(name), std::move(pieces), bytes);
}

Status PieceVerifier::Verify(std::span<const std::byte> arrived) {
  const auto there = static_cast<int64_t>(arrived.size());
  DL_CHECK(there <= bytes_);
  const int64_t whole = there == bytes_ ? bytes_ : there - there % kPieceBytes;
  if (whole <= verified_) return absl::OkStatus();
  const PieceHashes found = HashPieces(arrived.subspan(verified_, whole - verified_));
  const auto expected = pieces_.begin() + verified_ / kPieceBytes * kPieceHashBytes;
  const auto wrong = std::mismatch(found.begin(), found.end(), expected).first;
  if (wrong == found.end()) {
    verified_ = whole;
    return absl::OkStatus();
  }
  verified_ += (wrong - found.begin()) / kPieceHashBytes * kPieceBytes;
  return DataLoss({.message = absl::StrCat("the piece at byte ", verified_, " of a part of ",
                                           bytes_, " bytes does not match its hash"),
                   .where = name_});
}

}  // namespace dl
