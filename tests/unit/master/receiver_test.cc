// Chunks are put together once and in order, whatever is sent again.
#include "master/merge/receiver.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "base/checksum.h"
#include "tests/support/status_matchers.h"

namespace dl::master {
namespace {

using Progress = Receiver::Progress;

class ReceiverTest : public testing::Test {
 protected:
  static constexpr int64_t kBytes = 24;

  StatusOr<Progress> Take(int64_t offset, const std::string& bytes, int64_t total = kBytes) {
    const auto taken = receiver_.Take(offset, total, Xxh3(bytes), bytes);
    if (!taken.ok()) return taken.status();
    last_ = *taken;
    return taken->progress;
  }
  std::string Content() const { return ContentOf(*last_.vector); }
  static std::string ContentOf(const FloatBuffer& vector) {
    return std::string(reinterpret_cast<const char*>(vector.data()), kBytes);
  }

  FloatBufferPool pool_;
  Receiver receiver_{kBytes, pool_};
  Receiver::TakeResult last_;
};

TEST_F(ReceiverTest, ChunksFormContent) {
  EXPECT_EQ(*Take(0, "abcdefgh"), Progress::kMore);
  EXPECT_EQ(*Take(8, "ijklmnop"), Progress::kMore);
  EXPECT_EQ(*Take(16, "qrstuvwx"), Progress::kComplete);
  EXPECT_EQ(Content(), "abcdefghijklmnopqrstuvwx");
}

// A repeated chunk must not be taken for the chunk after it.
TEST_F(ReceiverTest, RepeatedChunkIsTakenOnce) {
  EXPECT_EQ(*Take(0, "abcdefgh"), Progress::kMore);
  EXPECT_EQ(*Take(8, "ijklmnop"), Progress::kMore);
  EXPECT_EQ(*Take(8, "ijklmnop"), Progress::kMore);
  EXPECT_EQ(last_.received, 16);
  EXPECT_EQ(last_.fresh, 0);
  EXPECT_EQ(*Take(16, "qrstuvwx"), Progress::kComplete);
  EXPECT_EQ(Content(), "abcdefghijklmnopqrstuvwx");
}

TEST_F(ReceiverTest, RestartedDeliveryContinues) {
  EXPECT_EQ(*Take(0, "abcdefgh"), Progress::kMore);
  EXPECT_EQ(*Take(8, "ijklmnop"), Progress::kMore);
  EXPECT_EQ(*Take(0, "abcdefgh"), Progress::kMore);
  EXPECT_EQ(last_.received, 16);
  EXPECT_EQ(*Take(12, "mnopqrstuvwx"), Progress::kComplete) << "what is here is not taken again";
  EXPECT_EQ(Content(), "abcdefghijklmnopqrstuvwx");
}

TEST_F(ReceiverTest, ChunkAfterGapIsRefused) {
  EXPECT_EQ(*Take(0, "abcdefgh"), Progress::kMore);
  EXPECT_EQ(*Take(16, "qrstuvwx"), Progress::kMore);
  EXPECT_EQ(last_.received, 8);
}

TEST_F(ReceiverTest, OnlyNewBytesAreFresh) {
  EXPECT_EQ(*Take(0, "abcdefgh"), Progress::kMore);
  EXPECT_EQ(last_.fresh, 8);
  EXPECT_EQ(*Take(0, "abcdefghijkl"), Progress::kMore);
  EXPECT_EQ(last_.fresh, 4);
  EXPECT_EQ(*Take(12, "mnopqrstuvwx"), Progress::kComplete);
  receiver_.Discard(last_.vector);
  EXPECT_EQ(*Take(0, "abcdefghijkl"), Progress::kMore);
  EXPECT_EQ(last_.fresh, 0);
}

TEST_F(ReceiverTest, DeliveriesWithoutNewBytesAreCounted) {
  for (int64_t delivery = 0; delivery < 4; ++delivery) {
    EXPECT_EQ(*Take(0, "abcdefgh"), Progress::kMore);
    EXPECT_EQ(last_.deliveries_without_progress, std::max<int64_t>(0, delivery - 1)) << delivery;
  }
  EXPECT_EQ(*Take(8, "ijkl"), Progress::kMore);
  EXPECT_EQ(*Take(0, "abcdefgh"), Progress::kMore);
  EXPECT_EQ(last_.deliveries_without_progress, 0) << "the one before brought something";
}

TEST_F(ReceiverTest, BytesAfterEndAreRefused) {
  EXPECT_EQ(*Take(0, "abcdefghijklmnopqrstuvwx"), Progress::kComplete);
  EXPECT_EQ(*Take(0, "ABCDEFGHIJKLMNOPQRSTUVWX"), Progress::kComplete);
  EXPECT_EQ(Content(), "abcdefghijklmnopqrstuvwx");
}

// Another thread may still check the content that is discarded.
TEST_F(ReceiverTest, DeliveryAfterDiscardedContentHasAnotherBuffer) {
  EXPECT_EQ(*Take(0, "abcdefghijklmnopqrstuvwx"), Progress::kComplete);
  const std::shared_ptr<FloatBuffer> first = last_.vector;
  receiver_.Discard(first);
  EXPECT_EQ(*Take(0, "ABCDEFGHIJKL"), Progress::kMore);
  receiver_.Discard(first);
  EXPECT_EQ(*Take(12, "MNOPQRSTUVWX"), Progress::kComplete)
      << "a second check of the first content does not discard the next delivery";
  EXPECT_EQ(Content(), "ABCDEFGHIJKLMNOPQRSTUVWX");
  EXPECT_EQ(ContentOf(*first), "abcdefghijklmnopqrstuvwx");
}

TEST_F(ReceiverTest, DamagedChunkIsRequestedAgain) {
  EXPECT_EQ(*Take(0, "abcdefgh"), Progress::kMore);
  EXPECT_THAT(receiver_.Take(8, kBytes, Xxh3("ijklmnop"), "ijklmnoq").status(),
              test::IsError(absl::StatusCode::kDataLoss, "damaged during the transfer"));
  EXPECT_EQ(*Take(8, "ijklmnopqrstuvwx"), Progress::kComplete);
  EXPECT_EQ(Content(), "abcdefghijklmnopqrstuvwx");
}

TEST_F(ReceiverTest, ChunkOfWrongSizeIsRefused) {
  const auto does_not_fit = test::IsError(absl::StatusCode::kInvalidArgument, "does not follow");
  EXPECT_THAT(Take(0, "abcdefgh", kBytes + 8).status(), does_not_fit);
  EXPECT_THAT(Take(-8, "abcdefgh").status(), does_not_fit);
  EXPECT_THAT(Take(0, "abcdefghijklmnopqrstuvwxyz").status(), does_not_fit);
  EXPECT_THAT(Take(0, "").status(), does_not_fit);
}

}  // namespace
}  // namespace dl::master
