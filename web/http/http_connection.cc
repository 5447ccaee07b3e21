#include "web/http/http_connection.h"

#include <array>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/limits.h"
#include "web/http/body_receiver.h"
#include "web/http/connection_writer.h"
#include "web/http/http_error.h"
#include "web/http/request_head.h"

namespace dl::web {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using boost::system::error_code;
using PlainStream = beast::tcp_stream;
using TlsStream = beast::ssl_stream<beast::tcp_stream>;

constexpr uint32_t kMaxHeadBytes = 16 << 10;
constexpr int kSendBufferBytes = 128 << 10;  // the system uses up to twice as much
// How long a connection stays open after its last response, so that the client can read it.
constexpr std::chrono::milliseconds kLinger{2'000};
// How long an answer waits for the memory of connections that are being ended.
constexpr std::chrono::milliseconds kMemoryTimeout{2'000};

template <typename Stream>
class Connection : public std::enable_shared_from_this<Connection<Stream>> {
 public:
  template <typename... Arguments>
  Connection(ConnectionContext& context, std::string address, Arguments&&... arguments)
      : context_(context),
        address_(std::move(address)),
        stream_(std::forward<Arguments>(arguments)...) {
    ++context_.connections;
    ++context_.connections_of_address[address_];
  }
  ~Connection() {
    --context_.connections;
    if (--context_.connections_of_address[address_] == 0)
      context_.connections_of_address.erase(address_);
  }

  void Start() {
    holding_.emplace(context_.memory,
                     [executor = stream_.get_executor(), weak = this->weak_from_this()] {
                       asio::post(executor, [weak] {
                         if (const auto self = weak.lock()) self->Lowest().close();
                       });
                     });
    if constexpr (std::is_same_v<Stream, TlsStream>) {
      Lowest().expires_after(context_.options.head_deadline);
      stream_.async_handshake(asio::ssl::stream_base::server,
                              [self = this->shared_from_this()](error_code error) {
                                if (!error) self->ReadHead(self->context_.options.head_deadline);
                              });
    } else {
      ReadHead(context_.options.head_deadline);
    }
  }

  // For ConnectionWriter. The last two must be called on the server's thread.
  auto executor() { return stream_.get_executor(); }
  bool stopping() const { return context_.stopping; }
  // Sends a piece of a stream, after the head, then calls `done` with whether that succeeded.
  template <typename Done>
  void WritePiece(const std::shared_ptr<const std::string>& text, Done done) {
    SendStreamHead([self = this->shared_from_this(), text, done](error_code failed) {
      if (failed) return done(false);
      const auto written = [self, text, done](error_code error, size_t) { done(!error); };
      if (!self->left_) {
        return asio::async_write(self->stream_, http::make_chunk(asio::buffer(*text)), written);
      }
      if (static_cast<int64_t>(text->size()) > *self->left_) return done(false);
      *self->left_ -= static_cast<int64_t>(text->size());
      asio::async_write(self->stream_, asio::buffer(*text), written);
    });
  }

  void EndStream() {
    SendStreamHead([self = this->shared_from_this()](error_code failed) {
      if (failed) return;
      // The client sees that the body is shorter than the announced length.
      if (self->left_ && *self->left_ > 0) return self->Lowest().close();
      if (self->left_) return self->NextRequest();
      asio::async_write(self->stream_, http::make_chunk_last(), [self](error_code error, size_t) {
        if (!error) self->NextRequest();
      });
    });
  }

 private:
  PlainStream& Lowest() { return beast::get_lowest_layer(stream_); }

  void ReadHead(std::chrono::milliseconds deadline) {
    parser_.emplace();
    parser_->header_limit(kMaxHeadBytes);
    parser_->body_limit(static_cast<uint64_t>(INT64_MAX));  // the service limits bodies
    Lowest().expires_after(deadline);
    http::async_read_header(
        stream_, buffer_, *parser_,
        [self = this->shared_from_this()](error_code error, size_t) { self->OnHead(error); });
  }

  void OnHead(error_code error) {
    if (error == http::error::end_of_stream) return Close();
    if (error && error.category() == make_error_code(http::error::end_of_stream).category()) {
      return Refuse(
          error == http::error::body_limit ? 413 : 400,
          InvalidArgument({.message = "the request is not valid HTTP/1.1: " + error.message()}));
    }
    if (error) return;
    is_head_ = parser_->get().method() == http::verb::head;
    StatusOr<HttpRequest> request = RequestOf(parser_->get());
    if (!request.ok()) return Refuse(400, request.status());
    request_ = *std::move(request);
    request_.peer = address_;
    request_.encrypted = std::is_same_v<Stream, TlsStream>;
    if (parser_->chunked()) {
      return Refuse(411, InvalidArgument({.message = "the body has no Content-Length"}));
    }
    auto admitted = context_.service.CheckHead(request_);
    length_ = static_cast<int64_t>(parser_->content_length().value_or(0));
    client_keeps_alive_ = parser_->keep_alive();
    if (auto* response = std::get_if<HttpResponse>(&admitted)) {
      return Send(std::move(*response), length_ == 0 && client_keeps_alive_);
    }
    admitted_ = std::get<BodyLimit>(std::move(admitted));
    request_.sink = std::move(admitted_.sink);
    if (length_ > admitted_.bytes) return Refuse(413, TooLong(length_));
    const int64_t in_memory =
        request_.sink == nullptr ? Charged(length_) * admitted_.copies : int64_t{kBodyPieceBytes};
    const Status held = holding_->Hold(admitted_.client, in_memory, Duration::zero());
    if (!held.ok()) return Refuse(HttpStatusOf(held), held);
    holding_->BeginWaitingForPeer();
    if (absl::AsciiStrToLower(std::string(request_.Header("expect"))) == "100-continue")
      return SendContinue();
    ReadBody();
  }

  Status TooLong(int64_t length) const {
    return ResourceExhausted(
        {.message = absl::StrCat("the body has ", length, " bytes, more than the ", admitted_.bytes,
                                 " that this request may have"),
         .remedy = admitted_.remedy});
  }

  void SendContinue() {
    Lowest().expires_after(context_.options.body_deadline);
    auto head = std::make_shared<http::response<http::empty_body>>(http::status::continue_, 11);
    http::async_write(stream_, *head,
                      [self = this->shared_from_this(), head](error_code error, size_t) {
                        if (!error) self->ReadBody();
                      });
  }

  void ReadBody() {
    if (request_.sink != nullptr && length_ > 0) return ReceiveBody();
    Lowest().expires_after(context_.options.body_deadline);
    http::async_read(stream_, buffer_, *parser_,
                     [self = this->shared_from_this()](error_code error, size_t) {
                       if (!error) self->CallService();
                     });
  }

  void ReceiveBody() {
    std::make_shared<BodyReceiver<Stream>>(stream_, buffer_, context_.writing, request_.sink,
                                           context_.options.body_deadline)
        ->Start(std::move(*parser_), length_,
                [self = this->shared_from_this()](const Status& received) {
                  if (!received.ok()) return self->Refuse(HttpStatusOf(received), received);
                  self->CallService();
                });
  }

  void CallService() {
    Lowest().expires_never();
    holding_->EndWaitingForPeer();
    if (request_.sink == nullptr) request_.body = std::move(parser_->get().body());
    WorkerPool& pool = admitted_.computes ? context_.computing : context_.pool;
    const bool posted = pool.Post([self = this->shared_from_this()]() mutable {
      auto response = std::make_shared<HttpResponse>(self->AnswerOfService());
      const auto executor = self->stream_.get_executor();
      // Moved, because only the server's thread may destroy a connection.
      asio::post(executor, [self = std::move(self), response] {
        self->Send(std::move(*response), self->client_keeps_alive_);
      });
    });
    if (!posted) {
      Send(ProblemResponse(Unavailable({.message = "too many requests wait for an answer",
                                        .remedy = "Try again in a second"})),
           client_keeps_alive_);
    }
  }

  // Called on a thread of a pool.
  HttpResponse AnswerOfService() {
    if (context_.stopping) return ProblemResponse(Unavailable({.message = "the server stops"}));
    HttpResponse response = context_.service.Answer(request_);
    request_.body = std::string();
    request_.sink = nullptr;
    // The stream is destroyed here, because this may wait for another process.
    if (is_head_ && response.stream) response.stream = [](StreamWriter&) {};
    const int64_t bytes =
        response.stream ? response.held_bytes : static_cast<int64_t>(response.body.size());
    const Status held = holding_->Hold(admitted_.client, Charged(bytes), kMemoryTimeout);
    return held.ok() ? std::move(response) : ProblemResponse(held);
  }

  // Returns the bytes that are charged for a body of this size.
  static int64_t Charged(int64_t bytes) {
    return bytes <= limits::kUnchargedMessageBytes ? 0 : bytes;
  }

  // Answers a request whose body was not read.
  void Refuse(int status, const Status& error) {
    request_.sink = nullptr;
    Send(ProblemResponse(status, error), false);
  }

  template <typename Body>
  void SetHead(http::response<Body>& head, const HttpResponse& response) {
    head.version(11);
    head.result(static_cast<unsigned>(response.status));
    head.set(http::field::content_type, response.content_type);
    for (const auto& [name, value] : response.headers) head.insert(name, value);
    head.keep_alive(keep_alive_);
  }

  void Send(HttpResponse response, bool keep_alive) {
    keep_alive_ = keep_alive && !context_.stopping;
    holding_->BeginWaitingForPeer();
    if (response.stream && !is_head_) return StartStream(std::move(response));
    Lowest().expires_after(context_.options.body_deadline);
    if (is_head_) {
      auto head = std::make_shared<http::response<http::empty_body>>();
      SetHead(*head, response);
      if (!response.stream) response.length = static_cast<int64_t>(response.body.size());
      SetLength(*head, response.length);
      return SendMessage(std::move(head));
    }
    auto message = std::make_shared<http::response<http::string_body>>();
    SetHead(*message, response);
    message->body() = std::move(response.body);
    message->prepare_payload();
    SendMessage(std::move(message));
  }

  template <typename Message>
  void SendMessage(std::shared_ptr<Message> message) {
    // A serializer writes the head alone for an empty body with a length (HEAD).
    auto serializer =
        std::make_shared<http::response_serializer<typename Message::body_type>>(*message);
    http::async_write(
        stream_, *serializer,
        [self = this->shared_from_this(), message, serializer](error_code error, size_t) {
          if (!error) self->NextRequest();
        });
  }

  // Without a length, the body is sent in chunks.
  static void SetLength(http::response<http::empty_body>& head, std::optional<int64_t> length) {
    if (length) return head.content_length(static_cast<uint64_t>(*length));
    head.chunked(true);
  }

  void NextRequest() {
    holding_->Release();
    if (!keep_alive_) return Close();
    ReadHead(context_.options.idle_deadline);
  }

  void StartStream(HttpResponse response) {
    auto writer = std::make_shared<ConnectionWriter<Connection>>(this->shared_from_this());
    const bool started = context_.streams.Start([writer, body = std::move(response.stream)] {
      body(*writer);
      writer->End();
    });
    if (!started) {
      return Send(ProblemResponse(Unavailable({.message = "too many streams are open",
                                               .remedy = "Close some pages, then try again"})),
                  keep_alive_);
    }
    stream_head_ = std::make_shared<http::response<http::empty_body>>();
    SetHead(*stream_head_, response);
    SetLength(*stream_head_, response.length);
    left_ = response.length;
  }

  // Sends the head of a stream if it was not sent yet, then calls `next` with whether that failed.
  template <typename Next>
  void SendStreamHead(Next next) {
    Lowest().expires_after(context_.options.body_deadline);
    if (stream_head_ == nullptr) return next(error_code());
    auto head = std::exchange(stream_head_, nullptr);
    auto serializer = std::make_shared<http::response_serializer<http::empty_body>>(*head);
    http::async_write_header(stream_, *serializer,
                             [self = this->shared_from_this(), head, serializer, next](
                                 error_code error, size_t) { next(error); });
  }

  // Ends the connection after its last response. A socket that is closed while bytes of the client
  // arrive would discard the response, so they are read for a while.
  void Close() {
    Lowest().expires_after(kLinger);
    if constexpr (std::is_same_v<Stream, TlsStream>) {
      stream_.async_shutdown([self = this->shared_from_this()](error_code) {});
    } else {
      error_code ignored;
      stream_.socket().shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
      Discard();
    }
  }
  void Discard() {
    stream_.async_read_some(asio::buffer(discarded_),
                            [self = this->shared_from_this()](error_code error, size_t) {
                              if (!error) self->Discard();
                            });
  }

  ConnectionContext& context_;
  const std::string address_;
  Stream stream_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  HttpRequest request_;
  BodyLimit admitted_;
  std::optional<HeldMemory::Holding> holding_;
  std::shared_ptr<http::response<http::empty_body>> stream_head_;  // not sent yet
  std::optional<int64_t> left_;  // bytes that the stream has to write; nullopt: chunks
  int64_t length_ = 0;           // of the request's body
  bool is_head_ = false;
  bool client_keeps_alive_ = false;
  bool keep_alive_ = false;
  std::array<char, 4096> discarded_;
};

}  // namespace

void ServeConnection(ConnectionContext& context, asio::ip::tcp::socket socket,
                     asio::ssl::context* tls) {
  error_code error;
  const asio::ip::tcp::endpoint peer = socket.remote_endpoint(error);
  if (error) return;
  const std::string address = peer.address().to_string();
  const auto found = context.connections_of_address.find(address);
  const int64_t of_address = found == context.connections_of_address.end() ? 0 : found->second;
  if (context.connections >= context.options.max_connections ||
      of_address >= context.options.max_connections_of_address) {
    return;
  }
  socket.set_option(asio::ip::tcp::no_delay(true), error);
  // Otherwise the system may hold megabytes for a client that does not read.
  socket.set_option(asio::socket_base::send_buffer_size(kSendBufferBytes), error);
  if (tls != nullptr) {
    std::make_shared<Connection<TlsStream>>(context, address, std::move(socket), *tls)->Start();
  } else {
    std::make_shared<Connection<PlainStream>>(context, address, std::move(socket))->Start();
  }
}

}  // namespace dl::web
