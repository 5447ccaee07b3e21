// By what a command, or an executor, is known to a master, and the master to it.
#pragma once

#include <memory>
#include <string>

#include "base/status.h"
#include "rpc/client.h"
#include "rpc/endpoint.h"

namespace dl::launch {

// What a user says of it; empty: nothing.
struct CredentialSources {
  std::string token_file;                 // "-": standard input
  std::string tls_ca, tls_cert, tls_key;  // PEM files
  std::string data_dir;                   // of the master, where it is on this machine
  // Whose the master is, where it is another user's on this machine and has no keys: a login name
  // or a number.
  std::string master_user;
};

// What is said there; and where no token is named and the master is on this machine, the one that
// it made for its own user. No token is an answer too: it is the master's to refuse. Whoever owns
// the token's file knows the token already, so a master of theirs may be shown it. Errors: those of
// the files; InvalidArgument for sources that contradict each other, and for no user.
StatusOr<rpc::Credentials> FindCredentials(const CredentialSources& sources,
                                           const rpc::Endpoint& master);

// A client with them (rpc/client.h). The token of a master on this machine is looked for again with
// each connection: the master may come, or come again, later.
StatusOr<std::unique_ptr<rpc::Client>> ConnectAs(const CredentialSources& sources,
                                                 const rpc::Endpoint& master,
                                                 const std::string& role = "client");

}  // namespace dl::launch
