// Offered parts are verified as they arrive, and served with the piece hashes that came with them.
#include <gtest/gtest.h>

#include <algorithm>

#include "averaging/average.h"
#include "base/checksum.h"
#include "base/part_name.h"
#include "master/merge/merge_engine.h"
#include "storage/bulk_database.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/master/event_inbox.h"

namespace dl::master {
namespace {

using test::IsError;

constexpr int64_t kPieceFloats = kPieceBytes / static_cast<int64_t>(sizeof(float));
// Size of the model and of the updater state. Only their segment tables differ.
constexpr int64_t kPartFloats = 2 * kPieceFloats + 5;
constexpr int64_t kBytes = kPartFloats * 4;

class OfferedPartsTest : public testing::Test {
 protected:
  OfferedPartsTest() {
    SegmentTable table;
    table.Add("w", SegmentKind::kParameter, {kPartFloats});
    table.Add("w/momentum", SegmentKind::kUpdater, {kPartFloats});
    strategy_ = std::make_shared<averaging::Average>(
        *averaging::StateLayout::Create(table, averaging::UpdaterStatePolicy::kAverage));
    engine_ = std::make_unique<MergeEngine>(MergeEngine::Options{
        .checkpoints = &checkpoints_,
        .term = 1,
        .material = [this](const std::string&) -> StatusOr<JobMaterial> {
          return JobMaterial{.strategy = strategy_, .workers = 1, .initial_state = [] {
                               return std::vector<float>(2 * kPartFloats, 0.5f);
                             }};
        },
        .post = [this](Event event) { events_.Post(std::move(event)); }});
    engine_->Do(PrepareState{.job = "j", .round = 0});
    events_.WaitFor<StatePrepared>();
    for (const averaging::PartLayout& part : strategy_->layout().parts) {
      std::vector<float>& values = values_[part.name];
      values.resize(kPartFloats);
      for (int64_t i = 0; i < kPartFloats; ++i)
        values[i] = static_cast<float>(i) + (part.name == "model" ? 0.0f : 0.5f);
      const PartContent content{&part.table, values};
      hashes_[part.name] = HashParts({&content, 1}).front();
      names_.parts[part.name] = hashes_[part.name].name;
      engine_->Do(ExpectPart{"j", hashes_[part.name].name});
    }
    names_.state_sha256 = StateSha256(names_.parts);
  }

  // Returns a chunk of the part, with the piece hashes if it is the first.
  rpc::OfferChunk ChunkOf(const std::string& key, int64_t offset, int64_t size) {
    const auto bytes = std::as_bytes(std::span(values_[key])).subspan(offset, size);
    rpc::OfferChunk chunk{.session = 7,
                          .job = "j",
                          .sha256 = hashes_[key].name,
                          .total = kBytes,
                          .offset = offset,
                          .chunk_xxh3 = Xxh3(bytes),
                          .piece_hashes = offset == 0 ? hashes_[key].pieces : ""};
    chunk.bytes.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return chunk;
  }
  Status Offer(const std::string& key, int64_t offset, int64_t size) {
    return engine_->OfferPart(ChunkOf(key, offset, size));
  }
  // Sends a chunk with a correct checksum whose content does not match the part's name.
  Status OfferWrong(const std::string& key, int64_t offset, int64_t size, int64_t wrong) {
    rpc::OfferChunk chunk = ChunkOf(key, offset, size);
    char& byte = chunk.bytes[wrong - offset];
    byte = static_cast<char>(byte ^ 1);
    chunk.chunk_xxh3 = Xxh3(chunk.bytes);
    return engine_->OfferPart(chunk);
  }

  std::shared_ptr<const averaging::Strategy> strategy_;
  test::TempFolder folder_;
  std::unique_ptr<storage::BulkDatabase> bulk_ =
      *storage::BulkDatabase::Open(folder_.path(), "bulk", {.min_free_bytes = 0});
  storage::CheckpointStore checkpoints_{*bulk_};
  EventInbox events_;
  std::map<std::string, std::vector<float>> values_;
  std::map<std::string, PartHashes> hashes_;
  StateNames names_;
  std::unique_ptr<MergeEngine> engine_;  // last member, so that it is destroyed first
};

TEST_F(OfferedPartsTest, OfferedPartsRestoreState) {
  // Chunks that end inside of pieces, then a part in one chunk.
  DL_ASSERT_OK(Offer("updater", 0, 700'000));
  DL_ASSERT_OK(Offer("updater", 700'000, kPieceBytes));
  DL_ASSERT_OK(Offer("updater", 700'000 + kPieceBytes, kBytes - 700'000 - kPieceBytes));
  EXPECT_EQ(events_.WaitFor<PartArrived>().sha256, hashes_["updater"].name);
  DL_ASSERT_OK(Offer("model", 0, kBytes));
  EXPECT_EQ(events_.WaitFor<PartArrived>().sha256, hashes_["model"].name);
  engine_->Do(PrepareState{
      .job = "j", .round = 5, .source = PrepareState::Source::kParts, .parts = names_});
  const auto prepared = events_.WaitFor<StatePrepared>();
  DL_ASSERT_OK(prepared.status);
  EXPECT_EQ(prepared.names, names_);
  engine_->Do(Publish{"j", 5});
  for (const auto& [key, hashes] : hashes_) {
    const SharedVector vector = engine_->FindPart("j", hashes.name);
    ASSERT_NE(vector, nullptr) << key;
    EXPECT_TRUE(std::ranges::equal(vector->span(), values_[key])) << key;
    // The piece hashes are sent with the first chunk only.
    rpc::FetchRequest request{.job = "j", .sha256 = hashes.name, .length = 10};
    EXPECT_EQ(engine_->FetchPart(request)->piece_hashes, hashes.pieces) << key;
    request.offset = 10;
    EXPECT_EQ(engine_->FetchPart(request)->piece_hashes, "") << key;
  }
}

// Bytes after the first wrong piece are refused, and nothing is kept.
TEST_F(OfferedPartsTest, WrongPieceIsDetectedWhenComplete) {
  DL_ASSERT_OK(OfferWrong("model", 0, kPieceBytes - 4, 5)) << "it is not whole yet";
  EXPECT_THAT(Offer("model", kPieceBytes - 4, kPieceBytes),
              IsError(absl::StatusCode::kDataLoss, "the piece at byte 0"));
  EXPECT_THAT(Offer("model", 2 * kPieceBytes - 4, 24),
              IsError(absl::StatusCode::kInvalidArgument, "does not follow the 0"));
  DL_ASSERT_OK(Offer("model", 0, kPieceBytes));
  EXPECT_THAT(OfferWrong("model", kPieceBytes, kPieceBytes, 2 * kPieceBytes - 1),
              IsError(absl::StatusCode::kDataLoss, "the piece at byte 1048576"));
  DL_ASSERT_OK(Offer("model", 0, 2 * kPieceBytes));
  EXPECT_THAT(OfferWrong("model", 2 * kPieceBytes, 20, kBytes - 1),
              IsError(absl::StatusCode::kDataLoss, "the piece at byte 2097152"));
  EXPECT_EQ(events_.size(), 0u);
  DL_ASSERT_OK(Offer("model", 0, kBytes));
  EXPECT_EQ(events_.WaitFor<PartArrived>().sha256, hashes_["model"].name);
}

TEST_F(OfferedPartsTest, WrongHashListIsRefused) {
  const PieceHashes& right = hashes_["model"].pieces;
  PieceHashes turned = right;
  turned[33] = static_cast<char>(turned[33] ^ 1);
  for (const PieceHashes& wrong :
       {PieceHashes(), right.substr(32), right + right, turned, hashes_["updater"].pieces}) {
    rpc::OfferChunk chunk = ChunkOf("model", 0, kPieceBytes);
    chunk.piece_hashes = wrong;
    EXPECT_THAT(engine_->OfferPart(chunk),
                IsError(absl::StatusCode::kDataLoss, "not what its name says"));
    EXPECT_THAT(Offer("model", kPieceBytes, kPieceBytes),
                IsError(absl::StatusCode::kInvalidArgument, "came before its first bytes"));
  }
  rpc::OfferChunk larger = ChunkOf("model", 0, kPieceBytes);
  larger.total += 4;
  EXPECT_THAT(engine_->OfferPart(larger), IsError(absl::StatusCode::kInvalidArgument,
                                                  "has the size of no part of the job's state"));
  EXPECT_EQ(events_.size(), 0u);
}

// A second sender starts from the beginning. Verified bytes of the first sender are forgotten.
TEST_F(OfferedPartsTest, OtherSenderRestartsTransfer) {
  DL_ASSERT_OK(Offer("model", 0, kPieceBytes));
  EXPECT_THAT(OfferWrong("model", 0, kPieceBytes, 9),
              IsError(absl::StatusCode::kDataLoss, "the piece at byte 0"));
  DL_ASSERT_OK(Offer("model", 0, kPieceBytes));
  DL_ASSERT_OK(Offer("model", kPieceBytes, kBytes - kPieceBytes));
  EXPECT_EQ(events_.WaitFor<PartArrived>().sha256, hashes_["model"].name);
}

TEST_F(OfferedPartsTest, UnexpectedPartIsRefused) {
  engine_->Do(OpenRound{.job = "j", .round = 1, .weights = {1}});
  DL_EXPECT_OK(Offer("model", 0, kBytes));
  EXPECT_EQ(events_.size(), 0u);
}

}  // namespace
}  // namespace dl::master
