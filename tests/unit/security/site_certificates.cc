#include "tests/unit/security/site_certificates.h"

#include <openssl/pem.h>

#include <array>
#include <filesystem>

#include "absl/strings/escaping.h"
#include "base/files.h"
#include "base/limits.h"
#include "security/openssl_handles.h"

namespace dl::security {
namespace {

BioHandle OpenText(const std::string& path) {
  BioHandle bio(BIO_new_file(path.c_str(), "r"));
  DL_CHECK(bio != nullptr);
  return bio;
}

CertificateHandle ReadCertificate(const std::string& path) {
  const BioHandle bio = OpenText(path);
  CertificateHandle certificate(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr));
  DL_CHECK(certificate != nullptr);
  return certificate;
}

KeyHandle ReadKey(const std::string& path) {
  const BioHandle bio = OpenText(path);
  KeyHandle key(PEM_read_bio_PrivateKey(bio.get(), nullptr, nullptr, nullptr));
  DL_CHECK(key != nullptr);
  return key;
}

void AddExtension(X509* certificate, X509* issuer,
                  const std::pair<std::string, std::string>& extension) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const ExtensionHandle made(
      X509V3_EXT_conf(nullptr, &context, extension.first.c_str(), extension.second.c_str()));
  DL_CHECK(made != nullptr);
  DL_CHECK(X509_add_ext(certificate, made.get(), -1) == 1);
}

// Uses a fixed string type, because MBSTRING would refuse names that only a dishonest CA writes.
void AddName(X509* certificate, const std::pair<std::string, std::string>& entry) {
  DL_CHECK(X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate), entry.first.c_str(),
                                      V_ASN1_UTF8STRING,
                                      reinterpret_cast<const unsigned char*>(entry.second.data()),
                                      static_cast<int>(entry.second.size()), -1, 0) == 1);
}

}  // namespace

PairFiles Issue(const SiteCertificate& wanted, const std::string& stem) {
  static long serial = 0;
  const KeyHandle key(EVP_EC_gen("P-256"));
  const CertificateHandle made(X509_new());
  DL_CHECK(key != nullptr && made != nullptr);
  DL_CHECK(X509_set_version(made.get(), X509_VERSION_3) == 1);
  DL_CHECK(ASN1_INTEGER_set(X509_get_serialNumber(made.get()), ++serial) == 1);
  DL_CHECK(X509_gmtime_adj(X509_getm_notBefore(made.get()), wanted.from.count()) != nullptr);
  DL_CHECK(X509_gmtime_adj(X509_getm_notAfter(made.get()), wanted.until.count()) != nullptr);
  DL_CHECK(X509_set_pubkey(made.get(), key.get()) == 1);
  for (const auto& entry : wanted.subject) AddName(made.get(), entry);

  const bool own = wanted.issuer.certificate.empty();
  const CertificateHandle read(own ? nullptr : ReadCertificate(wanted.issuer.certificate));
  const KeyHandle read_key(own ? nullptr : ReadKey(wanted.issuer.key));
  X509* issuer = own ? made.get() : read.get();
  DL_CHECK(X509_set_issuer_name(made.get(), X509_get_subject_name(issuer)) == 1);
  for (const auto& extension : wanted.extensions) AddExtension(made.get(), issuer, extension);
  DL_CHECK(X509_sign(made.get(), own ? key.get() : read_key.get(), EVP_sha256()) > 0);

  const PairFiles files{.certificate = stem + ".pem", .key = stem + ".key"};
  const BioHandle certificate_file(BIO_new_file(files.certificate.c_str(), "w"));
  const BioHandle key_file(BIO_new_file(files.key.c_str(), "w"));
  DL_CHECK(certificate_file != nullptr && key_file != nullptr);
  DL_CHECK(PEM_write_bio_X509(certificate_file.get(), made.get()) == 1);
  DL_CHECK(PEM_write_bio_PrivateKey(key_file.get(), key.get(), nullptr, nullptr, 0, nullptr,
                                    nullptr) == 1);
  std::filesystem::permissions(files.key, std::filesystem::perms(0600));
  return files;
}

std::string DigestOfFile(const std::string& path) {
  const CertificateHandle certificate = ReadCertificate(path);
  std::array<unsigned char, 32> digest;
  unsigned int size = digest.size();
  DL_CHECK(X509_digest(certificate.get(), EVP_sha256(), digest.data(), &size) == 1);
  return absl::WebSafeBase64Escape(std::string(reinterpret_cast<const char*>(digest.data()), size));
}

}  // namespace dl::security
