#include "bench/master_process.h"

#include <csignal>
#include <filesystem>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "launch/credentials.h"
#include "launch/version.h"

namespace dl::bench {
namespace {

constexpr Duration kTimeout = std::chrono::seconds(120);

}  // namespace

std::string SubmitProgram() {
  return (std::filesystem::read_symlink("/proc/self/exe").parent_path() / "dl-submit").string();
}

StatusOr<Instant> MasterProcess::Start() {
  const Instant begin = Clock::Real().Now();
  std::vector<std::string> words = {SubmitProgram(), "master",
                                    "--port",        absl::StrCat(endpoint_.port),
                                    "--data-dir",    folder_ + "/master"};
  words.insert(words.end(), flags_.begin(), flags_.end());
  DL_ASSIGN_OR_RETURN(process_,
                      Spawner::Real().Start({.argv = std::move(words),
                                             .out = ChildOutput::Pipe(),
                                             .err = ChildOutput::File(folder_ + "/master.log")}));
  DL_ASSIGN_OR_RETURN(const std::string line, process_->ReadLine(kTimeout));
  DL_ASSIGN_OR_RETURN(const Json ready, ParseJson(line, "the master's ready line"));
  endpoint_.port = ready.value("port", 0);
  DL_ASSIGN_OR_RETURN(credentials_,
                      launch::FindCredentials({.data_dir = folder_ + "/master"}, endpoint_));
  DL_ASSIGN_OR_RETURN(client_, rpc::Client::Connect({.endpoint = endpoint_,
                                                     .version = launch::kVersion,
                                                     .credentials = credentials_}));
  return begin;
}

Status MasterProcess::Kill() {
  DL_RETURN_IF_ERROR(process_->Signal(SIGKILL));
  return process_->Wait(kTimeout).status();
}

}  // namespace dl::bench
