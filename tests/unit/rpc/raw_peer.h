// A peer that sends raw bytes, for messages that the product's client never sends.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <string>

namespace dl::rpc {

class RawPeer {
 public:
  // `source` is the loopback address that the peer connects from.
  explicit RawPeer(int port, const char* source = "127.0.0.1")
      : fd_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in from{.sin_family = AF_INET};
    ::inet_pton(AF_INET, source, &from.sin_addr);
    if (::bind(fd_, reinterpret_cast<sockaddr*>(&from), sizeof from) != 0) return;
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = ::connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
    // A stuck test fails instead of blocking for ever.
    timeval limit{.tv_sec = 60, .tv_usec = 0};
    ::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  }
  ~RawPeer() { ::close(fd_); }
  RawPeer(const RawPeer&) = delete;

  bool connected() const { return connected_; }

  // Returns false if the other side has closed the connection.
  bool Send(const std::string& bytes) {
    size_t sent = 0;
    while (sent < bytes.size()) {
      const ssize_t n = ::send(fd_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
      if (n <= 0) return false;
      sent += static_cast<size_t>(n);
    }
    return true;
  }

  // Closes the sending direction. The answer can still be read.
  void EndSending() { ::shutdown(fd_, SHUT_WR); }

  // Reads until the other side closes. Returns false if reading failed before.
  bool ClosedByPeer(std::string* answer = nullptr) {
    char buffer[4096];
    for (;;) {
      const ssize_t n = Receive(buffer, sizeof buffer, 0);
      if (n == 0) return true;
      if (n < 0) return errno == ECONNRESET;
      if (answer != nullptr) answer->append(buffer, static_cast<size_t>(n));
    }
  }

  // Returns whether the other side has closed, as far as the kernel knows now. Does not wait.
  bool IsClosed() {
    char byte;
    return ::recv(fd_, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
  }

  // Waits for the first byte of an answer, or for the end of the connection.
  void AwaitAnswer() {
    char byte;
    (void)Receive(&byte, 1, MSG_PEEK);
  }

  // Returns exactly `count` bytes, or fewer if the connection ended before.
  std::string Read(size_t count) {
    std::string bytes(count, '\0');
    size_t read = 0;
    while (read < count) {
      const ssize_t n = Receive(bytes.data() + read, count - read, 0);
      if (n <= 0) break;
      read += static_cast<size_t>(n);
    }
    bytes.resize(read);
    return bytes;
  }

 private:
  // Repeats the call if a signal interrupted it, for example because the process was stopped for a
  // moment.
  ssize_t Receive(char* to, size_t count, int flags) {
    for (;;) {
      const ssize_t n = ::recv(fd_, to, count, flags);
      if (n >= 0 || errno != EINTR) return n;
    }
  }

  int fd_;
  bool connected_ = false;
};

// A port at which the kernel accepts connections. The test program answers only if a test asks for
// it.
class RawListener {
 public:
  RawListener() : fd_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ::bind(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address);
    ::listen(fd_, 8);
    socklen_t size = sizeof address;
    ::getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
  }
  ~RawListener() { ::close(fd_); }
  RawListener(const RawListener&) = delete;

  int port() const { return port_; }

  // Accepts the next connection, waits for its first byte, sends `bytes`, and reads until the peer
  // closes.
  void AnswerOne(const std::string& bytes) {
    const int peer = ::accept(fd_, nullptr, nullptr);
    char byte;
    ::recv(peer, &byte, 1, 0);
    ::send(peer, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    ::shutdown(peer, SHUT_WR);
    while (::recv(peer, &byte, 1, 0) > 0) {
    }
    ::close(peer);
  }

 private:
  int fd_;
  int port_ = 0;
};

// Elements of Thrift's strict binary protocol.
inline std::string I32(uint32_t v) {
  return {static_cast<char>(v >> 24), static_cast<char>(v >> 16), static_cast<char>(v >> 8),
          static_cast<char>(v)};
}
inline std::string Text(const std::string& s) { return I32(static_cast<uint32_t>(s.size())) + s; }
inline std::string Field(char type, int id) {
  return {type, static_cast<char>(id >> 8), static_cast<char>(id)};
}
inline std::string CallHeader(const std::string& method) {
  return I32(0x80010001u) + Text(method) + I32(0);
}
// `credential`: "ID.SECRET" of a token.
inline std::string HelloCall(uint32_t protocol, const std::string& credential) {
  return CallHeader("Hello") + Field(12, 1) + Field(8, 1) + I32(protocol) + Field(11, 2) +
         Text("0.1") + Field(11, 3) + Text("raw peer") + Field(11, 4) + Text(credential) +
         std::string(2, '\0');
}

}  // namespace dl::rpc
