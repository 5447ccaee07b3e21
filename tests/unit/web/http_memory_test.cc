// The memory of a server whose clients do not read.
#include <malloc.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/limits.h"
#include "base/mutex.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/raw_http_client.h"
#include "tests/support/status_matchers.h"
#include "web/http/http_server.h"

namespace dl::web {
namespace {

using test::RawHttpClient;
using test::Request;
using testing::HasSubstr;
using testing::StartsWith;

constexpr int64_t kAnswerBytes = 4 << 20;
constexpr int64_t kHeld = 64 << 20;  // as docs/security.md states

int64_t HeapBytes() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<int64_t>(info.uordblks + info.hblkhd);
}

// Answers "/CLIENT/..." with kAnswerBytes, and records how large the heap was. "/CLIENT/stream"
// writes as many bytes piece by piece. "/CLIENT/short" announces them and writes half of them.
class LargeAnswers final : public HttpService {
 public:
  std::variant<HttpResponse, BodyLimit> CheckHead(const HttpRequest& request) override {
    return BodyLimit{.bytes = kAnswerBytes, .client = request.target.segments[0]};
  }
  HttpResponse Answer(const HttpRequest& request) override {
    if (request.path.ends_with("/stream") || request.path.ends_with("/short")) {
      const int64_t written = request.path.ends_with("/short") ? kAnswerBytes / 2 : kAnswerBytes;
      return {.stream =
                  [written](StreamWriter& out) {
                    const std::string piece(1 << 16, 'x');
                    for (int64_t at = 0; at < written; at += std::ssize(piece)) {
                      if (!out.Write(piece)) return;
                    }
                  },
              .length = kAnswerBytes};
    }
    HttpResponse response{.body = std::string(kAnswerBytes, 'x')};
    MutexLock lock(mutex_);
    most_ = std::max(most_, HeapBytes());
    ++answered_;
    changed_.NotifyAll();
    return response;
  }
  // Returns the largest heap after this number of answers.
  int64_t MostAfter(int answers) {
    MutexLock lock(mutex_);
    while (answered_ < answers) changed_.Wait(mutex_);
    return most_;
  }

 private:
  Mutex mutex_;
  CondVar changed_;
  int answered_ DL_GUARDED_BY(mutex_) = 0;
  int64_t most_ DL_GUARDED_BY(mutex_) = 0;
};

class HttpMemoryTest : public testing::Test {
 protected:
  void Serve(HttpOptions options = {}) {
    options_ = options;
    auto server = HttpServer::Listen(std::move(options));
    DL_ASSERT_OK(server);
    server_ = *std::move(server);
    server_->Serve(service_);
  }

  HttpOptions options_;
  LargeAnswers service_;
  std::unique_ptr<HttpServer> server_;
};

TEST_F(HttpMemoryTest, AllConnectionsOfManyClientsHoldBoundedMemory) {
  Serve();
  // The share of one address, because all clients of this test have one.
  const int64_t connections = options_.max_connections_of_address - 1;
  constexpr int64_t kOfClient = 32;
  const int64_t before = HeapBytes();
  std::vector<std::unique_ptr<RawHttpClient>> clients;
  for (int64_t i = 0; i < connections; ++i) {
    clients.push_back(std::make_unique<RawHttpClient>(server_->port()));
    clients.back()->Send(Request("GET", absl::StrCat("/client", i / kOfClient, "/answer")));
  }
  const int64_t most = service_.MostAfter(static_cast<int>(connections)) - before;
  const int64_t of_connections = connections * (limits::kUnchargedMessageBytes + (128 << 10));
  EXPECT_LE(most, kHeld + (options_.threads + 1) * kAnswerBytes + of_connections);
  // A client that holds little gets its answer, because others end for it.
  RawHttpClient reader(server_->port());
  reader.Send(Request("GET", "/reader/answer"));
  const std::string response = reader.ReadResponse();
  EXPECT_THAT(response.substr(0, 100), StartsWith("HTTP/1.1 200 "));
  EXPECT_GT(std::ssize(response), kAnswerBytes);
}

TEST_F(HttpMemoryTest, ClientAtItsShareIsRefusedUntilItReads) {
  Serve({.held_bytes_of_client = kAnswerBytes});
  RawHttpClient slow(server_->port());
  slow.Send(Request("GET", "/client/answer"));
  service_.MostAfter(1);
  slow.ReadUntil("\r\n\r\n");
  RawHttpClient second(server_->port());
  second.Send(Request("GET", "/client/answer"));
  const std::string refused = second.ReadResponse();
  EXPECT_THAT(refused, StartsWith("HTTP/1.1 429 "));
  EXPECT_THAT(refused, HasSubstr("Read the answers"));
  slow.Send(Request("GET", "/client/answer"));
  slow.ReadUntil("HTTP/1.1 200 ");
  EXPECT_THAT(slow.ReadUntil("\r\n\r\n"), HasSubstr("Content-Length"));
}

TEST_F(HttpMemoryTest, BodiesThatDoNotArriveHoldTheShareOfTheirClientOnly) {
  Serve({.held_bytes_of_client = kAnswerBytes});
  const std::string announced = absl::StrCat("Content-Length: ", kAnswerBytes, "\r\n");
  RawHttpClient stalled(server_->port());
  stalled.Send(Request("POST", "/client/answer", announced + "Expect: 100-continue\r\n"));
  EXPECT_THAT(stalled.ReadUntil("\r\n\r\n"), StartsWith("HTTP/1.1 100 "));
  RawHttpClient second(server_->port());
  second.Send(Request("POST", "/client/answer", announced));
  EXPECT_THAT(second.ReadResponse(), StartsWith("HTTP/1.1 429 "));
  RawHttpClient other(server_->port());
  other.Send(Request("POST", "/other/stream", announced) + std::string(kAnswerBytes, 'b'));
  EXPECT_THAT(other.ReadResponse().substr(0, 20), StartsWith("HTTP/1.1 200 "));
}

TEST_F(HttpMemoryTest, StreamWithALengthIsSentWithoutChunks) {
  Serve();
  RawHttpClient client(server_->port());
  for (int i = 0; i < 2; ++i) {
    client.Send(Request("GET", "/client/stream"));
    const std::string response = client.ReadResponse();
    const size_t body = response.find("\r\n\r\n") + 4;
    EXPECT_THAT(response.substr(0, body), HasSubstr("Content-Length: 4194304\r\n"));
    EXPECT_EQ(response.substr(body), std::string(kAnswerBytes, 'x'));
  }
  client.Send(Request("HEAD", "/client/stream"));
  EXPECT_THAT(client.ReadUntil("\r\n\r\n"), HasSubstr("Content-Length: 4194304\r\n"));
}

TEST_F(HttpMemoryTest, StreamThatIsTooShortClosesTheConnection) {
  Serve();
  RawHttpClient client(server_->port());
  client.Send(Request("GET", "/client/short"));
  const std::string response = client.ReadUntil("never");
  EXPECT_THAT(response.substr(0, 20), StartsWith("HTTP/1.1 200 "));
  EXPECT_LT(std::ssize(response), kAnswerBytes);
  EXPECT_TRUE(client.IsClosed());
}

}  // namespace
}  // namespace dl::web
