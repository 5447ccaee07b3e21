// Verifies a part piece by piece while its bytes arrive. What its name says is known of each piece
// from the list of their hashes, which is verified first: it has to lead to the name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "base/part_name.h"
#include "base/segment_table.h"
#include "base/status.h"

namespace dl {

// Not thread-safe.
class PieceVerifier {
 public:
  // DataLoss when the list has not a hash for each piece of a part of that table, or does not lead
  // to the name.
  static StatusOr<PieceVerifier> Create(const SegmentTable& table, std::string name,
                                        PieceHashes pieces);

  int64_t bytes() const { return bytes_; }  // of the part
  const PieceHashes& pieces() const { return pieces_; }

  // `arrived`: the part's bytes from its begin, as far as they are there; in what chunks they came
  // is all the same. Verifies the pieces that have become whole, on several cores where they are
  // several. DataLoss for the first that is not what its hash says: verified() is its begin, and
  // the next call looks at it again. REQUIRES: arrived.size() <= bytes().
  Status Verify(std::span<const std::byte> arrived);
  // Bytes from the begin that are what the name says: bytes() when the whole part is.
  int64_t verified() const { return verified_; }
  // The part arrives from its begin once more.
  void Restart() { verified_ = 0; }

 private:
  PieceVerifier(std::string name, PieceHashes pieces, int64_t bytes)
      : name_(std::move(name)), pieces_(std::move(pieces)), bytes_(bytes) {}

  std::string name_;
  PieceHashes pieces_;
  int64_t bytes_ = 0;
  int64_t verified_ = 0;  // whole pieces
};

}  // namespace dl
