// Results that are held on disk, and files that become unreadable.
#include "executor/bulk_lane.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/checksum.h"
#include "executor/executor_event_queue.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/executor/scripted_master.h"

namespace dl::executor {
namespace {

constexpr int64_t kFloats = 100;
constexpr uint64_t kLease = 5;

class BulkLaneTest : public testing::Test {
 protected:
  // Starts to hold a result on disk. Its file is written when the event of a later effect arrives.
  void Hold() {
    const auto computation = computations_.Begin(kLease);
    computation->result = std::make_shared<FloatBuffer>(*FloatBuffer::Create(kFloats));
    std::ranges::fill(computation->result->span(), 0.5f);
    hash_ = Xxh3(std::as_bytes(computation->result->span()));
    lane_.Do(HoldResult{kLease});
    lane_.Do(SendContribution{.session = 1, .lease = 99, .unit = unit_});  // is not here
    EXPECT_EQ(WaitFor<ResultLost>().lease, 99u);
    EXPECT_FALSE(WaitFor<ContributionSent>().reply.ok());
  }
  // Opens the unnamed file through the list of this process's files.
  FileDescriptor OpenFile() const {
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
      std::error_code error;
      const std::string target = std::filesystem::read_symlink(entry.path(), error).string();
      if (target.starts_with(folder_.path()))
        return FileDescriptor(open(entry.path().c_str(), O_RDWR | O_CLOEXEC));
    }
    return FileDescriptor();
  }
  SendContribution Send() const {
    return {.session = 1, .lease = kLease, .unit = unit_, .hash = hash_};
  }
  // Returns the next event, which must be of this type.
  template <typename T>
  T WaitFor() {
    while (pending_.empty()) pending_ = *events_.Take(Instant::Max());
    const Event event = pending_.front();
    pending_.erase(pending_.begin());
    const T* const wanted = std::get_if<T>(&event);
    DL_CHECK(wanted != nullptr);
    return *wanted;
  }

  const UnitId unit_{"memory-1", UnitKind::kTrain, 1, 0};
  uint64_t hash_ = 0;
  const test::TempFolder folder_;
  ScriptedMaster master_;
  ChunkedExchange exchange_{master_, 1000};
  Computations computations_;
  EventQueue events_;
  std::vector<Event> pending_;
  BulkLane lane_{{.master = master_,
                  .exchange = exchange_,
                  .computations = computations_,
                  .post = [this](Event event) { events_.Post(std::move(event)); },
                  .layout = [](const rpc::Gather&, uint64_t)
                      -> StatusOr<std::shared_ptr<const averaging::StateLayout>> {
                    return std::make_shared<const averaging::StateLayout>();
                  },
                  .held = {.memory_bytes = 0, .folder = folder_.path()}}};
};

TEST_F(BulkLaneTest, HeldResultIsReadBackAndSent) {
  Hold();
  lane_.Do(Send());
  const auto sent = WaitFor<ContributionSent>();
  DL_ASSERT_OK(sent.reply);
  EXPECT_EQ(sent.reply->receipt, rpc::Receipt::kComplete);
}

TEST_F(BulkLaneTest, ResultThatCannotBeReadIsLostWithReason) {
  Hold();
  const FileDescriptor file = OpenFile();
  ASSERT_TRUE(file.valid());
  ASSERT_EQ(ftruncate(file.get(), 0), 0);
  lane_.Do(Send());
  const auto lost = WaitFor<ResultLost>();
  EXPECT_EQ(lost.lease, kLease);
  EXPECT_EQ(lost.unit, unit_);
  EXPECT_THAT(lost.status, test::IsError(absl::StatusCode::kDataLoss, "too short"));
  EXPECT_FALSE(WaitFor<ContributionSent>().reply.ok());
  EXPECT_TRUE(master_.heard().contributed.empty());
}

TEST_F(BulkLaneTest, DamagedResultIsLostAlsoInGather) {
  Hold();
  const FileDescriptor file = OpenFile();
  ASSERT_TRUE(file.valid());
  ASSERT_EQ(pwrite(file.get(), "x", 1, 17), 1);
  lane_.Do(SendGather{.session = 1,
                      .gather = {.number = 3,
                                 .job = unit_.job,
                                 .round = 1,
                                 .inputs = {{.index = 0, .hash = hash_}}},
                      .computations = {kLease}});
  const auto lost = WaitFor<ResultLost>();
  EXPECT_EQ(lost.unit, unit_);
  EXPECT_THAT(lost.status, test::IsError(absl::StatusCode::kDataLoss, "differs"));
  EXPECT_FALSE(WaitFor<GatherSent>().reply.ok());
  EXPECT_TRUE(master_.heard().contributed.empty());
}

// Its connection is cut in the middle of the first offer.
class CutExchange final : public StateExchange {
 public:
  StatusOr<SharedPart> Fetch(uint64_t, const PartName&, const SegmentTable&,
                             const ByteCount&) override {
    return Unavailable({.message = "not used"});
  }
  StatusOr<rpc::ContributionReply> Contribute(uint64_t, const UnitId&, uint64_t, const SharedPart&,
                                              MovedBytes&) override {
    return Unavailable({.message = "not used"});
  }
  std::vector<std::string> Held() const override { return {}; }
  Status Offer(uint64_t, const std::string&, const std::string&) override {
    return ++offers_ == 1 ? Unavailable({.message = "the connection was cut"}) : absl::OkStatus();
  }

 private:
  int offers_ = 0;
};

TEST(BulkLaneOffers, EndOfEachOfferIsReported) {
  ScriptedMaster master;
  CutExchange exchange;
  Computations computations;
  EventQueue events;
  BulkLane lane({.master = master,
                 .exchange = exchange,
                 .computations = computations,
                 .post = [&](Event event) { events.Post(std::move(event)); },
                 .held = {.memory_bytes = 0}});
  const auto offer = [&] {
    lane.Do(OfferPart{.session = 3, .job = "memory-1", .sha256 = "abc"});
    const std::vector<Event> seen = *events.Take(Instant::Max());
    EXPECT_EQ(seen.size(), 1u);
    return std::get<PartOffered>(seen.front());
  };
  const PartOffered cut = offer();
  EXPECT_EQ(cut.session, 3u);
  EXPECT_EQ(cut.sha256, "abc");
  EXPECT_THAT(cut.status, test::IsError(absl::StatusCode::kUnavailable, "cut"));
  DL_EXPECT_OK(offer().status);
}

}  // namespace
}  // namespace dl::executor
