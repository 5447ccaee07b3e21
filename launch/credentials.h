// The credentials with which a command or an executor connects to a master, and by which it
// recognizes the master.
#pragma once

#include <memory>
#include <string>

#include "base/status.h"
#include "rpc/client.h"
#include "rpc/endpoint.h"

namespace dl::launch {

// Sources of credentials that the user names. Empty: not given.
struct CredentialSources {
  std::string token_file;                 // "-": standard input
  std::string tls_ca, tls_cert, tls_key;  // PEM files
  std::string data_dir;                   // of the master, if it runs on this machine
  // The user of the master, if it belongs to another user of this machine and has no keys: a login
  // name or a number.
  std::string master_user;
};

// Reads the credentials from `sources`. If they name neither a token nor a certificate, uses the
// token in `data_dir`. Without `data_dir`, uses the token that a master of this user on this
// machine with this address wrote for its own user. A missing token is no error here, because the
// master decides whether it accepts the connection. The owner of a token's regular file is added to
// `master_users`: this user knows the token already, so it may be sent to a master of this user.
// Errors are those of security::ReadTokenFile, and InvalidArgument for a certificate without its
// key or an unknown user. The PEM files are not read here.
StatusOr<rpc::Credentials> FindCredentials(const CredentialSources& sources,
                                           const rpc::Endpoint& master);

// Returns a client with these credentials. Opens no connection yet. If `sources` name neither a
// token nor a certificate, the token is searched again for each connection, because the master may
// start or restart later. `role` is "client" or "executor". Errors are those of FindCredentials and
// rpc::Client::Connect.
StatusOr<std::unique_ptr<rpc::Client>> ConnectAs(const CredentialSources& sources,
                                                 const rpc::Endpoint& master,
                                                 const std::string& role = "client");

}  // namespace dl::launch
