// The address at which other machines reach a master.
#pragma once

#include <optional>
#include <string>

#include "base/status.h"
#include "rpc/endpoint.h"
#include "security/tls.h"

namespace dl::launch {

// Returns the address to advertise. `wanted` is "HOST" or "HOST:PORT", with or without "dl://"; an
// IPv6 address is in brackets. A missing port is the port of `listening`. If `wanted` is empty, the
// address is `listening`, or the first name of the certificate if the master listens on all
// addresses. Errors:
//   - InvalidArgument if `wanted` has another form,
//   - FailedPrecondition if the certificate is not valid for that name, because clients would
//     reject the master,
//   - FailedPrecondition if there is no certificate and the address is not loopback.
StatusOr<rpc::Endpoint> AdvertisedEndpoint(const std::string& wanted,
                                           const rpc::Endpoint& listening,
                                           const std::optional<security::MasterTls>& tls);

}  // namespace dl::launch
