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

Status WithFault(rpc::Fault fault, Status status) {
  if (status.ok() || status.GetPayload(kFaultUrl)) return status;
  status.SetPayload(kFaultUrl, absl::Cord(std::string(1, static_cast<char>(fault))));
  return status;
}

Status WithCallFault(Status status) {
  switch (status.code()) {
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kDeadlineExceeded:
    // The master has reached its connection limit. (A fetch never asks for too much.)
    case absl::StatusCode::kResourceExhausted:
      return WithFault(rpc::Fault::kNetwork, std::move(status));
    default:
      return WithFault(rpc::Fault::kMaster, std::move(status));
  }
}

Status WithComputationFault(Status status) {
  const bool lacking = absl::IsResourceExhausted(status) || IsShortage(status);
  return WithFault(lacking ? rpc::Fault::kExecutor : rpc::Fault::kUnit, std::move(status));
}

Status WithFetchTarget(FetchTarget what, Status status) {
  if (status.ok() || status.GetPayload(kFetchedUrl)) return status;
  status.SetPayload(kFetchedUrl, absl::Cord(std::string(1, static_cast<char>(what))));
  return status;
}

FetchTarget FetchTargetOf(const Status& status) {
  const auto payload = status.GetPayload(kFetchedUrl);
  return payload ? static_cast<FetchTarget>(std::string(*payload)[0]) : FetchTarget::kState;
}

rpc::Fault FaultOf(const Status& status) {
  const auto payload = status.GetPayload(kFaultUrl);
  return payload ? static_cast<rpc::Fault>(std::string(*payload)[0]) : rpc::Fault::kUnit;
}

}  // namespace dl::executor
