// Reads a part of a checkpoint piece by piece, so that it is never in memory as a whole.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "base/files.h"
#include "base/part_name.h"
#include "base/segment_table.h"
#include "base/status.h"
#include "inference/checkpoint_reading.h"

namespace dl::inference {

// Immutable, thread-safe.
class PartReader {
 public:
  // `key` and `name` are those of the part, `reading` is the reading of its checkpoint. Fetches the
  // hashes of the pieces, and verifies that the name is their root. Fetches nothing for an empty
  // part. Returns DataLoss if the verification fails, and errors of executor::FetchNext.
  static StatusOr<PartReader> Open(std::shared_ptr<CheckpointReading> reading, std::string key,
                                   const SegmentTable& table, const std::string& name);

  int64_t bytes() const { return bytes_; }  // of the part
  // Returns an upper bound of the memory that this object and one call of Read take together.
  int64_t HeldBytes() const;

  // Passes the bytes [first, end) to the sink, all verified. Fetches damaged pieces again, at most
  // limits::kMaxPieceRetries times in a call. Calls EndReading() before it passes on the last of
  // these bytes, so that their receiver can delete the job. Returns DataLoss if a piece is still
  // damaged, and errors of executor::FetchNext and of the sink. REQUIRES: 0 <= first <= end <=
  // bytes().
  Status Read(int64_t first, int64_t end, ByteSink sink) const;
  // Ends the reading of the checkpoint (CheckpointReading::End), until the next Read().
  void EndReading() const { reading_->End(); }

 private:
  PartReader(std::shared_ptr<CheckpointReading> reading, std::string key, int64_t bytes)
      : reading_(std::move(reading)), key_(std::move(key)), bytes_(bytes) {}

  // Fetches the piece that begins at `offset`, without verifying it.
  StatusOr<std::string> FetchPiece(int64_t offset, PieceHashes* hashes) const;

  std::string Place() const;  // "JOB@ROUND/KEY"

  std::shared_ptr<CheckpointReading> reading_;  // shared with copies of this object
  std::string key_;
  int64_t bytes_ = 0;
  PieceHashes hashes_;
};

}  // namespace dl::inference
