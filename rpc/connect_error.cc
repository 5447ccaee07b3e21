#include "rpc/connect_error.h"

#include <netdb.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"

namespace dl::rpc {
namespace {

bool Contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

bool Says(std::string_view thrift_message, std::initializer_list<int> errors) {
  return std::any_of(errors.begin(), errors.end(),
                     [&](int error) { return Contains(thrift_message, std::strerror(error)); });
}

// Returns "node0 (10.0.0.7)", or only the host if it is an address or no address is known.
std::string HostAndAddress(const std::string& host) {
  addrinfo* found = nullptr;
  const addrinfo wanted = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
  if (getaddrinfo(host.c_str(), nullptr, &wanted, &found) != 0) return host;
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owned(found, freeaddrinfo);
  std::array<char, NI_MAXHOST> address = {};
  if (getnameinfo(found->ai_addr, found->ai_addrlen, address.data(), address.size(), nullptr, 0,
                  NI_NUMERICHOST) != 0)
    return host;
  return FormatMachine(host, address.data());
}

}  // namespace

std::string FormatMachine(const std::string& host, const std::string& address) {
  return address.empty() || host == address ? host : absl::StrCat(host, " (", address, ")");
}

Status TimeoutError(std::string_view what, const Endpoint& master) {
  return DeadlineExceeded(
      {.message = std::string(what),
       .where = ToString(master),
       .remedy = absl::StrCat("Try again. If this happens again, check the load of both machines "
                              "and the link: dl-submit doctor --master ",
                              ToString(master))});
}

Status ConnectError(const Endpoint& to, std::string_view thrift_message) {
  ErrorText error{.where = ToString(to)};
  if (Contains(thrift_message, "resolve host")) {
    error.message = absl::StrCat("no address is known for the host name ", to.host);
    error.remedy = "Check the name (getent hosts NAME), or give an address";
  } else if (Says(thrift_message, {ECONNREFUSED})) {
    error.message =
        absl::StrCat("nothing listens on port ", to.port, " of ", HostAndAddress(to.host));
    error.remedy = IsLoopback(to.host) ? "Start a master (dl-submit master), or check the port"
                                       : "Start dl-submit master there, or check the port. A "
                                         "master without --address listens only on its own machine";
  } else if (Says(thrift_message, {ETIMEDOUT}) || Contains(thrift_message, "timed out")) {
    error.message = absl::StrCat(HostAndAddress(to.host), " does not answer on port ", to.port);
    error.remedy = "Check that the machine runs, and that no firewall blocks the port";
  } else if (Says(thrift_message, {EHOSTUNREACH, ENETUNREACH})) {
    error.message = absl::StrCat("there is no route to ", HostAndAddress(to.host));
    error.remedy = "Check the address, the cable, and the routes of both machines (ip route get)";
  } else {
    error.message = absl::StrCat("cannot connect to the master: ", std::string(thrift_message));
    error.remedy = "Check the address, and that dl-submit master runs there.";
  }
  return Unavailable(error);
}

}  // namespace dl::rpc
