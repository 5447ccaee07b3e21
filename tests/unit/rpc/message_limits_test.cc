// Limits of the memory that messages take in a server: of each message, and of all together.
#include "rpc/message_limits.h"

#include <gtest/gtest.h>
#include <malloc.h>
#include <unistd.h>

#include <atomic>
#include <barrier>
#include <fstream>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/thread.h"
#include "tests/support/process_figures.h"
#include "tests/unit/rpc/raw_peer.h"
#include "tests/unit/rpc/test_server.h"

namespace dl::rpc {
namespace {

constexpr int64_t kMib = 1 << 20;

// Leaves large free areas in the allocator's arenas. An arena would keep the memory of a large
// message.
void LeaveRoomInArenas() {
  constexpr int kUsers = 16;
  std::barrier all(kUsers);  // one arena per thread
  std::vector<Thread> users;
  for (int i = 0; i < kUsers; ++i) {
    users.emplace_back("user", [&] {
      std::vector<std::string> blocks(3);
      blocks[2].reserve(32 * kMib - 65536);  // raises the allocator's threshold, so that blocks of
                                             // this size come from an arena
      blocks[2].shrink_to_fit();
      all.arrive_and_wait();
      for (int k : {0, 1}) blocks[k].reserve(61 * kMib / 2);
      all.arrive_and_wait();
    });
  }
  for (Thread& user : users) user.Join();
}

TEST(MessageLimitsTest, LargeUploadsTakeTurns) {
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "the kernel's count of this process's memory holds the sanitizer's own too";
#endif
  constexpr int kPeers = 10;
  constexpr int64_t kBytes = 60 * kMib;
  FakeMaster master;
  std::atomic<int> taken = 0;
  // Counts the blocks and keeps nothing.
  master.on_put_blocks = [&](const PutBlocksRequest& block) {
    if (static_cast<int64_t>(block.bytes.size()) == kBytes) ++taken;
  };
  auto server = StartServer(&master);
  LeaveRoomInArenas();
  const PutBlocksRequest block{
      .sha256 = {std::string(64, 'a')}, .sizes = {kBytes}, .bytes = std::string(kBytes, 'x')};
  ::malloc_trim(0);
  std::ofstream("/proc/self/clear_refs") << "5";
  const int64_t before = test::ProcessStatus(getpid(), "VmHWM");
  std::vector<Thread> peers;
  for (int i = 0; i < kPeers; ++i) {
    peers.emplace_back("peer", [&] {
      const Status status = ConnectTo(server->port())->PutBlocks(block, limits::kMaxCallDeadline);
      EXPECT_TRUE(status.ok()) << status;
    });
  }
  for (Thread& peer : peers) peer.Join();
  EXPECT_EQ(taken, kPeers);
  // Never two messages in memory at once.
  EXPECT_LT(test::ProcessStatus(getpid(), "VmHWM") - before, 2 * kBytes)
      << ReadFile("/proc/self/status", 1 << 20).value_or("");
}

TEST(MessageLimitsTest, SmallAnswersDoNotWait) {
  constexpr int kFit = limits::kExecutorMessageBytesOfToken / limits::kChunkBytes;
  constexpr int kPeers = kFit + 4;
  const auto fetch = [](Client& client, Duration deadline) {
    const auto joined = client.Register({}, kLong);
    if (!joined.ok()) return joined.status();
    return client
        .FetchPart({.session = joined->session,
                    .job = "j",
                    .sha256 = "s",
                    .offset = limits::kChunkBytes,  // the first chunk would also have a list of
                                                    // hashes
                    .length = limits::kChunkBytes},
                   deadline)
        .status();
  };
  FakeMaster master;
  master.numbers_sessions = true;
  Gate gate;
  std::atomic<int> entered = 0;
  master.on_fetch_part = [&](const FetchRequest&) {
    ++entered;
    gate.Wait();
    return Chunk{.total = 1, .bytes = "x"};
  };
  auto server = StartServer(&master);
  std::vector<Thread> peers;
  for (int i = 0; i < kPeers; ++i) {
    peers.emplace_back("peer", [&] {
      const Status fetched = fetch(*ConnectTo(server->port()), kLong);
      EXPECT_TRUE(fetched.ok()) << fetched;
    });
  }
  while (entered < kFit) {
  }
  auto client = ConnectTo(server->port());
  const Status refused = fetch(*client, std::chrono::milliseconds(100));
  EXPECT_FALSE(refused.ok());
  EXPECT_EQ(entered, kFit);
  EXPECT_TRUE(client->Query({.what = rpc::QueryKind::kJob}, kLong).ok());
  const auto joined = client->Register({}, kLong);
  ASSERT_TRUE(joined.ok()) << joined.status();
  EXPECT_TRUE(client->Heartbeat({.session = joined->session}, kLong).ok());
  EXPECT_TRUE(client->FetchBlock({.sha256 = "s", .length = limits::kChunkBytes}, kLong).ok());
  gate.Open();
  for (Thread& peer : peers) peer.Join();
  // The refused call may still be waiting: the server counts its deadline from its arrival.
  EXPECT_GE(entered, kPeers);
  EXPECT_LE(entered, kPeers + 1);
}

// Returns a connection that has sent Hello and read the reply. The next bytes to read answer its
// next call.
std::unique_ptr<RawPeer> Greeted(const Server& server, security::Role role) {
  auto peer = std::make_unique<RawPeer>(server.port());
  EXPECT_TRUE(peer->Send(HelloCall(kProtocolVersion, test::Admitted(role).token)));
  const size_t hello = I32(0).size() + Text("Hello").size() + I32(0).size() + Field(12, 0).size() +
                       Field(8, 1).size() + I32(1).size() + Field(11, 2).size() +
                       Text("server-version").size() + Field(11, 3).size() + Text("tester").size() +
                       Field(11, 4).size() + Text(std::string(security::RoleName(role))).size() + 2;
  EXPECT_EQ(peer->Read(hello).size(), hello);
  return peer;
}

// Returns the beginning of a call that announces a text of that size and sends none of it.
std::string Announced(const std::string& method, int field, int64_t bytes) {
  return CallHeader(method) + Field(12, 1) + Field(11, field) + I32(static_cast<uint32_t>(bytes));
}

TEST(MessageLimitsTest, ServerThatStopsEndsWaitsForMemory) {
  FakeMaster master;
  Gate entered, gate;
  master.on_query = [&](const QueryRequest&) {
    entered.Open();
    gate.Wait();
    return std::string("{}");
  };
  auto server = StartServer(&master);
  const auto ask = [&] {
    return ConnectTo(server->port())
        ->Query({.what = rpc::QueryKind::kTrainManifest}, kLong)
        .status();
  };
  Thread holds("holds", [&] { (void)ask(); });
  entered.Wait();
  std::atomic<bool> refused = false;
  Thread waits("waits", [&] {
    EXPECT_FALSE(ask().ok());
    refused = true;
  });
  Thread opens("opens", [&] {
    while (!refused) {
    }
    gate.Open();  // Stop waits for the call that holds the memory
  });
  server->Stop();
  for (Thread* thread : {&holds, &waits, &opens}) thread->Join();
}

// A denied call is answered before its arguments arrive. It uses no memory of the callers that are
// allowed.
TEST(MessageLimitsTest, DeniedCallIsAnsweredBeforeItsArguments) {
  FakeMaster master;
  auto server = StartServer(&master);
  std::vector<std::unique_ptr<RawPeer>> stalled;
  for (int i = 0; i < 2 * limits::kExecutorMessageBytes / limits::kChunkBytes; ++i) {
    stalled.push_back(Greeted(*server, security::Role::kRead));
    ASSERT_TRUE(stalled.back()->Send(Announced("Contribute", 7, limits::kChunkBytes)));
  }
  auto executor = JoinedTo(server->port());
  ContributionChunk chunk = Sample<ContributionChunk>();
  chunk.bytes = std::string(limits::kChunkBytes, 'x');
  EXPECT_TRUE(executor->Contribute(chunk, kLong).ok());
  for (auto& peer : stalled) {
    std::string answer;
    EXPECT_TRUE(peer->ClosedByPeer(&answer));
    EXPECT_NE(answer.find("denied"), std::string::npos);
  }
}

// The client is still sending when the answer arrives.
TEST(MessageLimitsTest, DenialOfALargeCallReachesClient) {
  FakeMaster master;
  auto server = StartServer(&master);
  const auto reader =
      ConnectTo(server->port(), {.credentials = test::Admitted(security::Role::kRead)});
  PutBlocksRequest upload{.bytes = std::string(4 * limits::kChunkBytes, 'x')};
  const Status denied = reader->PutBlocks(upload, kLong);
  EXPECT_TRUE(absl::IsUnauthenticated(denied)) << denied;
  EXPECT_TRUE(reader->Query({}, kLong).ok()) << "over another connection";
}

// The worst case of all limits together: peers that may call announce twice the bytes of each
// share.
TEST(MessageLimitsTest, AnnouncedBytesReserveNothing) {
  FakeMaster master;
  auto server = StartServer(&master);
  std::vector<std::unique_ptr<RawPeer>> stalled;
  const auto announce = [&](const char* method, int field, int64_t bytes, int times) {
    for (int i = 0; i < times; ++i) {
      stalled.push_back(Greeted(*server, security::Role::kAdmin));
      ASSERT_TRUE(stalled.back()->Send(Announced(method, field, bytes)));
    }
  };
  announce("Contribute", 7, limits::kChunkBytes, 32);
  announce("PutBlocks", 3, limits::kMaxBlockBytes, 3);
  announce("Submit", 3, 60 * kMib, 3);
  auto executor = JoinedTo(server->port());
  ContributionChunk chunk = Sample<ContributionChunk>();
  chunk.bytes = std::string(limits::kChunkBytes, 'x');
  EXPECT_TRUE(executor->Contribute(chunk, kLong).ok());
  EXPECT_TRUE(executor->FetchJob(Sample<FetchJobRequest>(), kLong).ok());
  EXPECT_TRUE(executor->PutBlocks({.bytes = std::string(60 * kMib, 'x')}, kLong).ok());
  EXPECT_TRUE(
      executor->Submit({.request_id = "r", .train_manifest = std::string(60 * kMib, 'x')}, kLong)
          .ok());
  for (auto& peer : stalled) EXPECT_FALSE(peer->IsClosed()) << "no message waited for them";
}

// Peers that stop in the middle of a message lose their connection once another message waits for
// memory.
TEST(MessageLimitsTest, StalledUploadEndsWhileOthersWait) {
  FakeMaster master;
  auto server = StartServer(&master);
  auto stalled = Greeted(*server, security::Role::kAdmin);
  ASSERT_TRUE(stalled->Send(Announced("Submit", 3, 60 * kMib) + std::string(50 * kMib, 'x')));
  auto client = ConnectTo(server->port());
  const SubmitRequest job{.request_id = "r", .train_manifest = std::string(60 * kMib, 'x')};
  EXPECT_TRUE(client->Submit(job, kLong).ok());
  EXPECT_TRUE(stalled->ClosedByPeer());
}

// Peers that do not read their answers also lose their connection.
TEST(MessageLimitsTest, AnswerThatIsNotTakenEndsWhileOthersWait) {
  FakeMaster master;
  master.on_query = [](const QueryRequest&) { return std::string(60 * kMib, 'x'); };
  auto server = StartServer(&master);
  auto stalled = Greeted(*server, security::Role::kAdmin);
  ASSERT_TRUE(stalled->Send(CallHeader("Query") + Field(12, 1) + Field(11, 1) +
                            Text("train_manifest") + std::string(1, '\0') + Field(10, 2) + I32(0) +
                            I32(60'000) + std::string(1, '\0')));
  stalled->AwaitAnswer();
  EXPECT_TRUE(
      ConnectTo(server->port())->Query({.what = rpc::QueryKind::kTrainManifest}, kLong).ok());
}

// A connection is closed as soon as a message announces more than its method allows.
TEST(MessageLimitsTest, EachMethodHasItsOwn) {
  FakeMaster master;
  auto server = StartServer(&master);
  const auto closes = [&](const std::string& method, int field, int64_t bytes) {
    RawPeer peer(server->port());
    EXPECT_TRUE(peer.Send(HelloCall(kProtocolVersion, test::Admitted().token)));
    peer.Send(CallHeader(method) + Field(12, 1) + Field(11, field) +
              I32(static_cast<uint32_t>(bytes)));
    return peer.ClosedByPeer();
  };
  EXPECT_TRUE(closes("Register", 1, 16 * kMib));
  EXPECT_TRUE(closes("Heartbeat", 99, 16 * kMib));
  EXPECT_TRUE(closes("Announce", 11, limits::kMaxMetricsBytes + 1));
  EXPECT_TRUE(closes("ReportFailure", 5, kMib));
  EXPECT_TRUE(closes("Query", 1, kMib));
  EXPECT_TRUE(closes("Contribute", 7, limits::kChunkBytes + kMib));
  EXPECT_TRUE(closes("OfferPart", 7, limits::kChunkBytes + limits::kMaxPieceHashesBytes + kMib));
  EXPECT_TRUE(closes("OfferPart", 8, limits::kMaxPieceHashesBytes + 1));
  EXPECT_TRUE(closes("Submit", 2, limits::kMaxSpecBytes + 1));
  EXPECT_TRUE(closes("NoSuchMethod", 1, kMib));
  RawPeer stranger(server->port());
  stranger.Send(CallHeader("Hello") + Field(12, 1) + Field(11, 2) +
                I32(static_cast<uint32_t>(limits::kMaxGreetingBytes + 1)));
  EXPECT_TRUE(stranger.ClosedByPeer());
}

// The memory that the server reserves for an answer includes the list of hashes if the answer is
// the first chunk of a part.
TEST(MessageLimitsTest, FirstChunkHasRoomForHashList) {
  const auto bytes = [](const char* method, int64_t offset) {
    return AnswerTo(method, FetchRequest{.offset = offset, .length = limits::kChunkBytes}).bytes;
  };
  for (const char* method : {"FetchPart", "FetchCheckpoint"}) {
    EXPECT_EQ(bytes(method, 0), bytes(method, 1) + limits::kMaxPieceHashesBytes) << method;
  }
  EXPECT_EQ(bytes("FetchBlock", 0), bytes("FetchBlock", 1));
  EXPECT_EQ(AnswerTo("FetchPart", FetchRequest{.length = 1000}).bytes, 1000)
      << "small parts are fetched by hundreds at once";
  EXPECT_EQ(BytesOf(Chunk{.bytes = "four", .piece_hashes = "more"}), 8);
}

TEST(MessageLimitsTest, LargestListOfHeldResultsArrives) {
  FakeMaster master;
  auto server = StartServer(&master);
  auto client = ConnectTo(server->port());
  RegisterRequest held = Sample<RegisterRequest>();
  held.held_parts.assign(limits::kMaxHeldParts, std::string(64, 'a'));
  held.held_contributions.assign(limits::kMaxHeldContributions,
                                 {.unit = {.job = std::string(limits::kMaxJobId, 'j')}});
  EXPECT_TRUE(client->Register(held, kLong).ok());
  // The server sets these.
  held.holder = master.request<RegisterRequest>().holder;
  held.token = master.request<RegisterRequest>().token;
  held.is_of_admin = true;
  EXPECT_TRUE(master.request<RegisterRequest>() == held);
  HeartbeatRequest heartbeat{.session = kSampleSession};
  heartbeat.running.assign(limits::kMaxUnitsInProgress,
                           {.unit = {.job = std::string(limits::kMaxJobId, 'j')}});
  EXPECT_TRUE(client->Heartbeat(heartbeat, kLong).ok());
  AnnounceRequest announced = Sample<AnnounceRequest>();
  announced.metrics = std::string(limits::kMaxMetricsBytes, 'x');
  announced.magnitudes.assign(100'000, 1.0);
  EXPECT_TRUE(client->Announce(announced, kLong).ok());
  OfferChunk part = Sample<OfferChunk>();
  part.bytes = std::string(limits::kChunkBytes, 'x');
  part.piece_hashes = std::string(limits::kMaxPieceHashesBytes, 'x');
  EXPECT_TRUE(client->OfferPart(part, kLong).ok());
  EXPECT_TRUE(master.request<OfferChunk>() == part);
  SubmitRequest job{.request_id = "r",
                    .spec = std::string(limits::kMaxSpecBytes, 'x'),
                    .train_manifest = std::string(30 * kMib, 'x'),
                    .test_manifest = std::string(30 * kMib, 'x')};
  EXPECT_TRUE(client->Submit(job, kLong).ok());
  PutBlocksRequest blocks{.bytes = std::string(limits::kMaxBlockBytes, 'x')};
  blocks.sha256.assign(limits::kMaxPutBlocks, std::string(64, 'a'));
  blocks.sizes.assign(limits::kMaxPutBlocks, limits::kMaxBlockBytes / limits::kMaxPutBlocks);
  EXPECT_TRUE(client->PutBlocks(blocks, kLong).ok());
  EXPECT_EQ(master.request<PutBlocksRequest>().sizes, blocks.sizes);
  MissingBlocksRequest names;
  names.sha256.assign(limits::kMaxListEntries, std::string(64, 'a'));
  EXPECT_TRUE(client->MissingBlocks(names, kLong).ok());
}

}  // namespace
}  // namespace dl::rpc
