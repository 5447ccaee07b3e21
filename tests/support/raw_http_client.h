// A connection that sends any bytes to an HTTP server, also wrong ones.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace dl::test {

class RawHttpClient {
 public:
  // Connects to a port of 127.0.0.1. Fails the test if that is not possible.
  explicit RawHttpClient(int port);
  ~RawHttpClient();
  RawHttpClient(const RawHttpClient&) = delete;
  RawHttpClient& operator=(const RawHttpClient&) = delete;

  void Send(std::string_view bytes);
  // Reads until `end` was read, the server closes the connection, or `limit` has passed. Returns
  // all bytes so far that no earlier call returned.
  std::string ReadUntil(std::string_view end,
                        std::chrono::milliseconds limit = std::chrono::seconds(20));
  // Reads one response with a Content-Length: its head and its body.
  std::string ReadResponse();
  // Reads this number of bytes, or fewer if the server closes the connection or sends none for 20
  // s.
  std::string ReadBytes(size_t count);
  // Reads until the server closes the connection. Returns false if it does not within `limit`.
  bool IsClosed(std::chrono::milliseconds limit = std::chrono::seconds(20));
  void Close();

 private:
  // Reads some bytes into `buffer_`. Returns false at the end or after the limit.
  bool ReadSome(std::chrono::milliseconds limit);

  int fd_ = -1;
  bool ended_ = false;
  std::string buffer_;
};

// Returns a request without a body. `head` has further lines, each with its line end.
std::string Request(std::string_view method, std::string_view target, std::string_view head = "");

}  // namespace dl::test
