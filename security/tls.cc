#include "security/tls.h"

#include <arpa/inet.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "base/files.h"
#include "base/limits.h"
#include "security/openssl_handles.h"
#include "security/secret_file.h"

namespace dl::security {
namespace {

constexpr std::string_view kRolePrefix = "paravane-";
// Records are read in large pieces, because a chunk consists of hundreds of records.
constexpr size_t kReadBufferBytes = 64 << 10;

Status BadFile(const std::string& what, const std::string& path, const std::string& remedy) {
  return InvalidArgument({.message = what, .where = path, .remedy = remedy});
}

// OpenSSL opens the file again. This check gives a better error for an unreadable file.
Status CheckReadable(const std::string& path) {
  return ReadFile(path, limits::kMaxPemBytes).status();
}

Status SetUpBoth(SSL_CTX* context) {
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION |
                                   // Messages carry their length, so truncation is detected.
                                   SSL_OP_IGNORE_UNEXPECTED_EOF);
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
  // Connections are kept open, so none is resumed. An unread session ticket on an idle connection
  // would make the connection look unusable.
  SSL_CTX_set_num_tickets(context, 0);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_quiet_shutdown(context, 1);  // close without waiting for the peer
  SSL_CTX_set_read_ahead(context, 1);
  SSL_CTX_set_default_read_buffer_len(context, kReadBufferBytes);
  // TLS 1.2: only forward secrecy and authenticated encryption, as in 1.3.
  if (SSL_CTX_set_cipher_list(context, "ECDHE+AESGCM:ECDHE+CHACHA20") != 1)
    return Internal({.message = "OpenSSL has no cipher to use: " + OpenSslError()});
  return absl::OkStatus();
}

Status LoadPair(SSL_CTX* context, const std::string& certificate, const std::string& key) {
  DL_RETURN_IF_ERROR(CheckReadable(certificate));
  DL_RETURN_IF_ERROR(CheckReadable(key));
  SSL_CTX_set_default_passwd_cb(context, NoPassword);
  if (SSL_CTX_use_certificate_chain_file(context, certificate.c_str()) != 1) {
    return BadFile("the file holds no certificate in PEM: " + OpenSslError(), certificate,
                   "Name a file that begins with the certificate itself");
  }
  if (SSL_CTX_use_PrivateKey_file(context, key.c_str(), SSL_FILETYPE_PEM) != 1) {
    return BadFile("the file holds no key of " + certificate + ": " + OpenSslError(), key,
                   "Name the key, without a password, that belongs to the certificate; of those "
                   "of a data folder, dl-submit cluster init --renew makes another pair");
  }
  return CheckKeyPermissions(key);
}

Status LoadCa(SSL_CTX* context, const std::string& ca) {
  DL_RETURN_IF_ERROR(CheckReadable(ca));
  if (SSL_CTX_load_verify_file(context, ca.c_str()) == 1) return absl::OkStatus();
  return BadFile("the file holds no CA's certificate in PEM: " + OpenSslError(), ca,
                 "Name a file with the certificate of the CA");
}

std::string DigestOf(const X509* certificate) {
  std::array<unsigned char, 32> digest;
  unsigned int size = digest.size();
  if (X509_digest(certificate, EVP_sha256(), digest.data(), &size) != 1) return "";
  return absl::WebSafeBase64Escape(std::string(reinterpret_cast<const char*>(digest.data()), size));
}

// Returns the master's own chain as a peer will see it, leaf first, root last.
StatusOr<std::vector<CertificateHandle>> ChainOf(SSL_CTX* context, const MasterTls& tls) {
  X509* leaf = SSL_CTX_get0_certificate(context);
  Certificates* sent = nullptr;
  SSL_CTX_get0_chain_certs(context, &sent);
  StoreHandle trusted(X509_STORE_new());
  StoreContextHandle check(X509_STORE_CTX_new());
  if (trusted == nullptr || check == nullptr)
    return Internal({.message = "OpenSSL cannot verify: " + OpenSslError()});
  if (!tls.ca.empty()) {
    DL_RETURN_IF_ERROR(CheckReadable(tls.ca));
    if (X509_STORE_load_file(trusted.get(), tls.ca.c_str()) != 1)
      return BadFile("the file holds no CA's certificate in PEM: " + OpenSslError(), tls.ca,
                     "Name a file with the certificate of the CA");
  } else {
    // The cluster's own CA is the last certificate in the file.
    const int count = sent == nullptr ? 0 : sk_X509_num(sent);
    if (count > 0) X509_STORE_add_cert(trusted.get(), sk_X509_value(sent, count - 1));
  }
  X509_STORE_CTX_init(check.get(), trusted.get(), leaf, sent);
  X509_STORE_CTX_set_default(check.get(), "ssl_server");
  const bool good = X509_verify_cert(check.get()) == 1;
  if (!good && X509_STORE_CTX_get_error(check.get()) == X509_V_ERR_CERT_NOT_YET_VALID) {
    return Unavailable({.message = "the master's certificate is not valid yet by the clock of this "
                                   "machine",
                        .where = tls.certificate,
                        .remedy = "Set the clock (timedatectl), and start the master again"});
  }
  if (!good) {
    return BadFile(
        absl::StrCat("the master's certificate is not good: ",
                     X509_verify_cert_error_string(X509_STORE_CTX_get_error(check.get()))),
        tls.certificate,
        tls.ca.empty() ? "dl-submit cluster init --renew gives the master another one"
                       : "Have it signed by a CA of " + tls.ca + ", for servers, and valid now");
  }
  std::vector<CertificateHandle> chain;
  const OwnedCertificates found(X509_STORE_CTX_get1_chain(check.get()));
  for (int i = 0; found != nullptr && i < sk_X509_num(found.get()); ++i) {
    X509* each = sk_X509_value(found.get(), i);
    X509_up_ref(each);
    chain.emplace_back(each);
  }
  return chain;
}

// Sends the whole chain including the root, because peers know only the fingerprint of the CA.
// Returns this fingerprint.
StatusOr<std::string> SendWholeChain(SSL_CTX* context, const MasterTls& tls) {
  DL_ASSIGN_OR_RETURN(std::vector<CertificateHandle> chain, ChainOf(context, tls));
  SSL_CTX_clear_chain_certs(context);
  for (size_t i = 1; i < chain.size(); ++i) {
    if (SSL_CTX_add1_chain_cert(context, chain[i].get()) != 1)
      return Internal({.message = "OpenSSL cannot send a chain: " + OpenSslError()});
  }
  return DigestOf(chain.back().get());
}

// Index of the fingerprint that a client's context trusts, for VerifyPinned.
int PinIndex() {
  static const int index = SSL_CTX_get_ex_new_index(
      0, nullptr, nullptr, nullptr, [](void*, void* pin, CRYPTO_EX_DATA*, int, long, void*) {
        delete static_cast<std::string*>(pin);
      });
  return index;
}

// Trusts only the certificate with the pinned fingerprint among those that the peer sent. OpenSSL
// does the rest of the verification.
int VerifyPinned(X509_STORE_CTX* check, void* pin) {
  Certificates* sent = X509_STORE_CTX_get0_untrusted(check);
  const BorrowedCertificates trusted(sk_X509_new_null());
  for (int i = 0; sent != nullptr && i < sk_X509_num(sent); ++i) {
    X509* each = sk_X509_value(sent, i);
    if (DigestOf(each) == *static_cast<const std::string*>(pin)) sk_X509_push(trusted.get(), each);
  }
  X509_STORE_CTX_set0_trusted_stack(check, trusted.get());
  const int good = X509_verify_cert(check);
  X509_STORE_CTX_set0_trusted_stack(check, nullptr);
  return good;
}

Status ExpectHost(SSL_CTX* context, const std::string& host) {
  // OpenSSL would accept any certificate for an empty name, and any subdomain for ".example".
  if (host.empty() || host.front() == '.')
    return InvalidArgument({.message = "no name of a master is given", .where = host});
  X509_VERIFY_PARAM* expected = SSL_CTX_get0_param(context);
  in6_addr bytes;
  const bool address = inet_pton(AF_INET, host.c_str(), &bytes) == 1 ||
                       inet_pton(AF_INET6, host.c_str(), &bytes) == 1;
  const bool set = address ? X509_VERIFY_PARAM_set1_ip_asc(expected, host.c_str()) == 1
                           : X509_VERIFY_PARAM_set1_host(expected, host.c_str(), 0) == 1;
  if (set) return absl::OkStatus();
  return InvalidArgument({.message = "no name of a master is given", .where = host});
}

// Returns all values of one kind in a subject, unchanged.
std::vector<std::string> TextsOf(const X509_NAME* subject, int nid) {
  std::vector<std::string> texts;
  for (int at = -1; (at = X509_NAME_get_index_by_NID(subject, nid, at)) >= 0;) {
    const ASN1_STRING* text = X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, at));
    texts.emplace_back(reinterpret_cast<const char*>(ASN1_STRING_get0_data(text)),
                       ASN1_STRING_length(text));
  }
  return texts;
}

std::optional<Role> RoleOf(const X509_NAME* subject) {
  for (const std::string& unit : TextsOf(subject, NID_organizationalUnitName)) {
    if (!unit.starts_with(kRolePrefix)) continue;
    auto role = ParseRole(std::string_view(unit).substr(kRolePrefix.size()));
    if (role.ok()) return *role;
  }
  return std::nullopt;
}

}  // namespace

Status SetUpMaster(ssl_ctx_st* context, const MasterTls& tls) {
  DL_RETURN_IF_ERROR(SetUpBoth(context));
  DL_RETURN_IF_ERROR(LoadPair(context, tls.certificate, tls.key));
  DL_RETURN_IF_ERROR(SendWholeChain(context, tls).status());
  if (tls.ca.empty()) return absl::OkStatus();
  DL_RETURN_IF_ERROR(LoadCa(context, tls.ca));
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);  // optional: a token suffices too
  return absl::OkStatus();
}

Status SetUpPeer(ssl_ctx_st* context, const PeerTls& tls) {
  DL_RETURN_IF_ERROR(SetUpBoth(context));
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  DL_RETURN_IF_ERROR(ExpectHost(context, tls.host));
  if (!tls.certificate.empty()) DL_RETURN_IF_ERROR(LoadPair(context, tls.certificate, tls.key));
  if (tls.fingerprint.empty()) return LoadCa(context, tls.ca);
  auto pin = std::make_unique<std::string>(tls.fingerprint);
  SSL_CTX_set_cert_verify_callback(context, VerifyPinned, pin.get());
  if (SSL_CTX_set_ex_data(context, PinIndex(), pin.get()) != 1)
    return Internal({.message = "OpenSSL is out of memory"});
  pin.release();  // now owned by the context
  return absl::OkStatus();
}

StatusOr<std::string> FingerprintOf(const MasterTls& tls) {
  std::unique_ptr<SSL_CTX, FreeWith<SSL_CTX_free>> context(SSL_CTX_new(TLS_server_method()));
  if (context == nullptr) return Internal({.message = "OpenSSL cannot start: " + OpenSslError()});
  DL_RETURN_IF_ERROR(LoadPair(context.get(), tls.certificate, tls.key));
  return SendWholeChain(context.get(), tls);
}

std::optional<Identity> IdentityOf(const ssl_st* connection) {
  const CertificateHandle certificate(SSL_get1_peer_certificate(connection));
  if (certificate == nullptr || SSL_get_verify_result(connection) != X509_V_OK) return std::nullopt;
  const X509_NAME* subject = X509_get_subject_name(certificate.get());
  const std::optional<Role> role = RoleOf(subject);
  const std::vector<std::string> names = TextsOf(subject, NID_commonName);
  // A name is used whole or not at all: a name that is cut, for example at a zero byte, may be
  // another owner's.
  if (!role || names.size() != 1 || !IsOwnerName(names.front())) return std::nullopt;
  return Identity{.owner = names.front(), .role = *role};
}

Duration ValidityLeft(const ssl_st* connection) {
  const Certificates* chain = SSL_get0_verified_chain(connection);
  if (SSL_get0_peer_certificate(connection) == nullptr || chain == nullptr) return Duration::zero();
  std::chrono::seconds least = std::chrono::hours(24 * 365 * 100);
  for (int i = 0; i < sk_X509_num(chain); ++i) {
    int days = 0, seconds = 0;
    const ASN1_TIME* until = X509_get0_notAfter(sk_X509_value(chain, i));
    if (ASN1_TIME_diff(&days, &seconds, nullptr, until) != 1) return Duration::zero();
    least = std::min<std::chrono::seconds>(
        least, std::chrono::hours(24) * days + std::chrono::seconds(seconds));
  }
  return std::max<Duration>(least, Duration::zero());
}

bool IsNotTls(std::string_view said) {
  return std::ranges::any_of(
      std::array<std::string_view, 4>{"wrong version number", "packet length too long",
                                      "bad record type", "unknown protocol"},
      [&](std::string_view words) { return said.find(words) != std::string_view::npos; });
}

// The alerts of RFC 8446, section 6.2, in OpenSSL's words.
Status CertificateRejectedError(std::string_view said, const std::string& certificate,
                                const std::string& peer) {
  const size_t alert = said.find(" alert ");
  if (certificate.empty() || alert == std::string_view::npos) return absl::OkStatus();
  const std::string_view reason = said.substr(alert + 1);
  // "decrypt error" means that the CA has the expected name but another key.
  const bool of_certificate = reason.starts_with("alert unknown ca") ||
                              reason.starts_with("alert decrypt error") ||
                              reason.find("certificate") != std::string_view::npos;
  if (!of_certificate) return absl::OkStatus();
  return Denied(
      {.message = absl::StrCat("the master does not accept the certificate ", certificate, ": ",
                               std::string(reason.substr(0, reason.find(" (")))),
       .where = peer,
       .remedy = "Give a client certificate that a CA of the master's --tls-ca issued and that is "
                 "valid now (openssl x509 -noout -dates -in FILE), or a token"});
}

Status PeerVerificationError(const ssl_st* connection, const std::string& peer) {
  const long result = connection == nullptr ? X509_V_OK : SSL_get_verify_result(connection);
  switch (result) {
    case X509_V_OK:
      return absl::OkStatus();
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH:
      return Denied({.message = "the master's certificate is not for that name",
                     .where = peer,
                     .remedy =
                         "Use a name that it has, or give it one: dl-submit cluster init --renew "
                         "--name NAME in its data folder"});
    case X509_V_ERR_CERT_NOT_YET_VALID:
      // Certificates of cluster init are valid from a month before their creation. So this clock is
      // wrong and will be set.
      return Unavailable({.message = "the master's certificate is not valid yet by the clock of "
                                     "this machine",
                          .where = peer,
                          .remedy = "Compare the clocks of both machines (timedatectl)"});
    case X509_V_ERR_CERT_HAS_EXPIRED:
      return Denied({.message = absl::StrCat("the master's certificate is not valid now: ",
                                             X509_verify_cert_error_string(result)),
                     .where = peer,
                     .remedy = "Compare the clocks of both machines; dl-submit cluster init "
                               "--renew gives the master another one"});
    default:
      return Denied({.message = absl::StrCat(
                         "the program at that address is not the master of the token or CA: ",
                         X509_verify_cert_error_string(result)),
                     .where = peer,
                     .remedy = "Check the address, and that the token belongs to this cluster"});
  }
}

}  // namespace dl::security
