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
  // `place` is "JOB@ROUND/KEY", `name` the part's name. Fetches the piece hashes, and verifies that
  // they lead to the name. Returns DataLoss if they do not, and errors of executor::FetchNext.
  // `client` must outlive this object.
  static StatusOr<PartReader> Open(rpc::ClientService& client, std::string place,
                                   const SegmentTable& table, const std::string& name);

  int64_t bytes() const { return bytes_; }  // of the part
  // Returns the most bytes that this object and a call of Read hold.
  int64_t HeldBytes() const;

  // Passes the bytes [first, end) to the sink. Every byte was verified. Fetches a damaged piece
  // again, at most limits::kMaxPiecesAgain times in all. Returns DataLoss for one damaged piece
  // more, and errors of executor::FetchNext and of the sink. REQUIRES: 0 <= first <= end <=
  // bytes().
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
