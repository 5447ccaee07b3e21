#include "launch/daemons/advertised.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "security/certificates.h"

namespace dl::launch {
namespace {

constexpr char kFlag[] = "--advertise";

StatusOr<rpc::Endpoint> Parse(const std::string& wanted, int port) {
  const std::string text = wanted.starts_with("dl://") ? wanted : "dl://" + wanted;
  auto endpoint = rpc::ParseEndpoint(text);
  // The port may be missing. Then the master's own port is used.
  if (!endpoint.ok()) endpoint = rpc::ParseEndpoint(absl::StrCat(text, ":", port));
  if (endpoint.ok()) return endpoint;
  return InvalidArgument({.message = absl::StrCat("\"", wanted.substr(0, 80),
                                                  "\" is not a name or address of a master"),
                          .where = kFlag,
                          .remedy = "Write HOST or HOST:PORT; put an IPv6 address in brackets"});
}

bool IsEveryAddress(const std::string& host) { return host == "0.0.0.0" || host == "::"; }

}  // namespace

StatusOr<rpc::Endpoint> AdvertisedEndpoint(const std::string& wanted,
                                           const rpc::Endpoint& listening,
                                           const std::optional<security::MasterTls>& tls) {
  rpc::Endpoint endpoint = listening;
  if (!wanted.empty()) {
    DL_ASSIGN_OR_RETURN(endpoint, Parse(wanted, listening.port));
  } else if (IsEveryAddress(listening.host) && tls) {
    DL_ASSIGN_OR_RETURN(const std::vector<std::string> names,
                        security::ReadCertificateNames(tls->certificate));
    endpoint.host = names.empty() ? security::FindMachineNames().front() : names.front();
  }
  if (wanted.empty() || rpc::IsLoopback(endpoint.host)) return endpoint;
  if (!tls) {
    return FailedPrecondition(
        {.message = absl::StrCat("other machines cannot use ", rpc::ToString(endpoint),
                                 ": a master without keys serves only this machine"),
         .where = kFlag,
         .remedy = "Create keys once, in the master's data folder: dl-submit cluster init "
                   "--data-dir DIR --name " +
                   endpoint.host});
  }
  DL_RETURN_IF_ERROR(security::CheckCertificateName(tls->certificate, endpoint.host));
  return endpoint;
}

}  // namespace dl::launch
