// A real server on a real port, and clients that send what browsers never would.
#include "web/http/http_server.h"

#include <atomic>
#include <latch>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/gate.h"
#include "tests/support/raw_http_client.h"
#include "tests/support/status_matchers.h"

namespace dl::web {
namespace {

using test::RawHttpClient;
using test::Request;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// Answers with the request's method, path and body. "/stream" is a stream, "/slow" waits for the
// gate, "/no" is refused before its body is read.
class EchoService final : public HttpService {
 public:
  std::variant<HttpResponse, BodyLimit> CheckHead(const HttpRequest& request) override {
    if (request.path == "/no") return HttpResponse{.status = 403, .body = "no"};
    return BodyLimit{.bytes = 16};
  }
  HttpResponse Answer(const HttpRequest& request) override {
    if (request.path == "/stream") {
      return {.stream = [this](StreamWriter& out) { Write(out); }};
    }
    if (request.path == "/slow") {
      started.count_down();
      gate.Wait();
    }
    return {.body = absl::StrCat(request.method, " ", request.path, " ", request.body)};
  }

  std::latch started{1};
  test::Gate gate;
  std::atomic<int> writes{0};
  test::Gate stream_ended;

 private:
  // Writes until the client has gone.
  void Write(StreamWriter& out) {
    while (out.Write(std::string(1000, 'x'))) ++writes;
    stream_ended.Open();
  }
};

class HttpServerTest : public testing::Test {
 protected:
  void Serve(HttpOptions options = {}) {
    auto server = HttpServer::Listen(std::move(options));
    DL_ASSERT_OK(server);
    server_ = *std::move(server);
    server_->Serve(service_);
  }
  int port() const { return server_->port(); }

  EchoService service_;
  std::unique_ptr<HttpServer> server_;
};

TEST_F(HttpServerTest, AnswersSeveralRequestsOfAConnection) {
  Serve();
  RawHttpClient client(port());
  for (int i = 0; i < 3; ++i) {
    client.Send(Request("GET", absl::StrCat("/", i)));
    const std::string response = client.ReadResponse();
    EXPECT_THAT(response, StartsWith("HTTP/1.1 200 OK\r\n"));
    EXPECT_THAT(response, EndsWith(absl::StrCat("GET /", i, " ")));
  }
}

TEST_F(HttpServerTest, AnswersRequestsThatArriveTogether) {
  Serve();
  RawHttpClient client(port());
  client.Send(Request("GET", "/first") + Request("GET", "/second"));
  EXPECT_THAT(client.ReadResponse(), EndsWith("GET /first "));
  EXPECT_THAT(client.ReadResponse(), EndsWith("GET /second "));
}

TEST_F(HttpServerTest, HeadHasTheLengthButNoBody) {
  Serve();
  RawHttpClient client(port());
  client.Send(Request("HEAD", "/a") + Request("GET", "/b"));
  EXPECT_THAT(client.ReadUntil("\r\n\r\n"), HasSubstr("Content-Length: 7\r\n"));
  EXPECT_THAT(client.ReadResponse(), StartsWith("HTTP/1.1 200 OK\r\n"));
}

TEST_F(HttpServerTest, BodyArrivesAlsoAfterAContinue) {
  Serve();
  RawHttpClient client(port());
  client.Send(Request("POST", "/a", "Content-Length: 4\r\nExpect: 100-continue\r\n"));
  EXPECT_THAT(client.ReadUntil("\r\n\r\n"), StartsWith("HTTP/1.1 100 Continue"));
  client.Send("body");
  EXPECT_THAT(client.ReadResponse(), EndsWith("POST /a body"));
}

TEST_F(HttpServerTest, BodyBeyondItsLimitIsRefusedUnread) {
  Serve();
  RawHttpClient client(port());
  client.Send(Request("POST", "/a", "Content-Length: 17\r\n"));
  EXPECT_THAT(client.ReadResponse(), StartsWith("HTTP/1.1 413 "));
  EXPECT_TRUE(client.IsClosed());
}

TEST_F(HttpServerTest, RefusedRequestWithABodyEndsTheConnection) {
  Serve();
  RawHttpClient client(port());
  // The body must not be taken for another request.
  client.Send(Request("POST", "/no", "Content-Length: 30\r\n") + Request("GET", "/smuggled"));
  const std::string all = client.ReadUntil("never", std::chrono::seconds(5));
  EXPECT_THAT(all, StartsWith("HTTP/1.1 403 "));
  EXPECT_THAT(all, Not(HasSubstr("smuggled")));
  EXPECT_TRUE(client.IsClosed());
}

TEST_F(HttpServerTest, InvalidRequestsGetAnErrorAndNoService) {
  Serve();
  const std::pair<std::string, const char*> cases[] = {
      {"rubbish\r\n\r\n", "400"},
      {Request("GET", "/%zz"), "400"},
      {Request("GET", "/a/../b"), "400"},
      {Request("GET", "/%2e%2e"), "400"},
      {Request("GET", "/a%00b"), "400"},
      {Request("GET", "/%ff"), "400"},
      {Request("GET", "http://elsewhere/"), "400"},
      {Request("GET", "/", "Host: elsewhere\r\n"), "400"},
      {Request("POST", "/a", "Transfer-Encoding: chunked\r\n"), "411"},
      {Request("GET", "/", absl::StrCat("X: ", std::string(20'000, 'x'), "\r\n")), "400"},
  };
  for (const auto& [request, status] : cases) {
    RawHttpClient client(port());
    client.Send(request);
    const std::string response = client.ReadResponse();
    EXPECT_THAT(response, StartsWith(absl::StrCat("HTTP/1.1 ", status, " "))) << request;
    EXPECT_THAT(response, HasSubstr("application/problem+json")) << request;
    EXPECT_TRUE(client.IsClosed()) << request;
  }
}

TEST_F(HttpServerTest, HeadThatDoesNotEndClosesTheConnection) {
  Serve({.head_deadline = std::chrono::milliseconds(100)});
  RawHttpClient client(port());
  client.Send("GET / HTTP/1.1\r\n");
  EXPECT_TRUE(client.IsClosed());
}

TEST_F(HttpServerTest, BodyThatDoesNotEndClosesTheConnection) {
  Serve({.body_deadline = std::chrono::milliseconds(100)});
  RawHttpClient client(port());
  client.Send(Request("POST", "/a", "Content-Length: 4\r\n") + "bo");
  EXPECT_TRUE(client.IsClosed());
}

TEST_F(HttpServerTest, ConnectionsBeyondTheLimitOfAnAddressAreClosed) {
  Serve({.max_connections_of_address = 2});
  RawHttpClient first(port());
  RawHttpClient second(port());
  for (RawHttpClient* client : {&first, &second}) {
    client->Send(Request("GET", "/"));
    EXPECT_THAT(client->ReadResponse(), StartsWith("HTTP/1.1 200 "));
  }
  RawHttpClient third(port());
  EXPECT_TRUE(third.IsClosed());
}

TEST_F(HttpServerTest, SlowAnswerDoesNotHoldUpOthers) {
  Serve({.threads = 2});
  RawHttpClient slow(port());
  slow.Send(Request("GET", "/slow"));
  service_.started.wait();
  RawHttpClient client(port());
  client.Send(Request("GET", "/fast"));
  EXPECT_THAT(client.ReadResponse(), EndsWith("GET /fast "));
  service_.gate.Open();
  EXPECT_THAT(slow.ReadResponse(), EndsWith("GET /slow "));
}

TEST_F(HttpServerTest, StreamEndsWhenItsClientCloses) {
  Serve();
  RawHttpClient client(port());
  client.Send(Request("GET", "/stream"));
  EXPECT_THAT(client.ReadUntil("\r\n\r\n"), HasSubstr("Transfer-Encoding: chunked"));
  EXPECT_THAT(client.ReadUntil("xxxx"), HasSubstr("3e8\r\n"));
  client.Close();
  service_.stream_ended.Wait();
}

TEST_F(HttpServerTest, StreamOfAClientThatDoesNotReadEndsAfterTheDeadline) {
  Serve({.body_deadline = std::chrono::milliseconds(200)});
  RawHttpClient client(port());
  client.Send(Request("GET", "/stream"));
  service_.stream_ended.Wait();
  // The pieces wait in buffers of the system, which are bounded.
  EXPECT_LT(service_.writes, 100'000);
}

TEST_F(HttpServerTest, StreamBeyondTheLimitGetsAnError) {
  Serve({.max_streams = 1});
  RawHttpClient first(port());
  first.Send(Request("GET", "/stream"));
  first.ReadUntil("xxxx");
  RawHttpClient second(port());
  second.Send(Request("GET", "/stream"));
  EXPECT_THAT(second.ReadResponse(), StartsWith("HTTP/1.1 503 "));
}

TEST_F(HttpServerTest, StopEndsStreamsAndIdleConnections) {
  Serve();
  RawHttpClient idle(port());
  idle.Send(Request("GET", "/"));
  idle.ReadResponse();
  RawHttpClient streams(port());
  streams.Send(Request("GET", "/stream"));
  streams.ReadUntil("xxxx");
  server_->Stop();
  server_.reset();
  service_.stream_ended.Wait();
  EXPECT_TRUE(idle.IsClosed());
  EXPECT_TRUE(streams.IsClosed());
}

TEST_F(HttpServerTest, InvalidOptionsAreErrors) {
  EXPECT_THAT(HttpServer::Listen({.port = 70'000}),
              test::IsError(absl::StatusCode::kInvalidArgument, "70000"));
  EXPECT_THAT(HttpServer::Listen({.address = "somewhere.invalid"}), testing::Not(test::IsOk()));
  EXPECT_THAT(HttpServer::Listen({.address = "0.0.0.0"}),
              test::IsError(absl::StatusCode::kFailedPrecondition, ""));
  Serve();
  EXPECT_THAT(HttpServer::Listen({.port = port()}),
              test::IsError(absl::StatusCode::kResourceExhausted, "--http"));
}

}  // namespace
}  // namespace dl::web
