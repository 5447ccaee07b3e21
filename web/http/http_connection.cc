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
#include "base/mutex.h"
#include "web/http/http_error.h"

namespace dl::web {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using boost::system::error_code;
using PlainStream = beast::tcp_stream;
using TlsStream = beast::ssl_stream<beast::tcp_stream>;

constexpr uint32_t kMaxHeadBytes = 16 << 10;
// How long a connection stays open after its last response, so that the client can read it.
constexpr std::chrono::milliseconds kLinger{2'000};
// How often a stream that waits for its client looks whether the server stops.
constexpr std::chrono::milliseconds kStopLook{100};

// Returns the request of a parsed head, or an error for a head that no service should see.
StatusOr<HttpRequest> RequestOf(const http::request<http::string_body>& head) {
  HttpRequest request;
  request.method = std::string(head.method_string());
  if (head.method() == http::verb::head) request.method = "GET";
  const std::string target(head.target());
  request.path = target.substr(0, target.find('?'));
  DL_ASSIGN_OR_RETURN(request.target, ParseTarget(target));
  for (const auto& field : head) {
    const std::string name = absl::AsciiStrToLower(
        absl::string_view(field.name_string().data(), field.name_string().size()));
    std::string& value = request.headers[name];
    if (name == "host" && !value.empty())
      return InvalidArgument({.message = "the request has more than one Host"});
    absl::StrAppend(&value,
                    value.empty()      ? ""
                    : name == "cookie" ? "; "
                                       : ", ",
                    absl::string_view(field.value().data(), field.value().size()));
  }
  return request;
}

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

 private:
  // Writes chunks from another thread.
  class ChunkWriter final : public StreamWriter, public std::enable_shared_from_this<ChunkWriter> {
   public:
    explicit ChunkWriter(std::shared_ptr<Connection> connection)
        : connection_(std::move(connection)) {}
    // Only the server's thread may destroy a connection.
    ~ChunkWriter() override {
      const auto executor = connection_->stream_.get_executor();
      asio::post(executor, [connection = std::move(connection_)] {});
    }

    bool Write(std::string_view piece) override DL_EXCLUDES(mutex_) {
      if (piece.empty()) return !stopping();
      {
        MutexLock lock(mutex_);
        if (closed_) return false;
        written_ = false;
      }
      Post([self = this->shared_from_this(), text = std::make_shared<const std::string>(piece)] {
        self->connection_->WriteChunk(text, [self](bool ok) { self->Written(ok); });
      });
      return WaitUntilWritten();
    }
    bool stopping() const override { return connection_->context_.stopping; }
    // Ends the response. The connection continues with the next request, unless a write failed or
    // still waits for the client.
    void End() DL_EXCLUDES(mutex_) {
      MutexLock lock(mutex_);
      if (closed_) return;
      Post([connection = connection_] { connection->EndStream(); });
    }

   private:
    template <typename Work>
    void Post(Work work) {
      asio::post(connection_->stream_.get_executor(), std::move(work));
    }
    void Written(bool ok) DL_EXCLUDES(mutex_) {
      MutexLock lock(mutex_);
      written_ = true;
      closed_ = !ok;
      changed_.NotifyAll();
    }
    bool WaitUntilWritten() DL_EXCLUDES(mutex_) {
      MutexLock lock(mutex_);
      // A client that does not read must not hold up the end of the server.
      while (!written_ && !stopping()) changed_.WaitFor(mutex_, kStopLook);
      closed_ = closed_ || !written_;
      return !closed_;
    }

    std::shared_ptr<Connection> connection_;
    Mutex mutex_;
    CondVar changed_;
    bool written_ DL_GUARDED_BY(mutex_) = false;
    bool closed_ DL_GUARDED_BY(mutex_) = false;
  };

  PlainStream& Lowest() { return beast::get_lowest_layer(stream_); }

  void ReadHead(std::chrono::milliseconds deadline) {
    parser_.emplace();
    parser_->header_limit(kMaxHeadBytes);
    parser_->body_limit(static_cast<uint64_t>(limits::kMaxJsonBytes) * 2);
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
    auto admitted = context_.service.Admit(request_);
    const auto length = static_cast<int64_t>(parser_->content_length().value_or(0));
    if (auto* response = std::get_if<HttpResponse>(&admitted)) {
      return Send(std::move(*response), length == 0 && parser_->keep_alive());
    }
    const int64_t limit = std::get<BodyLimit>(admitted).bytes;
    if (length > limit) {
      return Refuse(413, ResourceExhausted({.message = absl::StrCat(
                                                "the body has ", length, " bytes, more than the ",
                                                limit, " that this request may have")}));
    }
    if (absl::AsciiStrToLower(std::string(request_.Header("expect"))) == "100-continue")
      return SendContinue();
    ReadBody();
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
    Lowest().expires_after(context_.options.body_deadline);
    http::async_read(stream_, buffer_, *parser_,
                     [self = this->shared_from_this()](error_code error, size_t) {
                       if (!error) self->CallService();
                     });
  }

  void CallService() {
    Lowest().expires_never();
    request_.body = std::move(parser_->get().body());
    const bool posted = context_.pool.Post([self = this->shared_from_this()]() mutable {
      auto response = std::make_shared<HttpResponse>(self->context_.service.Answer(self->request_));
      const auto executor = self->stream_.get_executor();
      // Moved, because only the server's thread may destroy a connection.
      asio::post(executor, [self = std::move(self), response] {
        self->Send(std::move(*response), self->parser_->keep_alive());
      });
    });
    if (!posted) {
      Send(ProblemResponse(Unavailable({.message = "too many requests wait for an answer",
                                        .remedy = "Try again in a second"})),
           parser_->keep_alive());
    }
  }

  // Answers a request whose body was not read.
  void Refuse(int status, const Status& error) { Send(ProblemResponse(status, error), false); }

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
    if (response.stream && !is_head_) return StartStream(std::move(response));
    Lowest().expires_after(context_.options.body_deadline);
    if (is_head_) {
      auto head = std::make_shared<http::response<http::empty_body>>();
      SetHead(*head, response);
      head->content_length(response.body.size());
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

  void NextRequest() {
    if (!keep_alive_) return Close();
    ReadHead(context_.options.idle_deadline);
  }

  void StartStream(HttpResponse response) {
    auto writer = std::make_shared<ChunkWriter>(this->shared_from_this());
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
    stream_head_->chunked(true);
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

  template <typename Done>
  void WriteChunk(const std::shared_ptr<const std::string>& text, Done done) {
    SendStreamHead([self = this->shared_from_this(), text, done](error_code failed) {
      if (failed) return done(false);
      asio::async_write(self->stream_, http::make_chunk(asio::buffer(*text)),
                        [self, text, done](error_code error, size_t) { done(!error); });
    });
  }

  void EndStream() {
    SendStreamHead([self = this->shared_from_this()](error_code failed) {
      if (failed) return;
      asio::async_write(self->stream_, http::make_chunk_last(), [self](error_code error, size_t) {
        if (!error) self->NextRequest();
      });
    });
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
  std::shared_ptr<http::response<http::empty_body>> stream_head_;  // not sent yet
  bool is_head_ = false;
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
  if (tls != nullptr) {
    std::make_shared<Connection<TlsStream>>(context, address, std::move(socket), *tls)->Start();
  } else {
    std::make_shared<Connection<PlainStream>>(context, address, std::move(socket))->Start();
  }
}

}  // namespace dl::web
