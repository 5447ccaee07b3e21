#include "tests/support/raw_http_client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "base/clock.h"
#include "gtest/gtest.h"

namespace dl::test {

RawHttpClient::RawHttpClient(int port) : fd_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
}

RawHttpClient::~RawHttpClient() { Close(); }

void RawHttpClient::Close() {
  if (fd_ >= 0) close(fd_);
  fd_ = -1;
}

void RawHttpClient::Send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return;  // the server closed the connection, which the test sees when it reads
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
}

bool RawHttpClient::ReadSome(std::chrono::milliseconds limit) {
  pollfd wanted = {.fd = fd_, .events = POLLIN, .revents = 0};
  if (ended_ || poll(&wanted, 1, static_cast<int>(limit.count())) != 1) return false;
  char bytes[4096];
  const ssize_t count = recv(fd_, bytes, sizeof(bytes), 0);
  if (count <= 0) {
    ended_ = true;
    return false;
  }
  buffer_.append(bytes, static_cast<size_t>(count));
  return true;
}

std::string RawHttpClient::ReadUntil(std::string_view end, std::chrono::milliseconds limit) {
  const Instant until = Clock::Real().Now() + limit;
  size_t found = 0;
  while ((found = buffer_.find(end)) == std::string::npos) {
    const Duration left = until - Clock::Real().Now();
    if (left <= Duration::zero()) break;
    if (!ReadSome(std::chrono::ceil<std::chrono::milliseconds>(left))) break;
  }
  const size_t size = found == std::string::npos ? buffer_.size() : found + end.size();
  std::string read = buffer_.substr(0, size);
  buffer_.erase(0, size);
  return read;
}

std::string RawHttpClient::ReadResponse() {
  std::string response = ReadUntil("\r\n\r\n");
  constexpr std::string_view kLength = "Content-Length: ";
  const size_t at = response.find(kLength);
  if (at == std::string::npos) return response;
  return response + ReadBytes(std::strtoul(response.c_str() + at + kLength.size(), nullptr, 10));
}

std::string RawHttpClient::ReadBytes(size_t count) {
  while (buffer_.size() < count && ReadSome(std::chrono::seconds(20))) {
  }
  std::string read = buffer_.substr(0, count);
  buffer_.erase(0, count);
  return read;
}

bool RawHttpClient::IsClosed(std::chrono::milliseconds limit) {
  const Instant until = Clock::Real().Now() + limit;
  while (!ended_) {
    const Duration left = until - Clock::Real().Now();
    if (left <= Duration::zero()) return false;
    (void)ReadSome(std::chrono::ceil<std::chrono::milliseconds>(left));
  }
  return true;
}

std::string Request(std::string_view method, std::string_view target, std::string_view head) {
  return absl::StrCat(std::string(method), " ", std::string(target),
                      " HTTP/1.1\r\nHost: 127.0.0.1\r\n", std::string(head), "\r\n");
}

}  // namespace dl::test
