// Bodies that a real server passes on piece by piece.
#include <atomic>
#include <memory>

#include "absl/strings/str_cat.h"
#include "base/mutex.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/gate.h"
#include "tests/support/raw_http_client.h"
#include "tests/support/status_matchers.h"
#include "web/http/body_receiver.h"
#include "web/http/http_server.h"

namespace dl::web {
namespace {

using test::RawHttpClient;
using test::Request;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

constexpr int64_t kLongestBody = int64_t{64} << 20;

// Counts of the bodies that sinks have taken.
struct Seen {
  std::atomic<int64_t> bytes{0}, pieces{0}, largest{0};
  std::atomic<bool> fails{false};
  test::Gate discarded, wrote;
};

class CountingSink final : public BodySink {
 public:
  explicit CountingSink(Seen& seen) : seen_(seen) {}
  ~CountingSink() override {
    if (!finished_) seen_.discarded.Open();
  }
  Status Write(std::string_view piece) override {
    seen_.wrote.Open();
    if (seen_.fails) return ResourceExhausted({.message = "the disk is full"});
    const auto size = static_cast<int64_t>(piece.size());
    seen_.bytes += size;
    ++seen_.pieces;
    if (size > seen_.largest) seen_.largest = size;
    return absl::OkStatus();
  }
  StatusOr<std::string> Finish() override {
    finished_ = true;
    return absl::StrCat("took ", seen_.bytes.load());
  }

 private:
  Seen& seen_;
  bool finished_ = false;
};

class SinkService final : public HttpService {
 public:
  std::variant<HttpResponse, BodyLimit> CheckHead(const HttpRequest&) override {
    return BodyLimit{
        .bytes = kLongestBody, .client = "ann", .sink = std::make_shared<CountingSink>(seen)};
  }
  HttpResponse Answer(const HttpRequest& request) override {
    EXPECT_TRUE(request.body.empty());
    return {.body = *request.sink->Finish()};
  }
  Seen seen;
};

class BodySinkTest : public testing::Test {
 protected:
  void Serve(HttpOptions options = {}) {
    auto server = HttpServer::Listen(std::move(options));
    DL_ASSERT_OK(server);
    server_ = *std::move(server);
    server_->Serve(service_);
  }
  static std::string Head(int64_t length) {
    return Request("POST", "/file", absl::StrCat("Content-Length: ", length, "\r\n"));
  }

  SinkService service_;
  std::unique_ptr<HttpServer> server_;
};

// The body is larger than the memory of all clients together.
TEST_F(BodySinkTest, LongBodyArrivesInPiecesOfLimitedSize) {
  Serve({.held_bytes = int64_t{2} << 20, .held_bytes_of_client = int64_t{1} << 20});
  RawHttpClient client(server_->port());
  constexpr int64_t kBody = int64_t{8} << 20;
  client.Send(Head(kBody));
  client.Send(std::string(kBody, 'x'));
  const std::string response = client.ReadResponse();
  EXPECT_THAT(response, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(response, EndsWith(absl::StrCat("took ", kBody)));
  EXPECT_GE(service_.seen.pieces, kBody / static_cast<int64_t>(kBodyPieceBytes));
  EXPECT_LE(service_.seen.largest, static_cast<int64_t>(kBodyPieceBytes));
}

TEST_F(BodySinkTest, NextRequestOfTheConnectionIsAnswered) {
  Serve();
  RawHttpClient client(server_->port());
  client.Send(Head(3) + "abc" + Head(2) + "de");
  EXPECT_THAT(client.ReadResponse(), EndsWith("took 3"));
  EXPECT_THAT(client.ReadResponse(), EndsWith("took 5"));
}

TEST_F(BodySinkTest, BodyThatBreaksOffIsDiscarded) {
  Serve();
  RawHttpClient client(server_->port());
  client.Send(Head(kLongestBody) + std::string(3 * kBodyPieceBytes, 'x'));
  service_.seen.wrote.Wait();
  client.Close();
  service_.seen.discarded.Wait();
}

TEST_F(BodySinkTest, BodyThatStallsIsDiscardedAfterTheDeadline) {
  Serve({.body_deadline = std::chrono::milliseconds(50)});
  RawHttpClient client(server_->port());
  client.Send(Head(100) + "x");
  EXPECT_TRUE(client.IsClosed());
  service_.seen.discarded.Wait();
}

TEST_F(BodySinkTest, ErrorOfTheSinkIsTheAnswer) {
  service_.seen.fails = true;
  Serve();
  RawHttpClient client(server_->port());
  client.Send(Head(1000) + std::string(1000, 'x'));
  const std::string response = client.ReadResponse();
  EXPECT_THAT(response, StartsWith("HTTP/1.1 429 "));
  EXPECT_THAT(response, HasSubstr("the disk is full"));
  service_.seen.discarded.Wait();
}

TEST_F(BodySinkTest, BodyBeyondTheLimitIsDiscarded) {
  Serve();
  for (const std::string& length : {absl::StrCat(kLongestBody + 1), absl::StrCat(INT64_MAX),
                                    std::string("9223372036854775808")}) {
    RawHttpClient client(server_->port());
    client.Send(Request("POST", "/file", absl::StrCat("Content-Length: ", length, "\r\n")));
    EXPECT_THAT(client.ReadResponse(), StartsWith("HTTP/1.1 413 ")) << length;
  }
}

}  // namespace
}  // namespace dl::web
