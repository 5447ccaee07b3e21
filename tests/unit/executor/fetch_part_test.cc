// A part is verified while it arrives. The sender's chunks have correct checksums and wrong
// content.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <utility>
#include <vector>

#include "base/checksum.h"
#include "base/limits.h"
#include "base/part_name.h"
#include "executor/fault.h"
#include "executor/state_exchange.h"
#include "executor/transfer.h"
#include "rpc/messages.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/rpc/fake_master.h"

namespace dl::executor {
namespace {

using test::IsError;

constexpr int64_t kPieceFloats = kPieceBytes / static_cast<int64_t>(sizeof(float));
constexpr int kMaxCalls = 50;  // more than any fetch in these tests may make

class FetchPartTest : public testing::Test {
 protected:
  // Three chunks: two whole chunks, and one that has a piece and a half.
  static constexpr int64_t kFloats = 9 * kPieceFloats + kPieceFloats / 2;

  FetchPartTest() : values_(kFloats), out_(kFloats) {
    static_assert(limits::kChunkBytes == 4 * kPieceBytes);
    for (size_t i = 0; i < values_.size(); ++i) values_[i] = static_cast<float>(i);
    table_.Add("w", SegmentKind::kParameter, {kFloats});
    const PartContent content{&table_, values_};
    part_ = HashParts({&content, 1}).front();
  }

  // Returns a chunk with a correct checksum, as a master does. `spoil_` may change it first.
  StatusOr<rpc::Chunk> Send(int64_t offset, int64_t length) {
    if (calls_.size() == kMaxCalls) return Internal({.message = "asked without end"});
    calls_.emplace_back(offset, length);
    const auto bytes = std::as_bytes(std::span(values_)).subspan(offset, length);
    rpc::Chunk chunk{.total = kFloats * 4, .offset = offset};
    chunk.bytes.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (offset == 0) chunk.piece_hashes = part_.pieces;
    if (spoil_) spoil_(chunk);
    chunk.chunk_xxh3 = Xxh3(chunk.bytes);
    return chunk;
  }
  StatusOr<PieceHashes> Fetch() {
    return FetchPart([this](int64_t offset, int64_t length) { return Send(offset, length); },
                     table_, part_.name, std::as_writable_bytes(std::span(out_)));
  }
  // Changes the byte at `at` the first `times` times that it is sent.
  void Damage(int64_t at, int times) {
    spoil_ = [at, times](rpc::Chunk& chunk) mutable {
      const bool is_in =
          chunk.offset <= at && at < chunk.offset + static_cast<int64_t>(chunk.bytes.size());
      if (!is_in || times-- <= 0) return;
      char& byte = chunk.bytes[at - chunk.offset];
      byte = static_cast<char>(byte ^ 1);
    };
  }
  std::vector<int64_t> Offsets() const {
    std::vector<int64_t> offsets;
    for (const auto& [offset, length] : calls_) offsets.push_back(offset / kPieceBytes);
    return offsets;
  }

  std::vector<float> values_, out_;
  SegmentTable table_;
  PartHashes part_;
  std::function<void(rpc::Chunk&)> spoil_;
  std::vector<std::pair<int64_t, int64_t>> calls_;
};

TEST_F(FetchPartTest, EachByteTravelsOnce) {
  const auto pieces = Fetch();
  DL_ASSERT_OK(pieces);
  EXPECT_EQ(*pieces, part_.pieces);
  EXPECT_EQ(out_, values_);
  EXPECT_EQ(Offsets(), (std::vector<int64_t>{0, 4, 8}));
}

// First the second piece of the first chunk is wrong, then the short last piece. The pieces before
// it are not fetched again. At most one more chunk is requested before the error is noticed.
TEST_F(FetchPartTest, WrongPieceIsFetchedAgain) {
  Damage(kPieceBytes + 17, 1);
  DL_ASSERT_OK(Fetch());
  EXPECT_EQ(out_, values_);
  EXPECT_EQ(Offsets(), (std::vector<int64_t>{0, 4, 1, 5, 9}));
  calls_.clear();
  out_.assign(out_.size(), 0);
  Damage(kFloats * 4 - 1, limits::kMaxPieceRetries);
  DL_ASSERT_OK(Fetch());
  EXPECT_EQ(out_, values_);
  EXPECT_EQ(Offsets(), (std::vector<int64_t>{0, 4, 8, 9, 9, 9}));
}

TEST_F(FetchPartTest, RepeatedlyWrongPieceIsFaultOfMaster) {
  Damage(5 * kPieceBytes, kMaxCalls);
  const Status status = Fetch().status();
  EXPECT_THAT(status, IsError(absl::StatusCode::kDataLoss, "the piece at byte 5242880"));
  EXPECT_EQ(FaultOf(status), rpc::Fault::kMaster);
  EXPECT_EQ(ErrorWhere(status), part_.name);
  EXPECT_EQ(Offsets(), (std::vector<int64_t>{0, 4, 8, 5, 9, 5, 9, 5, 9}));
}

// Different places are wrong in turn. The limit counts the retries of the whole part.
TEST_F(FetchPartTest, LimitAppliesToWholePart) {
  spoil_ = [](rpc::Chunk& chunk) {
    chunk.bytes.back() = static_cast<char>(chunk.bytes.back() ^ 1);
  };
  EXPECT_EQ(FaultOf(Fetch().status()), rpc::Fault::kMaster);
  EXPECT_LE(calls_.size(), 2u * (1 + limits::kMaxPieceRetries));
}

TEST_F(FetchPartTest, WrongHashListEndsFetch) {
  const std::vector<std::function<void(std::string&)>> wrongs = {
      [](std::string& list) { list.clear(); },
      [](std::string& list) { list.resize(list.size() - 32); },
      [](std::string& list) { list += std::string(32, 'x'); },
      [](std::string& list) { list[40] = static_cast<char>(list[40] ^ 1); }};
  for (size_t i = 0; i < wrongs.size(); ++i) {
    calls_.clear();
    spoil_ = [&](rpc::Chunk& chunk) { wrongs[i](chunk.piece_hashes); };
    const Status status = Fetch().status();
    EXPECT_THAT(status, IsError(absl::StatusCode::kDataLoss, "a list of piece hashes")) << i;
    EXPECT_EQ(FaultOf(status), rpc::Fault::kMaster) << i;
    EXPECT_EQ(calls_.size(), 1u) << i;
  }
}

// A sender may return fewer bytes than requested, so a chunk may end anywhere.
TEST_F(FetchPartTest, ChunksMayEndInsideAPiece) {
  spoil_ = [](rpc::Chunk& chunk) {
    chunk.bytes.resize(std::min<size_t>(chunk.bytes.size(), 700'000));
  };
  DL_ASSERT_OK(Fetch());
  EXPECT_EQ(out_, values_);
  EXPECT_EQ(calls_.size(), static_cast<size_t>((kFloats * 4 + 699'999) / 700'000));
}

TEST_F(FetchPartTest, ErrorOfCallEndsFetch) {
  int calls = 0;
  const auto pieces = FetchPart(
      [&](int64_t offset, int64_t length) -> StatusOr<rpc::Chunk> {
        if (++calls == 3) return Unavailable({.message = "lost"});
        return Send(offset, length);
      },
      table_, part_.name, std::as_writable_bytes(std::span(out_)));
  EXPECT_THAT(pieces.status(), IsError(absl::StatusCode::kUnavailable, "lost"));
  EXPECT_EQ(FaultOf(pieces.status()), rpc::Fault::kNetwork);
  EXPECT_EQ(calls, 3);
}

TEST_F(FetchPartTest, EmptyPartNeedsNoCall) {
  SegmentTable table;
  table.Add("w", SegmentKind::kParameter, {0});
  const PartContent content{&table, {}};
  const std::string name = HashParts({&content, 1}).front().name;
  const auto nobody = [](int64_t, int64_t) -> StatusOr<rpc::Chunk> {
    return Internal({.message = "asked"});
  };
  DL_EXPECT_OK(FetchPart(nobody, table, name, {}).status());
  EXPECT_FALSE(FetchPart(nobody, table, std::string(64, '0'), {}).status().ok());
}

// A part that was fetched can be offered to a restarted master, together with the list of hashes
// that came with it.
class OfferTest : public FetchPartTest, public rpc::FakeMaster {
 protected:
  StatusOr<rpc::Chunk> FetchPart(const rpc::FetchRequest& request, Duration) override {
    return Send(request.offset, std::min(request.length, kFloats * 4 - request.offset));
  }
  Status OfferPart(const rpc::OfferChunk& chunk, Duration) override {
    offered_.push_back(chunk);
    return absl::OkStatus();
  }

  std::vector<rpc::OfferChunk> offered_;
};

TEST_F(OfferTest, FirstChunkHasHashList) {
  ChunkedExchange exchange(*this, /*cache_bytes=*/1 << 30);
  const auto moved = std::make_shared<std::atomic<int64_t>>(0);
  DL_ASSERT_OK(exchange.Fetch(1, {.job = "j", .round = 1, .sha256 = part_.name}, table_, moved));
  DL_ASSERT_OK(exchange.Offer(2, "j", part_.name));
  ASSERT_EQ(offered_.size(), 3u);
  std::string whole;
  for (const rpc::OfferChunk& chunk : offered_) {
    EXPECT_EQ(chunk.session, 2u);
    EXPECT_EQ(chunk.sha256, part_.name);
    EXPECT_EQ(chunk.total, kFloats * 4);
    EXPECT_EQ(chunk.offset, static_cast<int64_t>(whole.size()));
    EXPECT_EQ(chunk.chunk_xxh3, Xxh3(chunk.bytes));
    EXPECT_EQ(chunk.piece_hashes, whole.empty() ? part_.pieces : "");
    whole += chunk.bytes;
  }
  EXPECT_EQ(Xxh3(whole), Xxh3(std::as_bytes(std::span(values_))));
}

// A part with wrong bytes is not kept: neither for the next unit nor to be offered.
TEST_F(OfferTest, PartUnlikeItsNameIsNotOffered) {
  ChunkedExchange exchange(*this, /*cache_bytes=*/1 << 30);
  const auto moved = std::make_shared<std::atomic<int64_t>>(0);
  Damage(3, kMaxCalls);
  const Status status =
      exchange.Fetch(1, {.job = "j", .round = 1, .sha256 = part_.name}, table_, moved).status();
  EXPECT_THAT(status, IsError(absl::StatusCode::kDataLoss, "fetching a state of j"));
  EXPECT_NE(ErrorRemedy(status).find("restart the master"), std::string::npos);
  EXPECT_EQ(FaultOf(status), rpc::Fault::kMaster);
  EXPECT_TRUE(exchange.Held().empty());
}

}  // namespace
}  // namespace dl::executor
