#include "executor/transfer.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/checksum.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/piece_verifier.h"
#include "base/thread.h"
#include "executor/fault.h"
#include "rpc/messages.h"

namespace dl::executor {
namespace {

Status CheckChunk(const rpc::Chunk& chunk, int64_t offset, int64_t total) {
  const int64_t size = static_cast<int64_t>(chunk.bytes.size());
  if (chunk.offset != offset || chunk.total != total || size > total - offset ||
      (size == 0 && offset != total)) {
    return WithFault(
        rpc::Fault::kMaster,
        InvalidArgument({.message = absl::StrCat("the master sent ", size, " bytes at offset ",
                                                 chunk.offset, " of ", chunk.total, ", but offset ",
                                                 offset, " of ", total, " was requested")}));
  }
  if (Xxh3(chunk.bytes) != chunk.chunk_xxh3) {
    return WithFault(rpc::Fault::kNetwork,
                     Unavailable({.message = "a chunk was damaged during the transfer",
                                  .remedy = "Fetch it again"}));
  }
  return absl::OkStatus();
}

std::string_view Text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Returns `size` bytes from `offset` on of the content that the pieces form.
std::string BytesAt(std::span<const std::span<const std::byte>> pieces, int64_t offset,
                    int64_t size) {
  std::string bytes;
  bytes.reserve(static_cast<size_t>(size));
  auto before = static_cast<size_t>(offset);
  for (const std::span<const std::byte> piece : pieces) {
    const size_t skipped = std::min(before, piece.size());
    before -= skipped;
    const size_t left = static_cast<size_t>(size) - bytes.size();
    bytes.append(Text(piece.subspan(skipped, std::min(piece.size() - skipped, left))));
  }
  return bytes;
}

}  // namespace

StatusOr<rpc::Chunk> FetchNext(const FetchChunk& fetch, int64_t offset, int64_t total) {
  DL_ASSIGN_OR_RETURN(rpc::Chunk chunk,
                      WithCallFault(fetch(offset, std::min(limits::kChunkBytes, total - offset))));
  DL_RETURN_IF_ERROR(CheckChunk(chunk, offset, total));
  return chunk;
}

StatusOr<PieceHashes> FetchPart(const FetchChunk& fetch, const SegmentTable& table,
                                const std::string& name, std::span<std::byte> out) {
  const auto total = static_cast<int64_t>(out.size());
  std::optional<PieceVerifier> pieces;
  const auto begin = [&](PieceHashes hashes) -> Status {
    auto verifier = PieceVerifier::Create(table, name, std::move(hashes));
    if (verifier.ok()) pieces = *std::move(verifier);
    return WithFault(rpc::Fault::kMaster, verifier.status());
  };
  if (total == 0) DL_RETURN_IF_ERROR(begin({}));  // an empty part needs no call
  int64_t arrived = 0;
  int again = 0;
  Status verified;
  Thread verifying;
  while (arrived < total || !verified.ok()) {
    std::optional<StatusOr<rpc::Chunk>> next;
    if (arrived < total) next = FetchNext(fetch, arrived, total);
    verifying.Join();
    if (!verified.ok()) {
      if (++again > limits::kMaxPieceRetries) {
        return WithFault(rpc::Fault::kMaster,
                         WithContext(verified, absl::StrCat("asked again ", again - 1, " times")));
      }
      LogWarning("requesting damaged bytes again: ", DescribeError(verified));
      arrived = pieces->verified();
      verified = absl::OkStatus();
      continue;
    }
    DL_RETURN_IF_ERROR(next->status());
    rpc::Chunk& chunk = **next;
    if (!pieces) DL_RETURN_IF_ERROR(begin(std::move(chunk.piece_hashes)));
    std::memcpy(out.data() + arrived, chunk.bytes.data(), chunk.bytes.size());
    arrived += static_cast<int64_t>(chunk.bytes.size());
    const auto verify = [&verified, &pieces, there = out.first(arrived)] {
      verified = pieces->Verify(there);
    };
    auto beside = arrived < total ? Thread::Start("verify", verify) : Thread();
    if (beside.ok()) verifying = *std::move(beside);
    // This is the last chunk, or no thread could be started.
    if (arrived == total || !beside.ok()) verify();
  }
  return pieces->pieces();
}

StatusOr<std::string> FetchContent(const FetchChunk& fetch, int64_t max_bytes) {
  std::string whole;
  int64_t total = -1;
  do {
    const int64_t offset = static_cast<int64_t>(whole.size());
    DL_ASSIGN_OR_RETURN(rpc::Chunk chunk, WithCallFault(fetch(offset, limits::kChunkBytes)));
    if (total < 0) total = chunk.total;
    if (total < 0 || total > max_bytes) {
      return WithFault(
          rpc::Fault::kMaster,
          ResourceExhausted({.message = absl::StrCat("a transfer of ", total,
                                                     " bytes exceeds the limit of ", max_bytes)}));
    }
    DL_RETURN_IF_ERROR(CheckChunk(chunk, offset, total));
    whole += chunk.bytes;
  } while (static_cast<int64_t>(whole.size()) < total);
  return whole;
}

StatusOr<rpc::ContributionReply> SendContributionBytes(
    const ContributionTarget& target, const rpc::ContributionChunk& name,
    std::span<const std::span<const std::byte>> pieces) {
  rpc::ContributionChunk chunk = name;
  chunk.total = 0;
  for (const std::span<const std::byte> piece : pieces)
    chunk.total += static_cast<int64_t>(piece.size());
  for (chunk.offset = 0;;) {
    const int64_t size = std::min(target.chunk_bytes, chunk.total - chunk.offset);
    chunk.bytes = BytesAt(pieces, chunk.offset, size);
    chunk.chunk_xxh3 = Xxh3(chunk.bytes);
    DL_ASSIGN_OR_RETURN(rpc::ContributionReply reply,
                        target.master.Contribute(chunk, limits::kBulkDeadline));
    target.moved.Add(size);
    if (reply.receipt != rpc::Receipt::kMore) return reply;
    // Bytes that the master has from an earlier delivery are skipped.
    if (reply.received <= chunk.offset || reply.received >= chunk.total) {
      return Unavailable(
          {.message = absl::StrCat("the master requests bytes from offset ", reply.received, " of ",
                                   chunk.total, " after it received offset ", chunk.offset),
           .remedy = "Send the whole contribution again"});
    }
    chunk.offset = reply.received;
  }
}

Status SendPart(rpc::ExecutorService& master, const rpc::OfferChunk& name,
                std::span<const std::byte> bytes) {
  rpc::OfferChunk chunk = name;
  chunk.total = static_cast<int64_t>(bytes.size());
  for (chunk.offset = 0; chunk.offset < chunk.total;) {
    const auto slice =
        bytes.subspan(chunk.offset, std::min(limits::kChunkBytes, chunk.total - chunk.offset));
    chunk.bytes.assign(Text(slice));
    chunk.chunk_xxh3 = Xxh3(slice);
    DL_RETURN_IF_ERROR(master.OfferPart(chunk, limits::kBulkDeadline));
    chunk.offset += static_cast<int64_t>(slice.size());
    chunk.piece_hashes.clear();
  }
  return absl::OkStatus();
}

}  // namespace dl::executor
