// Where other machines reach a master.
#pragma once

#include <optional>
#include <string>

#include "base/status.h"
#include "rpc/endpoint.h"
#include "security/tls.h"

namespace dl::launch {

// `wanted`: "HOST" or "HOST:PORT", an IPv6 address in brackets, with or without "dl://"; of what it
// leaves out, and where it is empty, what is known: the address that is listened on, or, where that
// is every address, the first name of the certificate. InvalidArgument for a text that is none of
// these; FailedPrecondition where the certificate is not for that name, so that nobody would
// believe the master, or where there is none and other machines are meant.
StatusOr<rpc::Endpoint> AdvertisedEndpoint(const std::string& wanted,
                                           const rpc::Endpoint& listening,
                                           const std::optional<security::MasterTls>& tls);

}  // namespace dl::launch
