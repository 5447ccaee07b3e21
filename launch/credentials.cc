#include "launch/credentials.h"

#include <sys/stat.h>

#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "launch/daemons/local_master_registry.h"
#include "launch/master_security.h"
#include "launch/user.h"
#include "launch/version.h"
#include "security/certificates.h"
#include "security/secret_file.h"

namespace dl::launch {
namespace {

// Returns the owner of the file from which the token is read. Returns nullopt for a pipe, because
// its owner says nothing about the token.
std::optional<uid_t> OwnerOfFile(const std::string& path) {
  struct stat there = {};
  if (stat(path == "-" ? "/dev/stdin" : path.c_str(), &there) != 0 || !S_ISREG(there.st_mode))
    return std::nullopt;
  return there.st_uid;
}

// Returns the data folder of this user's own master at that port on this machine; "" if there is
// none. The master must be named by a loopback address or by a name in its certificate. A token for
// a host name is sent only to a master with a certificate of the same CA, so another host of that
// name does not receive it.
std::string FolderOfOwnMaster(const rpc::Endpoint& master) {
  const std::string folder = DataFolderOfMaster(master.port).value_or("");
  if (folder.empty() || rpc::IsLoopback(master.host)) return folder;
  const std::string certificate = security::KeyFilesIn(folder).certificate;
  return security::CheckCertificateName(certificate, master.host).ok() ? folder : "";
}

// Returns the file in which a master of this user on this machine left its token; "" if there is
// none.
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
  if (!sources.master_user.empty()) {
    DL_ASSIGN_OR_RETURN(const uid_t user, UserNamed(sources.master_user));
    credentials.master_users.push_back(user);
  }
  std::string file = sources.token_file;
  if (file.empty() && sources.tls_cert.empty()) file = OwnTokenFile(sources, master);
  if (file.empty()) return credentials;
  if (const auto owner = OwnerOfFile(file)) credentials.master_users.push_back(*owner);
  DL_ASSIGN_OR_RETURN(const security::Token token, security::ReadTokenFile(file));
  credentials.token = token.credential();
  credentials.token_from = file == "-" ? "the token on standard input" : "the token in " + file;
  // A CA that the user names overrides the fingerprint in the token.
  if (credentials.ca.empty()) credentials.fingerprint = token.ca;
  return credentials;
}

StatusOr<std::unique_ptr<rpc::Client>> ConnectAs(const CredentialSources& sources,
                                                 const rpc::Endpoint& master,
                                                 const std::string& role) {
  rpc::ClientOptions options{.endpoint = master, .role = role, .version = kVersion};
  if (sources.token_file.empty() && sources.tls_cert.empty()) {
    options.find_credentials = [sources, master] { return FindCredentials(sources, master); };
    // Reports errors of the sources at once instead of at the first connection.
    DL_RETURN_IF_ERROR(options.find_credentials().status());
  } else {
    DL_ASSIGN_OR_RETURN(options.credentials, FindCredentials(sources, master));
  }
  return rpc::Client::Connect(std::move(options));
}

}  // namespace dl::launch
