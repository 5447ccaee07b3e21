// Reads a part of a checkpoint piece by piece, so that it is never in memory as a whole.
#pragma once

#include <cstdint>
#include <string>

#include "base/files.h"
#include "base/part_name.h"
#include "base/segment_table.h"
#include "base/status.h"
#include "rpc/service.h"

namespace dl::inference {

// Immutable, thread-safe.
class PartReader {
 public:
  // `place` is "JOB@ROUND/KEY", `name` the part's name. Fetches the hashes of the pieces, and
  // verifies that the name is their root. Fetches nothing for an empty part. Returns DataLoss if
  // the verification fails, and errors of executor::FetchNext. `client` must outlive this object.
  static StatusOr<PartReader> Open(rpc::ClientService& client, std::string place,
                                   const SegmentTable& table, const std::string& name);

  int64_t bytes() const { return bytes_; }  // of the part
  // Returns an upper bound of the memory that this object and one call of Read take together.
  int64_t HeldBytes() const;

  // Passes the bytes [first, end) to the sink, all verified. Fetches damaged pieces again, at most
  // limits::kMaxPiecesAgain times in a call. Returns DataLoss if a piece is damaged after that, and
  // errors of executor::FetchNext and of the sink. REQUIRES: 0 <= first <= end <= bytes().
  Status Read(int64_t first, int64_t end, ByteSink sink) const;

 private:
  PartReader(rpc::ClientService& client, std::string place, int64_t bytes)
      : client_(&client), place_(std::move(place)), bytes_(bytes) {}

  // Fetches the piece that begins at `offset`, without verifying it.
  StatusOr<std::string> FetchPiece(int64_t offset, PieceHashes* hashes) const;

  rpc::ClientService* client_;
  std::string place_;
  int64_t bytes_ = 0;
  PieceHashes hashes_;
};

}  // namespace dl::inference
