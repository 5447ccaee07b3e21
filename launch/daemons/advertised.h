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
// address is `listening`. If the master then listens on all addresses and has a certificate, the
// host is the first name of the certificate. Errors:
//   - InvalidArgument if `wanted` has another form.
//   - FailedPrecondition if `wanted` is not loopback and there is no certificate, or the
//     certificate does not list this host, because clients would reject the master.
//   - errors of the certificate's file.
StatusOr<rpc::Endpoint> AdvertisedEndpoint(const std::string& wanted,
                                           const rpc::Endpoint& listening,
                                           const std::optional<security::MasterTls>& tls);

}  // namespace dl::launch
