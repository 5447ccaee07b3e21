// Passes the body of a request to a BodySink.
#pragma once

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "web/http/body_sink.h"
#include "web/http/worker_pool.h"

namespace dl::web {

// Memory, in bytes, that the body of a connection takes, however long the body is.
inline constexpr size_t kBodyPieceBytes = size_t{256} << 10;
// A body may take HttpOptions::body_deadline plus the time in which it arrives at this rate.
inline constexpr int64_t kMinBodyBytesPerSecond = int64_t{64} << 10;

// Reads the body on the server's thread and writes it to the sink on a thread of the pool
// `writing`, one piece after the other. The client therefore sends no faster than the disk writes.
// The receiver keeps itself alive by its handlers.
template <typename Stream>
class BodyReceiver : public std::enable_shared_from_this<BodyReceiver<Stream>> {
 public:
  // Called once on the server's thread: with OK after the sink has taken the last byte, with an
  // error of the sink, or with Unavailable if the pool takes no more work. Not called if the
  // connection breaks off or is too slow; its destruction ends the connection.
  using Done = std::function<void(const Status&)>;

  // `stream`, `buffer` and `writing` must live until `done` is destroyed. `deadline`: most time in
  // which a piece of kBodyPieceBytes arrives.
  BodyReceiver(Stream& stream, boost::beast::flat_buffer& buffer, WorkerPool& writing,
               std::shared_ptr<BodySink> sink, std::chrono::milliseconds deadline)
      : stream_(stream),
        buffer_(buffer),
        writing_(writing),
        sink_(std::move(sink)),
        deadline_(deadline),
        piece_(kBodyPieceBytes) {}

  // `head` is a parser that has read the head of the request. The request has a Content-Length of
  // `length` bytes, more than 0.
  template <typename Head>
  void Start(Head&& head, int64_t length, Done done) {
    parser_ = std::make_unique<Parser>(std::forward<Head>(head));
    done_ = std::move(done);
    end_ = Clock::Real().Now() + deadline_ + std::chrono::seconds(length / kMinBodyBytesPerSecond);
    ReadPiece();
  }

 private:
  using Parser = boost::beast::http::request_parser<boost::beast::http::buffer_body>;

  void ReadPiece() {
    auto& body = parser_->get().body();
    body.data = piece_.data();
    body.size = piece_.size();
    const Duration left = std::min<Duration>(end_ - Clock::Real().Now(), deadline_);
    boost::beast::get_lowest_layer(stream_).expires_after(left);
    boost::beast::http::async_read(
        stream_, buffer_, *parser_,
        [self = this->shared_from_this()](boost::system::error_code error, size_t) {
          if (error && error != boost::beast::http::error::need_buffer) return;
          self->WritePiece();
        });
  }

  void WritePiece() {
    boost::beast::get_lowest_layer(stream_).expires_never();
    const size_t size = piece_.size() - parser_->get().body().size;
    const bool posted = writing_.Post([self = this->shared_from_this(), size]() mutable {
      auto status =
          std::make_shared<Status>(self->sink_->Write(std::string_view(self->piece_.data(), size)));
      const auto executor = self->stream_.get_executor();
      // Moved, because only the server's thread may destroy a connection.
      boost::asio::post(executor, [self = std::move(self), status] { self->OnWritten(*status); });
    });
    if (!posted) End(Unavailable({.message = "the server stops", .remedy = "Try again later"}));
  }

  void OnWritten(const Status& status) {
    if (!status.ok() || parser_->is_done()) return End(status);
    ReadPiece();
  }

  void End(const Status& status) {
    sink_.reset();
    std::exchange(done_, nullptr)(status);
  }

  Stream& stream_;
  boost::beast::flat_buffer& buffer_;
  WorkerPool& writing_;
  std::shared_ptr<BodySink> sink_;  // shared with the request, which the service answers later
  const std::chrono::milliseconds deadline_;
  std::vector<char> piece_;
  std::unique_ptr<Parser> parser_;
  Done done_;
  Instant end_;
};

}  // namespace dl::web
