// Verifies a part piece by piece while its bytes arrive. The list of piece hashes is verified
// first: it must lead to the part's name.
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
  // `name` is the part's name, `pieces` the received list. Returns DataLoss if the list does not
  // have one hash per piece of a part with this table, or does not lead to the name.
  static StatusOr<PieceVerifier> Create(const SegmentTable& table, std::string name,
                                        PieceHashes pieces);

  int64_t bytes() const { return bytes_; }  // of the part
  const PieceHashes& pieces() const { return pieces_; }

  // Verifies the pieces that have become complete, on several cores if there are several. `arrived`
  // holds the part's bytes from its start as far as they have arrived, in chunks of any size.
  // Returns DataLoss for the first piece that does not match its hash. verified() is then the start
  // of that piece, and the next call verifies it again. REQUIRES: arrived.size() <= bytes().
  Status Verify(std::span<const std::byte> arrived);
  // Returns the number of verified bytes from the start; bytes() if the whole part is verified.
  int64_t verified() const { return verified_; }
  // Starts again at the first byte, because the part is sent again.
  void Restart() { verified_ = 0; }

 private:
  PieceVerifier(std::string name, PieceHashes pieces, int64_t bytes)
      : name_(std::move(name)), pieces_(std::move(pieces)), bytes_(bytes) {}

  std::string name_;
  PieceHashes pieces_;
  int64_t bytes_ = 0;
  int64_t verified_ = 0;  // bytes of complete pieces
};

}  // namespace dl
