#include "executor/fault.h"

#include <string>

#include "absl/strings/cord.h"
#include "base/system_error.h"
#include "rpc/messages.h"

namespace dl::executor {
namespace {

constexpr char kFaultUrl[] = "paravane/fault";
constexpr char kFetchedUrl[] = "paravane/fetched";

}  // namespace

Status Blame(rpc::Fault fault, Status status) {
  if (status.ok() || status.GetPayload(kFaultUrl)) return status;
  status.SetPayload(kFaultUrl, absl::Cord(std::string(1, static_cast<char>(fault))));
  return status;
}

Status BlameCall(Status status) {
  switch (status.code()) {
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kDeadlineExceeded:
    // The master has reached its connection limit. (A fetch never asks for too much.)
    case absl::StatusCode::kResourceExhausted:
      return Blame(rpc::Fault::kNetwork, std::move(status));
    default:
      return Blame(rpc::Fault::kMaster, std::move(status));
  }
}

Status BlameComputation(Status status) {
  const bool lacking = absl::IsResourceExhausted(status) || IsShortage(status);
  return Blame(lacking ? rpc::Fault::kExecutor : rpc::Fault::kUnit, std::move(status));
}

Status WhileFetching(Fetched what, Status status) {
  if (status.ok() || status.GetPayload(kFetchedUrl)) return status;
  status.SetPayload(kFetchedUrl, absl::Cord(std::string(1, static_cast<char>(what))));
  return status;
}

Fetched FetchedOf(const Status& status) {
  const auto payload = status.GetPayload(kFetchedUrl);
  return payload ? static_cast<Fetched>(std::string(*payload)[0]) : Fetched::kState;
}

rpc::Fault FaultOf(const Status& status) {
  const auto payload = status.GetPayload(kFaultUrl);
  return payload ? static_cast<rpc::Fault>(std::string(*payload)[0]) : rpc::Fault::kUnit;
}

}  // namespace dl::executor
