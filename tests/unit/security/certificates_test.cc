#include "security/certificates.h"

#include <openssl/pem.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "absl/strings/str_cat.h"
#include "base/files.h"
#include "base/limits.h"
#include "security/openssl_handles.h"
#include "security/tls.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/security/site_certificates.h"

namespace dl::security {
namespace {

using test::IsError;

mode_t RightsOf(const std::string& path) {
  struct stat there = {};
  EXPECT_EQ(stat(path.c_str(), &there), 0) << path;
  return there.st_mode & 07777;
}

// Returns all certificates of a PEM file, in their order.
std::vector<CertificateHandle> CertificatesOf(const std::string& path) {
  std::vector<CertificateHandle> all;
  const BioHandle bio(BIO_new_file(path.c_str(), "r"));
  while (X509* each = PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr))
    all.emplace_back(each);
  ERR_clear_error();  // OpenSSL reports the end of the file as an error
  return all;
}

class CertificatesTest : public testing::Test {
 protected:
  StatusOr<std::string> Fingerprint() const {
    return FingerprintOf({.certificate = files_.certificate, .key = files_.key});
  }

  const test::TempFolder folder_;
  const std::string data_ = folder_ / "data";
  const KeyFiles files_ = KeyFilesIn(data_);
};

TEST_F(CertificatesTest, FolderHasKeysIfMasterKeyExists) {
  EXPECT_FALSE(HasMasterCertificate(data_));
  DL_ASSERT_OK(MakeAuthority(files_));
  EXPECT_FALSE(HasMasterCertificate(data_)) << "the master has none yet";
  DL_ASSERT_OK(IssueCertificate(files_, {"localhost"}));
  EXPECT_TRUE(HasMasterCertificate(data_));
  EXPECT_FALSE(HasMasterCertificate(folder_ / "other"));
  std::filesystem::remove(files_.key);
  EXPECT_FALSE(HasMasterCertificate(data_));
}

TEST_F(CertificatesTest, KeysAreForTheirOwnerAlone) {
  DL_ASSERT_OK(MakeAuthority(files_));
  DL_ASSERT_OK(IssueCertificate(files_, {"localhost"}));
  EXPECT_EQ(RightsOf(files_.ca_key), 0600u);
  EXPECT_EQ(RightsOf(files_.key), 0600u);
  EXPECT_EQ(RightsOf(data_ + "/security"), 0700u);
  for (const std::string& path : {files_.ca, files_.certificate}) {
    EXPECT_EQ(ReadFile(path, limits::kMaxPemBytes)->find("PRIVATE"), std::string::npos) << path;
  }
}

TEST_F(CertificatesTest, SecondCaIsRefused) {
  DL_ASSERT_OK(MakeAuthority(files_));
  const std::string ca = *ReadFile(files_.ca, limits::kMaxPemBytes);
  const std::string key = *ReadFile(files_.ca_key, limits::kMaxPemBytes);
  const Status refused = MakeAuthority(files_);
  EXPECT_THAT(refused, IsError(absl::StatusCode::kAlreadyExists, "already has a CA"));
  EXPECT_EQ(ErrorWhere(refused), files_.ca);
  EXPECT_EQ(*ReadFile(files_.ca, limits::kMaxPemBytes), ca);
  EXPECT_EQ(*ReadFile(files_.ca_key, limits::kMaxPemBytes), key);
}

TEST_F(CertificatesTest, MasterCertificateIsSignedForServers) {
  DL_ASSERT_OK(MakeAuthority(files_));
  DL_ASSERT_OK(IssueCertificate(files_, {"localhost"}));
  const std::vector<CertificateHandle> chain = CertificatesOf(files_.certificate);
  ASSERT_EQ(chain.size(), 2u) << "its own, and the CA's behind it";
  X509* const master = chain[0].get();
  X509* const ca = chain[1].get();
  EXPECT_EQ(X509_cmp(ca, CertificatesOf(files_.ca).at(0).get()), 0);
  EXPECT_EQ(X509_verify(master, X509_get0_pubkey(ca)), 1);
  EXPECT_EQ(X509_verify(ca, X509_get0_pubkey(ca)), 1);
  EXPECT_EQ(X509_check_ca(ca), 1);
  EXPECT_EQ(X509_check_ca(master), 0);
  EXPECT_EQ(X509_get_extended_key_usage(master), uint32_t{XKU_SSL_SERVER});
  EXPECT_NE(X509_get_extension_flags(ca) & EXFLAG_SS, 0u);
}

// The clocks of a cluster differ. The certificates are rarely renewed.
TEST_F(CertificatesTest, ValidityStartsBeforeNow) {
  DL_ASSERT_OK(MakeAuthority(files_));
  DL_ASSERT_OK(IssueCertificate(files_, {"localhost"}));
  for (const CertificateHandle& each : CertificatesOf(files_.certificate)) {
    int days = 0, seconds = 0;
    ASSERT_EQ(ASN1_TIME_diff(&days, &seconds, X509_get0_notBefore(each.get()), nullptr), 1);
    EXPECT_GE(days, 29);
    EXPECT_LE(days, 31);
    ASSERT_EQ(ASN1_TIME_diff(&days, &seconds, nullptr, X509_get0_notAfter(each.get())), 1);
    EXPECT_NEAR(days, 20 * 365, 2);
  }
}

TEST_F(CertificatesTest, RenewedCertificateHasSameCa) {
  DL_ASSERT_OK(MakeAuthority(files_));
  DL_ASSERT_OK(IssueCertificate(files_, {"localhost"}));
  const auto before = Fingerprint();
  const std::string key = *ReadFile(files_.key, limits::kMaxPemBytes);
  const auto first = CertificatesOf(files_.certificate);
  DL_ASSERT_OK(IssueCertificate(files_, {"localhost", "master.example"}));
  const auto second = CertificatesOf(files_.certificate);
  DL_ASSERT_OK(before);
  EXPECT_EQ(*Fingerprint(), *before);
  EXPECT_EQ(*before, DigestOfFile(files_.ca));
  EXPECT_NE(*ReadFile(files_.key, limits::kMaxPemBytes), key);
  EXPECT_NE(ASN1_INTEGER_cmp(X509_get0_serialNumber(first[0].get()),
                             X509_get0_serialNumber(second[0].get())),
            0);
}

TEST_F(CertificatesTest, ListsGivenNames) {
  DL_ASSERT_OK(MakeAuthority(files_));
  const std::string label(63, 'a');
  const std::string longest =
      absl::StrCat(label, ".", label, ".", label, ".", label).substr(0, 253);
  const std::vector<std::string> names = {longest,     "master.example", "node_1", "7",
                                          "192.0.2.7", "2001:db8::7",    "::1"};
  DL_ASSERT_OK(IssueCertificate(files_, names));
  const auto said = ReadCertificateNames(files_.certificate);
  DL_ASSERT_OK(said);
  EXPECT_EQ(*said, names);
}

TEST_F(CertificatesTest, AcceptsMaximumNumberOfNames) {
  DL_ASSERT_OK(MakeAuthority(files_));
  std::vector<std::string> names;
  for (int i = 0; i < 1000; ++i) names.push_back(absl::StrCat("10.0.", i / 250, ".", i % 250));
  DL_ASSERT_OK(IssueCertificate(files_, names));
  EXPECT_EQ(*ReadCertificateNames(files_.certificate), names);
}

// The names become part of a text in the format of OpenSSL's configuration.
TEST_F(CertificatesTest, RefusesWhatIsNeitherHostNorAddress) {
  DL_ASSERT_OK(MakeAuthority(files_));
  for (const std::string name :
       {"", " ", "a b", "a,DNS:b", "DNS:a", "a;b", "a\nb", "*.example", "-a", ".a", "_a", "a/b",
        "ad\xc3\xa9", "192.0.2.7,", "[::1]", "::1%lo", "2001:db8::g", "dl://a", "a:7077"}) {
    EXPECT_THAT(IssueCertificate(files_, {"localhost", name}),
                IsError(absl::StatusCode::kInvalidArgument, "neither a host name nor an address"))
        << name;
  }
  EXPECT_THAT(IssueCertificate(files_, {std::string("a\0b", 3)}),
              IsError(absl::StatusCode::kInvalidArgument, "neither"));
  EXPECT_THAT(IssueCertificate(files_, {std::string(254, 'a')}),
              IsError(absl::StatusCode::kInvalidArgument, "neither"));
  EXPECT_THAT(IssueCertificate(files_, {}),
              IsError(absl::StatusCode::kInvalidArgument, "needs a name"));
  EXPECT_FALSE(HasMasterCertificate(data_)) << "something was written";
}

TEST_F(CertificatesTest, ErrorsNameTheFile) {
  const Status none = IssueCertificate(files_, {"localhost"});
  EXPECT_THAT(none, IsError(absl::StatusCode::kNotFound, files_.ca));
  DL_ASSERT_OK(MakeAuthority(files_));

  KeyFiles wrong = files_;
  wrong.ca = files_.ca_key;
  const Status swapped = IssueCertificate(wrong, {"localhost"});
  EXPECT_THAT(swapped, IsError(absl::StatusCode::kInvalidArgument, "no certificate in PEM"));
  EXPECT_EQ(ErrorWhere(swapped), files_.ca_key);
  wrong = files_;
  wrong.ca_key = files_.ca;
  const Status no_key = IssueCertificate(wrong, {"localhost"});
  EXPECT_THAT(no_key, IsError(absl::StatusCode::kInvalidArgument, "no key in PEM"));
  EXPECT_EQ(ErrorWhere(no_key), files_.ca);

  for (const std::string text : {"", "x", "-----BEGIN CERTIFICATE-----\n"}) {
    const std::string path = folder_.Write("text", text);
    const Status refused = ReadCertificateNames(path).status();
    EXPECT_THAT(refused, IsError(absl::StatusCode::kInvalidArgument, "no certificate in PEM"));
    EXPECT_EQ(ErrorWhere(refused), path);
  }
  EXPECT_THAT(ReadCertificateNames(folder_ / "none"),
              IsError(absl::StatusCode::kNotFound, folder_ / "none"));
  const std::string long_one = folder_.Write("long", "");
  std::filesystem::resize_file(long_one, limits::kMaxPemBytes + 1);
  EXPECT_THAT(ReadCertificateNames(long_one),
              IsError(absl::StatusCode::kResourceExhausted, long_one));
}

TEST_F(CertificatesTest, NoNamesGiveEmptyList) {
  const PairFiles plain = Issue({.subject = {{"CN", "plain"}}}, folder_ / "plain");
  const auto names = ReadCertificateNames(plain.certificate);
  DL_ASSERT_OK(names);
  EXPECT_TRUE(names->empty());
}

TEST_F(CertificatesTest, NamesOfThisMachineAreValid) {
  const std::vector<std::string> names = FindMachineNames();
  for (const char* name : {"localhost", "127.0.0.1", "::1"})
    EXPECT_EQ(std::ranges::count(names, name), 1) << name;
  EXPECT_EQ(std::set(names.begin(), names.end()).size(), names.size());
  DL_ASSERT_OK(MakeAuthority(files_));
  DL_ASSERT_OK(IssueCertificate(files_, names));
  EXPECT_EQ(*ReadCertificateNames(files_.certificate), names);
}

}  // namespace
}  // namespace dl::security
