#include "launch/daemons/data_folder.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/files.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/system_error.h"
#include "launch/host_name.h"

namespace dl::launch {
namespace {

constexpr size_t kLongestCommand = 200;

std::string HolderFile(const std::string& path) { return path + "/holder"; }

// Describes a lock of the whole file. It is used as a lock of the open file description, not of the
// process, so closing another descriptor of the file does not release it.
struct flock WholeFile() {
  struct flock lock = {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  return lock;
}

// Returns the command line of a process without the folder of its program; "" if the process does
// not exist. `process` is "self" or an id.
std::string CommandOf(const std::string& process) {
  auto text = ReadFile(absl::StrCat("/proc/", process, "/cmdline"), limits::kMaxHolderBytes);
  if (!text.ok()) return "";
  while (!text->empty() && text->back() == '\0') text->pop_back();
  for (char& c : *text) c = c == '\0' ? ' ' : c;
  const size_t program = text->substr(0, text->find(' ')).rfind('/');
  std::string command = program == std::string::npos ? *text : text->substr(program + 1);
  if (command.size() > kLongestCommand) command = command.substr(0, kLongestCommand) + "...";
  return command;
}

FolderHolder ReadHolder(const std::string& path) {
  FolderHolder holder;
  // The holder stays unnamed while it writes the file, or if another version wrote it.
  auto text = ReadFile(HolderFile(path), limits::kMaxHolderBytes);
  auto json = text.ok() ? ParseJson(*text, "holder") : text.status();
  if (!json.ok() || !json->is_object()) return holder;
  const auto read = [&](const char* key, auto& value) {
    if (auto found = json->find(key); found != json->end()) {
      if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::string>) {
        if (found->is_string()) value = found->get<std::string>();
      } else if (found->is_number_integer()) {
        value = found->get<int64_t>();
      }
    }
  };
  read("pid", holder.pid);
  read("command", holder.command);
  read("master", holder.master);
  read("machine", holder.machine);
  if (holder.machine == HostName()) {
    holder.machine.clear();
  } else {  // a folder of a network file system
    holder.master.clear();
    read("elsewhere", holder.master);
  }
  return holder;
}

Status Write(int fd, const HolderAddresses& addresses) {
  const std::string text = JsonText({{"pid", getpid()},
                                     {"command", CommandOf("self")},
                                     {"machine", HostName()},
                                     {"master", addresses.on_its_machine},
                                     {"elsewhere", addresses.on_other_machines}}) +
                           "\n";
  if (ftruncate(fd, 0) != 0 ||
      pwrite(fd, text.data(), text.size(), 0) != static_cast<ssize_t>(text.size())) {
    return SystemError(errno, "write who holds the data folder", "holder");
  }
  return absl::OkStatus();
}

}  // namespace

Status FolderInUse(const std::string& path, const FolderHolder& holder) {
  const std::string who = holder.pid == 0
                              ? "another process"
                              : absl::StrCat("process ", holder.pid, " (", holder.command, ")",
                                             holder.machine.empty() ? "" : " on ", holder.machine);
  return FailedPrecondition(
      {.message = absl::StrCat("the data folder is in use by ", who),
       .where = path,
       .remedy = holder.master.empty()
                     ? "Wait until it ends, stop it, or use another --data-dir"
                     : absl::StrCat("Stop it, use another --data-dir, or use it with --master ",
                                    holder.master)});
}

StatusOr<DataFolder> DataFolder::Open(const std::string& path) {
  DL_RETURN_IF_ERROR(CreateSecretFolder(path));
  const std::string file = HolderFile(path);
  DataFolder folder(open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (folder.fd_ < 0) return SystemError(errno, "open the data folder", file);
  struct flock lock = WholeFile();
  if (fcntl(folder.fd_, F_OFD_SETLK, &lock) != 0) {
    if (errno == EAGAIN || errno == EACCES) return FolderInUse(path, ReadHolder(path));
    return SystemError(errno, "lock the data folder", file);
  }
  // If the disk has no space for the name, the holder is unnamed but still holds the folder.
  const Status written = Write(folder.fd_, {});
  if (!written.ok() && !absl::IsResourceExhausted(written)) return written;
  return folder;
}

DataFolder::DataFolder(DataFolder&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

DataFolder::~DataFolder() {
  if (fd_ >= 0) close(fd_);
}

Status DataFolder::Announce(const HolderAddresses& addresses) { return Write(fd_, addresses); }

std::optional<FolderHolder> DataFolder::Holder(const std::string& path) {
  const int fd = open(HolderFile(path).c_str(), O_RDWR | O_CLOEXEC);
  if (fd < 0) return std::nullopt;
  struct flock lock = WholeFile();
  const bool held = fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
  close(fd);
  if (!held) return std::nullopt;
  return ReadHolder(path);
}

std::optional<FolderHolder> HolderIfCommand(const FolderHolder& holder) {
  if (holder.pid == 0 || !holder.machine.empty()) return std::nullopt;
  // The text is "71 (dl-submit) S 70 ...". The parent is the second field after the name. The name
  // may contain any character.
  const auto stat = ReadFile(absl::StrCat("/proc/", holder.pid, "/stat"), limits::kMaxHolderBytes);
  if (!stat.ok() || stat->rfind(')') == std::string::npos) return std::nullopt;
  const std::vector<std::string> fields =
      absl::StrSplit(stat->substr(stat->rfind(')') + 1), ' ', absl::SkipEmpty());
  int64_t parent = 0;
  if (fields.size() < 2 || !absl::SimpleAtoi(fields[1], &parent)) return std::nullopt;
  std::string command = CommandOf(absl::StrCat(parent));
  if (command.substr(0, command.find(' ')) != "dl-submit") return std::nullopt;
  return FolderHolder{.pid = parent, .command = std::move(command), .master = holder.master};
}

bool HasStore(const std::string& path) {
  std::error_code error;
  // If only one of them exists, the folder is damaged. Its master reports that.
  return std::filesystem::exists(path + "/meta", error) ||
         std::filesystem::exists(path + "/bulk", error);
}

}  // namespace dl::launch
