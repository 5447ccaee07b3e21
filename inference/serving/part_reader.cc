#include "inference/serving/part_reader.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/limits.h"
#include "executor/transfer.h"
#include "rpc/messages.h"

namespace dl::inference {

StatusOr<PartReader> PartReader::Open(std::shared_ptr<CheckpointReading> reading, std::string key,
                                      const SegmentTable& table, const std::string& name) {
  PartReader reader(std::move(reading), std::move(key), table.size() * int64_t{sizeof(float)});
  if (reader.bytes_ == 0) return reader;  // an empty part needs no call
  DL_RETURN_IF_ERROR(reader.FetchPiece(0, &reader.hashes_).status());
  if (std::ssize(reader.hashes_) != PieceHashesBytes(table) ||
      PartSha256OfPieces(table, reader.hashes_) != name) {
    return DataLoss({.message = "the hashes of its pieces do not lead to the name of the part",
                     .where = reader.Place()});
  }
  return reader;
}

std::string PartReader::Place() const { return absl::StrCat(reading_->checkpoint(), "/", key_); }

int64_t PartReader::HeldBytes() const { return std::ssize(hashes_) + 2 * kPieceBytes; }

StatusOr<std::string> PartReader::FetchPiece(int64_t offset, PieceHashes* hashes) const {
  const int64_t size = std::min(kPieceBytes, bytes_ - offset);
  std::string piece;
  while (std::ssize(piece) < size) {
    const int64_t at = offset + std::ssize(piece);
    const auto fetch = [&](int64_t from, int64_t length) {
      return reading_->Fetch(key_, from, std::min(length, size - std::ssize(piece)));
    };
    DL_ASSIGN_OR_RETURN(rpc::Chunk chunk, executor::FetchNext(fetch, at, bytes_));
    if (hashes != nullptr && at == 0) *hashes = std::move(chunk.piece_hashes);
    // The master may send more than the requested bytes.
    chunk.bytes.resize(std::min<size_t>(chunk.bytes.size(), size - piece.size()));
    piece += chunk.bytes;
  }
  return piece;
}

Status PartReader::Read(int64_t first, int64_t end, ByteSink sink) const {
  int again = 0;
  int64_t at = first;
  while (at < end) {
    const int64_t begin = at / kPieceBytes * kPieceBytes;
    DL_ASSIGN_OR_RETURN(const std::string piece, FetchPiece(begin, nullptr));
    const std::string_view hash = std::string_view(hashes_).substr(
        static_cast<size_t>(begin / kPieceBytes * kPieceHashBytes), kPieceHashBytes);
    if (HashPieces(std::as_bytes(std::span(piece))) != hash) {
      if (++again <= limits::kMaxPieceRetries) continue;
      return DataLoss(
          {.message = absl::StrCat("the bytes from ", begin, " on do not match their hash"),
           .where = Place()});
    }
    const int64_t until = std::min(end, begin + std::ssize(piece));
    if (until == end) reading_->End();
    DL_RETURN_IF_ERROR(sink(std::string_view(piece).substr(static_cast<size_t>(at - begin),
                                                           static_cast<size_t>(until - at))));
    at = until;
  }
  return absl::OkStatus();
}

}  // namespace dl::inference
