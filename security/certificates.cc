#include "security/certificates.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <openssl/pem.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/files.h"
#include "base/limits.h"
#include "base/unique.h"
#include "security/openssl_handles.h"

namespace dl::security {
namespace {

// Certificates are valid from a month ago: a machine whose clock is late must accept them too.
constexpr long kBackdatedSeconds = 30L * 24 * 3600;
constexpr long kValidSeconds = 20L * 365 * 24 * 3600;
constexpr int kSerialBytes = 16;

Status Failed(const std::string& what) {
  return Internal({.message = absl::StrCat("OpenSSL cannot ", what, ": ", OpenSslError())});
}

StatusOr<std::string> PemOf(const KeyHandle& key) {
  BioHandle text(BIO_new(BIO_s_mem()));
  if (text == nullptr ||
      PEM_write_bio_PrivateKey(text.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) != 1) {
    return Failed("write a key");
  }
  char* bytes = nullptr;
  const long count = BIO_get_mem_data(text.get(), &bytes);
  return std::string(bytes, count);
}

StatusOr<std::string> PemOf(const CertificateHandle& certificate) {
  BioHandle text(BIO_new(BIO_s_mem()));
  if (text == nullptr || PEM_write_bio_X509(text.get(), certificate.get()) != 1)
    return Failed("write a certificate");
  char* bytes = nullptr;
  const long count = BIO_get_mem_data(text.get(), &bytes);
  return std::string(bytes, count);
}

StatusOr<BioHandle> OpenPem(const std::string& path, std::string& text) {
  DL_ASSIGN_OR_RETURN(text, ReadFile(path, limits::kMaxPemBytes));
  BioHandle bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
  if (bio == nullptr) return Failed("read a file");
  return bio;
}

Status NotPem(const std::string& path, const char* what) {
  return InvalidArgument(
      {.message = absl::StrCat("the file contains no ", what, " in PEM: ", OpenSslError()),
       .where = path});
}

StatusOr<CertificateHandle> ReadCertificate(const std::string& path) {
  std::string text;
  DL_ASSIGN_OR_RETURN(const BioHandle bio, OpenPem(path, text));
  CertificateHandle certificate(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr));
  if (certificate == nullptr) return NotPem(path, "certificate");
  return certificate;
}

StatusOr<KeyHandle> ReadKey(const std::string& path) {
  std::string text;
  DL_ASSIGN_OR_RETURN(const BioHandle bio, OpenPem(path, text));
  KeyHandle key(PEM_read_bio_PrivateKey(bio.get(), nullptr, NoPassword, nullptr));
  if (key == nullptr) return NotPem(path, "key");
  return key;
}

bool IsAddress(const std::string& name) {
  std::array<unsigned char, sizeof(in6_addr)> bytes;
  return inet_pton(AF_INET, name.c_str(), bytes.data()) == 1 ||
         inet_pton(AF_INET6, name.c_str(), bytes.data()) == 1;
}

bool IsHostName(const std::string& name) {
  if (name.empty() || name.size() > 253 || !absl::ascii_isalnum(name.front())) return false;
  return std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return absl::ascii_isalnum(c) || c == '.' || c == '-' || c == '_';
  });
}

// Returns a certificate without issuer, extensions and signature.
StatusOr<CertificateHandle> BlankCertificate(const std::string& common_name, EVP_PKEY* key) {
  DL_ASSIGN_OR_RETURN(SecretBytes random, MakeSecretBytes());
  random[0] &= std::byte{0x7f};  // serial numbers are positive
  NumberHandle serial(
      BN_bin2bn(reinterpret_cast<const unsigned char*>(random.data()), kSerialBytes, nullptr));
  CertificateHandle certificate(X509_new());
  if (serial == nullptr || certificate == nullptr) return Failed("make a certificate");
  X509* x509 = certificate.get();
  // RFC 5280: a common name has at most 64 characters.
  const std::string shown = common_name.substr(0, 64);
  const bool made = X509_set_version(x509, X509_VERSION_3) == 1 &&
                    BN_to_ASN1_INTEGER(serial.get(), X509_get_serialNumber(x509)) != nullptr &&
                    X509_gmtime_adj(X509_getm_notBefore(x509), -kBackdatedSeconds) != nullptr &&
                    X509_gmtime_adj(X509_getm_notAfter(x509), kValidSeconds) != nullptr &&
                    X509_set_pubkey(x509, key) == 1 &&
                    X509_NAME_add_entry_by_txt(X509_get_subject_name(x509), "CN", MBSTRING_UTF8,
                                               reinterpret_cast<const unsigned char*>(shown.data()),
                                               static_cast<int>(shown.size()), -1, 0) == 1;
  if (!made) return Failed("make a certificate");
  return certificate;
}

Status AddExtension(X509* certificate, X509* issuer, int nid, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  ExtensionHandle extension(X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str()));
  if (extension == nullptr || X509_add_ext(certificate, extension.get(), -1) != 1)
    return Failed("say what a certificate is for");
  return absl::OkStatus();
}

struct Extension {
  int nid;
  std::string value;
};

Status Sign(X509* certificate, X509* issuer, EVP_PKEY* key,
            const std::vector<Extension>& extensions) {
  if (X509_set_issuer_name(certificate, X509_get_subject_name(issuer)) != 1)
    return Failed("sign a certificate");
  for (const Extension& extension : extensions)
    DL_RETURN_IF_ERROR(AddExtension(certificate, issuer, extension.nid, extension.value));
  return X509_sign(certificate, key, EVP_sha256()) > 0 ? absl::OkStatus()
                                                       : Failed("sign a certificate");
}

StatusOr<KeyHandle> NewKey() {
  KeyHandle key(EVP_EC_gen("P-256"));
  if (key == nullptr) return Failed("make a key");
  return key;
}

}  // namespace

KeyFiles KeyFilesIn(const std::string& data_dir) {
  const std::string folder = data_dir + "/security/";
  return {.ca = folder + "ca.pem",
          .ca_key = folder + "ca.key",
          .certificate = folder + "master.pem",
          .key = folder + "master.key"};
}

bool HasMasterCertificate(const std::string& data_dir) {
  std::error_code error;
  const KeyFiles files = KeyFilesIn(data_dir);
  return std::filesystem::exists(files.certificate, error) &&
         std::filesystem::exists(files.key, error);
}

Status MakeAuthority(const KeyFiles& files) {
  std::error_code error;
  if (std::filesystem::exists(files.ca, error)) {
    return MakeError(absl::StatusCode::kAlreadyExists,
                     {.message = "the cluster already has a CA, and all tokens depend on it",
                      .where = files.ca,
                      .remedy = "Keep it. dl-submit cluster init --renew gives the master "
                                "another certificate of this CA"});
  }
  DL_RETURN_IF_ERROR(CreateSecretFolder(std::filesystem::path(files.ca).parent_path().string()));
  DL_ASSIGN_OR_RETURN(const KeyHandle key, NewKey());
  DL_ASSIGN_OR_RETURN(const CertificateHandle ca,
                      BlankCertificate("Paravane cluster CA", key.get()));
  DL_RETURN_IF_ERROR(Sign(ca.get(), ca.get(), key.get(),
                          {{NID_subject_key_identifier, "hash"},
                           {NID_basic_constraints, "critical,CA:TRUE,pathlen:0"},
                           {NID_key_usage, "critical,keyCertSign,cRLSign"}}));
  DL_ASSIGN_OR_RETURN(const std::string key_text, PemOf(key));
  DL_ASSIGN_OR_RETURN(const std::string text, PemOf(ca));
  DL_RETURN_IF_ERROR(AtomicWriteSecret(files.ca_key, key_text));
  return AtomicWriteFile(files.ca, text);  // last, so that the key exists if the certificate does
}

Status IssueCertificate(const KeyFiles& files, const std::vector<std::string>& names) {
  if (names.empty()) return InvalidArgument({.message = "a certificate needs a name"});
  std::string alternatives;
  for (const std::string& name : names) {
    if (!IsAddress(name) && !IsHostName(name)) {
      return InvalidArgument({.message = absl::StrCat("\"", absl::CHexEscape(name.substr(0, 80)),
                                                      "\" is neither a host name nor an address"),
                              .remedy = "Name the hosts as executors and clients will in dl://"});
    }
    absl::StrAppend(&alternatives, alternatives.empty() ? "" : ",",
                    IsAddress(name) ? "IP:" : "DNS:", name);
  }
  DL_ASSIGN_OR_RETURN(const CertificateHandle ca, ReadCertificate(files.ca));
  DL_ASSIGN_OR_RETURN(const KeyHandle ca_key, ReadKey(files.ca_key));
  DL_ASSIGN_OR_RETURN(const KeyHandle key, NewKey());
  DL_ASSIGN_OR_RETURN(const CertificateHandle master, BlankCertificate(names.front(), key.get()));
  DL_RETURN_IF_ERROR(Sign(master.get(), ca.get(), ca_key.get(),
                          {{NID_basic_constraints, "critical,CA:FALSE"},
                           {NID_key_usage, "critical,digitalSignature"},
                           {NID_ext_key_usage, "serverAuth"},
                           {NID_subject_alt_name, alternatives},
                           {NID_authority_key_identifier, "keyid"}}));
  DL_ASSIGN_OR_RETURN(const std::string key_text, PemOf(key));
  DL_ASSIGN_OR_RETURN(std::string chain, PemOf(master));
  DL_ASSIGN_OR_RETURN(const std::string ca_text, PemOf(ca));
  DL_RETURN_IF_ERROR(AtomicWriteSecret(files.key, key_text));
  return AtomicWriteFile(files.certificate, chain + ca_text);
}

StatusOr<std::vector<std::string>> ReadCertificateNames(const std::string& path) {
  DL_ASSIGN_OR_RETURN(const CertificateHandle certificate, ReadCertificate(path));
  std::unique_ptr<GENERAL_NAMES, FreeWith<GENERAL_NAMES_free>> names(static_cast<GENERAL_NAMES*>(
      X509_get_ext_d2i(certificate.get(), NID_subject_alt_name, nullptr, nullptr)));
  std::vector<std::string> list;
  for (int i = 0; names != nullptr && i < sk_GENERAL_NAME_num(names.get()); ++i) {
    const GENERAL_NAME* name = sk_GENERAL_NAME_value(names.get(), i);
    if (name->type == GEN_DNS) {
      const ASN1_IA5STRING* text = name->d.dNSName;
      list.emplace_back(reinterpret_cast<const char*>(ASN1_STRING_get0_data(text)),
                        ASN1_STRING_length(text));
    } else if (name->type == GEN_IPADD) {
      const ASN1_OCTET_STRING* bytes = name->d.iPAddress;
      std::array<char, INET6_ADDRSTRLEN> text;
      const int family = ASN1_STRING_length(bytes) == 4 ? AF_INET : AF_INET6;
      if (inet_ntop(family, ASN1_STRING_get0_data(bytes), text.data(), text.size()) != nullptr)
        list.emplace_back(text.data());
    }
  }
  return list;
}

StatusOr<int64_t> ReadCertificateDaysLeft(const std::string& path) {
  DL_ASSIGN_OR_RETURN(const CertificateHandle certificate, ReadCertificate(path));
  int days = 0, seconds = 0;  // both have the same sign
  if (ASN1_TIME_diff(&days, &seconds, nullptr, X509_get0_notAfter(certificate.get())) != 1)
    return DataLoss({.message = "the certificate has no end date", .where = path});
  return seconds < 0 ? days - 1 : days;
}

Status CheckCertificateName(const std::string& path, const std::string& name) {
  DL_ASSIGN_OR_RETURN(const CertificateHandle certificate, ReadCertificate(path));
  const bool has = IsAddress(name) ? X509_check_ip_asc(certificate.get(), name.c_str(), 0) == 1
                                   : X509_check_host(certificate.get(), name.c_str(), name.size(),
                                                     0, nullptr) == 1;
  if (has) return absl::OkStatus();
  DL_ASSIGN_OR_RETURN(const std::vector<std::string> names, ReadCertificateNames(path));
  return FailedPrecondition(
      {.message = absl::StrCat("the master's certificate is not for ", name, " but for ",
                               names.empty() ? "nothing" : absl::StrJoin(names, ", ")),
       .where = path,
       .remedy = "Give it that name too: dl-submit cluster init --renew --name NAME for each, in "
                 "its data folder; of a site's own, have it signed again"});
}

std::vector<std::string> FindMachineNames() {
  std::vector<std::string> names;
  const auto add = [&names](const std::string& name) {
    if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end())
      names.push_back(name);
  };
  std::array<char, 256> host = {};
  if (gethostname(host.data(), host.size() - 1) == 0 && IsHostName(host.data())) add(host.data());
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) == 0) {
    for (const ifaddrs* each = all; each != nullptr; each = each->ifa_next) {
      if (each->ifa_addr == nullptr || (each->ifa_flags & IFF_LOOPBACK) != 0) continue;
      std::array<char, INET6_ADDRSTRLEN> text = {};
      if (each->ifa_addr->sa_family == AF_INET) {
        inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(each->ifa_addr)->sin_addr,
                  text.data(), text.size());
      } else if (each->ifa_addr->sa_family == AF_INET6) {
        const in6_addr& address = reinterpret_cast<const sockaddr_in6*>(each->ifa_addr)->sin6_addr;
        // Link-local addresses are valid only together with the name of an interface.
        if (!IN6_IS_ADDR_LINKLOCAL(&address))
          inet_ntop(AF_INET6, &address, text.data(), text.size());
      }
      add(text.data());
    }
    freeifaddrs(all);
  }
  for (const char* name : {"localhost", "127.0.0.1", "::1"}) add(name);
  return names;
}

}  // namespace dl::security
