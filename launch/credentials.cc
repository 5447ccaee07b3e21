#include "launch/credentials.h"

#include <unistd.h>

#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "launch/listener_owner.h"
#include "launch/master_security.h"
#include "launch/own_masters.h"
#include "launch/version.h"
#include "security/certificates.h"
#include "security/secret_file.h"

namespace dl::launch {
namespace {

// Nothing, where nobody listens: the call will say so.
Status CheckListener(const rpc::Endpoint& master) {
  const std::optional<uid_t> owner = OwnerOfListener(master.port);
  if (!owner || *owner == geteuid() || *owner == 0) return absl::OkStatus();
  return Denied({.message = absl::StrCat("what listens there belongs to another user (", *owner,
                                         "), who would get this user's token"),
                 .where = rpc::ToString(master),
                 .remedy = "Check the port. For a master of theirs ask them for a token, and give "
                           "it with --token-file FILE"});
}

// Of this user's master at that port, on this machine: by a loopback address, or by a name for
// which its certificate stands. What is sent there needs that certificate's CA, whoever answers.
std::string FolderOfOwnMaster(const rpc::Endpoint& master) {
  const std::string folder = DataFolderOfMaster(master.port).value_or("");
  if (folder.empty() || rpc::IsLoopback(master.host)) return folder;
  const std::string certificate = security::KeysOf(folder).certificate;
  return security::CheckNameOfCertificate(certificate, master.host).ok() ? folder : "";
}

// Where a master of this user on this machine left its token; "" where there is none.
std::string OwnTokenFile(const CredentialSources& sources, const rpc::Endpoint& master) {
  const std::string folder =
      sources.data_dir.empty() ? FolderOfOwnMaster(master) : sources.data_dir;
  std::error_code error;
  const std::string path = TokenFileOf(folder);
  return folder.empty() || !std::filesystem::exists(path, error) ? "" : path;
}

}  // namespace

StatusOr<rpc::Credentials> FindCredentials(const CredentialSources& sources,
                                           const rpc::Endpoint& master) {
  rpc::Credentials credentials{
      .ca = sources.tls_ca, .certificate = sources.tls_cert, .key = sources.tls_key};
  if (sources.tls_cert.empty() != sources.tls_key.empty()) {
    return InvalidArgument({.message = "a certificate and its key belong together",
                            .where = sources.tls_cert.empty() ? "--tls-cert" : "--tls-key",
                            .remedy = "Give both, or neither"});
  }
  std::string file = sources.token_file;
  if (file.empty() && sources.tls_cert.empty()) {
    file = OwnTokenFile(sources, master);
    if (!file.empty()) DL_RETURN_IF_ERROR(CheckListener(master));
  }
  if (file.empty()) return credentials;
  DL_ASSIGN_OR_RETURN(const security::Token token, security::ReadTokenFile(file));
  credentials.token = token.credential();
  credentials.token_from = file == "-" ? "the token on standard input" : "the token in " + file;
  // What the user names himself says more than the token.
  if (credentials.ca.empty()) credentials.fingerprint = token.ca;
  return credentials;
}

StatusOr<std::unique_ptr<rpc::Client>> ConnectAs(const CredentialSources& sources,
                                                 const rpc::Endpoint& master,
                                                 const std::string& role) {
  rpc::ClientOptions options{.endpoint = master, .role = role, .version = kVersion};
  if (sources.token_file.empty() && sources.tls_cert.empty()) {
    options.find_credentials = [sources, master] { return FindCredentials(sources, master); };
    // What is wrong with the sources themselves is said at once.
    DL_RETURN_IF_ERROR(options.find_credentials().status());
  } else {
    DL_ASSIGN_OR_RETURN(options.credentials, FindCredentials(sources, master));
  }
  return rpc::Client::Connect(std::move(options));
}

}  // namespace dl::launch
