#include "rpc/socket_owner.h"

#include <netinet/in.h>

#include <cstring>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "base/files.h"
#include "rpc/socket_diag.h"

namespace dl::rpc {
namespace {

constexpr char kTcp[] = "/proc/net/tcp";
constexpr char kTcp6[] = "/proc/net/tcp6";
constexpr int64_t kMaxTableBytes = 64 << 20;
// The table is read in pieces, and a concurrent change may hide a line, so reading is repeated.
constexpr int kReadings = 5;
// Prefix of IPv4-mapped addresses in the IPv6 table.
constexpr char kMapped[] = "0000000000000000FFFF0000";

// Example: "  0: 0100007F:1BA5 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000 0 1605
// ..."
struct Line {
  std::string local, remote;
  bool listens = false;
  uid_t user = 0;
  // False if no process has accepted the socket yet, or its process has closed it. Older kernels
  // then report user 0, regardless of the listener's user.
  bool has_file = false;
};

std::optional<Line> ParseLine(const std::string& text) {
  const std::vector<std::string> words = absl::StrSplit(text, ' ', absl::SkipEmpty());
  Line line;
  uint64_t inode = 0;
  if (words.size() < 10 || !absl::SimpleAtoi(words[7], &line.user) ||
      !absl::SimpleAtoi(words[9], &inode)) {
    return std::nullopt;
  }
  line.local = words[1];
  line.remote = words[2];
  line.listens = words[3] == "0A";
  line.has_file = inode != 0;
  return line;
}

// Returns the first line that contains `text` and satisfies `matches`.
template <typename Matches>
std::optional<Line> Find(const std::string& table, const std::string& text, Matches matches) {
  for (size_t at = table.find(text); at != std::string::npos; at = table.find(text, at + 1)) {
    const size_t begin = table.rfind('\n', at) + 1;  // npos + 1 is 0
    auto line = ParseLine(table.substr(begin, table.find('\n', at) - begin));
    if (line && matches(*line)) return line;
  }
  return std::nullopt;
}

std::string ColonPort(int port) { return absl::StrFormat(":%04X", port); }

// An address as written in the tables. Empty if it is not an internet address.
struct Spelling {
  std::string v4, v6, port;
};

Spelling SpellingOf(const sockaddr_storage& end) {
  Spelling spelling;
  if (end.ss_family == AF_INET) {
    sockaddr_in address;
    memcpy(&address, &end, sizeof address);
    spelling.port = ColonPort(ntohs(address.sin_port));
    spelling.v4 = absl::StrFormat("%08X", address.sin_addr.s_addr);
    spelling.v6 = kMapped + spelling.v4;
  } else if (end.ss_family == AF_INET6) {
    sockaddr_in6 address;
    memcpy(&address, &end, sizeof address);
    spelling.port = ColonPort(ntohs(address.sin6_port));
    uint32_t words[4];
    memcpy(words, &address.sin6_addr, sizeof words);
    spelling.v6 = absl::StrFormat("%08X%08X%08X%08X", words[0], words[1], words[2], words[3]);
    if (spelling.v6.starts_with(kMapped)) spelling.v4 = spelling.v6.substr(sizeof kMapped - 1);
  }
  return spelling;
}

// Returns the owner of the listener that accepts connections to the address. A listener on the
// address itself has priority over a listener on all addresses.
std::optional<uid_t> OwnerOfListenerAt(const std::string& tcp, const std::string& tcp6,
                                       const Spelling& end) {
  struct Place {
    const std::string& table;
    std::string address;
  };
  std::vector<Place> places;
  if (!end.v4.empty()) places.push_back({tcp, end.v4});
  places.push_back({tcp6, end.v6});
  if (!end.v4.empty()) places.push_back({tcp, "00000000"});
  places.push_back({tcp6, std::string(32, '0')});
  for (const Place& place : places) {
    const std::string local = place.address + end.port;
    const auto line = Find(place.table, absl::StrCat(" ", local, " "),
                           [&](const Line& each) { return each.listens && each.local == local; });
    if (line) return line->user;
  }
  return std::nullopt;
}

}  // namespace

std::optional<uid_t> OwnerOfListener(int port) {
  for (const char* table : {kTcp, kTcp6}) {
    const auto text = ReadFile(table, kMaxTableBytes);
    if (!text.ok()) continue;
    const std::string end = ColonPort(port);
    const auto line = Find(*text, end + " ", [&](const Line& each) {
      return each.listens && each.local.ends_with(end);
    });
    if (line) return line->user;
  }
  return std::nullopt;
}

std::optional<uid_t> OwnerOfPeer(const std::string& tcp, const std::string& tcp6,
                                 const SocketEnds& ends) {
  const Spelling local = SpellingOf(ends.remote), remote = SpellingOf(ends.local);
  std::optional<Line> line;
  const auto look = [&](const std::string& table, const std::string& at, const std::string& to) {
    if (line || at.empty() || to.empty()) return;
    const std::string text = absl::StrCat(" ", at, local.port, " ", to, remote.port, " ");
    line = Find(table, text, [](const Line& each) { return !each.listens; });
  };
  look(tcp, local.v4, remote.v4);
  look(tcp6, local.v6, remote.v6);
  if (!line) return std::nullopt;
  if (line->has_file) return line->user;
  return OwnerOfListenerAt(tcp, tcp6, local);
}

namespace {

// Asks the kernel instead of reading the tables, which is slow with many connections.
std::optional<uid_t> AskForOwner(const SocketEnds& ends) {
  auto found = FindSocket(ends.remote, ends.local);
  if (found && !found->has_file)
    found = FindSocket(ends.remote, {.ss_family = ends.remote.ss_family});
  if (!found || !found->has_file) return std::nullopt;
  return found->user;
}

}  // namespace

std::optional<uid_t> OwnerOfPeer(int fd) {
  SocketEnds ends;
  socklen_t size = sizeof ends.local;
  if (::getsockname(fd, reinterpret_cast<sockaddr*>(&ends.local), &size) != 0) return std::nullopt;
  size = sizeof ends.remote;
  if (::getpeername(fd, reinterpret_cast<sockaddr*>(&ends.remote), &size) != 0) return std::nullopt;
  if (const auto owner = AskForOwner(ends)) return owner;
  for (int i = 0; i < kReadings; ++i) {
    const std::string tcp = ReadFile(kTcp, kMaxTableBytes).value_or("");
    // The IPv6 table is read only if needed, because reading a table is slow on a large machine.
    auto owner = OwnerOfPeer(tcp, "", ends);
    if (!owner) owner = OwnerOfPeer(tcp, ReadFile(kTcp6, kMaxTableBytes).value_or(""), ends);
    if (owner) return owner;
  }
  return std::nullopt;
}

}  // namespace dl::rpc
