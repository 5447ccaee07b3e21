// Writes the body of a response piece by piece to a connection, from another thread.
#pragma once

#include <boost/asio/post.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "base/mutex.h"
#include "web/http/stream_writer.h"

namespace dl::web {

// How often a stream that waits for its client looks whether the server stops.
inline constexpr std::chrono::milliseconds kStopCheckInterval{100};

// `Connection` has executor(), stopping(), WritePiece() and EndStream().
template <typename Connection>
class ConnectionWriter final : public StreamWriter,
                               public std::enable_shared_from_this<ConnectionWriter<Connection>> {
 public:
  explicit ConnectionWriter(std::shared_ptr<Connection> connection)
      : connection_(std::move(connection)) {}
  // Only the server's thread may destroy a connection.
  ~ConnectionWriter() override {
    const auto executor = connection_->executor();
    boost::asio::post(executor, [connection = std::move(connection_)] {});
  }

  bool Write(std::string_view piece) override DL_EXCLUDES(mutex_) {
    if (piece.empty()) return !stopping();
    {
      MutexLock lock(mutex_);
      if (closed_) return false;
      written_ = false;
    }
    Post([self = this->shared_from_this(), text = std::make_shared<const std::string>(piece)] {
      self->connection_->WritePiece(text, [self](bool ok) { self->Written(ok); });
    });
    return WaitUntilWritten();
  }
  bool stopping() const override { return connection_->stopping(); }
  // Ends the response, and the connection continues. Has no effect if a write failed or still waits
  // for the client. The connection then closes when this object is destroyed.
  void End() DL_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    if (closed_) return;
    Post([connection = connection_] { connection->EndStream(); });
  }

 private:
  template <typename Work>
  void Post(Work work) {
    boost::asio::post(connection_->executor(), std::move(work));
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
    while (!written_ && !stopping()) changed_.WaitFor(mutex_, kStopCheckInterval);
    closed_ = closed_ || !written_;
    return !closed_;
  }

  std::shared_ptr<Connection> connection_;
  Mutex mutex_;
  CondVar changed_;
  bool written_ DL_GUARDED_BY(mutex_) = false;
  bool closed_ DL_GUARDED_BY(mutex_) = false;
};

}  // namespace dl::web
