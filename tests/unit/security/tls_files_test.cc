// Files from which no TLS context can be made: the error names the file and what to use instead.
#include <openssl/pem.h>

#include <cstdio>
#include <filesystem>

#include "base/files.h"
#include "base/limits.h"
#include "gmock/gmock.h"
#include "security/tls.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/security/site_certificates.h"
#include "tests/unit/security/two_ends.h"

namespace dl::security {
namespace {

using absl::StatusCode;
using std::chrono::hours;
using test::IsError;

class TlsFilesTest : public testing::Test {
 protected:
  TlsFilesTest() {
    for (const KeyFiles& files : {cluster_, other_}) {
      DL_CHECK(MakeAuthority(files).ok());
      DL_CHECK(IssueCertificate(files, {kHost}).ok());
    }
  }

  static Status Master(const MasterTls& tls) {
    const ContextHandle context = NewMasterContext();
    const Status status = SetUpMaster(context.get(), tls);
    // Tokens can be created before the master starts, so FingerprintOf must report the same error.
    EXPECT_EQ(FingerprintOf(tls).status().code(), status.code());
    return status;
  }
  static Status Peer(const PeerTls& tls) {
    const ContextHandle context = NewPeerContext();
    return SetUpPeer(context.get(), tls);
  }
  Status PeerWith(const std::string& certificate, const std::string& key) const {
    return Peer({.host = kHost, .ca = cluster_.ca, .certificate = certificate, .key = key});
  }
  static void ExpectError(const Status& status, StatusCode code, const std::string& path) {
    EXPECT_THAT(status, IsError(code, path));
    EXPECT_EQ(ErrorWhere(status), path);
    EXPECT_EQ(DescribeError(status).find("PRIVATE KEY"), std::string::npos);
  }

  const test::TempFolder folder_;
  const KeyFiles cluster_ = KeyFilesIn(folder_ / "cluster"), other_ = KeyFilesIn(folder_ / "other");
  const std::string certificate_ = cluster_.certificate, key_ = cluster_.key;
  const std::string none_ = folder_ / "none";
};

TEST_F(TlsFilesTest, ValidFilesAreLoaded) {
  DL_EXPECT_OK(Master({.certificate = certificate_, .key = key_}));
  DL_EXPECT_OK(Master({.certificate = certificate_, .key = key_, .ca = cluster_.ca}));
  DL_EXPECT_OK(PeerWith(certificate_, key_));
  DL_EXPECT_OK(PeerWith("", ""));
}

TEST_F(TlsFilesTest, MissingFileIsNotFound) {
  ExpectError(Master({.certificate = none_, .key = key_}), StatusCode::kNotFound, none_);
  ExpectError(Master({.certificate = certificate_, .key = none_}), StatusCode::kNotFound, none_);
  ExpectError(PeerWith(none_, key_), StatusCode::kNotFound, none_);
  ExpectError(PeerWith(certificate_, none_), StatusCode::kNotFound, none_);
  ExpectError(Peer({.host = kHost, .ca = none_}), StatusCode::kNotFound, none_);
}

TEST_F(TlsFilesTest, SwappedFilesAreNamed) {
  ExpectError(Master({.certificate = key_, .key = certificate_}), StatusCode::kInvalidArgument,
              key_);
  ExpectError(PeerWith(key_, certificate_), StatusCode::kInvalidArgument, key_);
  ExpectError(Peer({.host = kHost, .ca = key_}), StatusCode::kInvalidArgument, key_);
  // The certificate file is valid, but it contains no key.
  ExpectError(Master({.certificate = certificate_, .key = certificate_}),
              StatusCode::kInvalidArgument, certificate_);
}

// Both the master and the peer refuse such a key.
TEST_F(TlsFilesTest, KeyReadableByOthersIsRefused) {
  std::filesystem::permissions(key_, std::filesystem::perms(0644));
  const Status master = Master({.certificate = certificate_, .key = key_});
  for (const Status& refused : {master, PeerWith(certificate_, key_)}) {
    ExpectError(refused, StatusCode::kUnauthenticated, key_);
    EXPECT_NE(ErrorRemedy(refused).find("chmod 6"), std::string::npos) << refused;
  }
  std::filesystem::permissions(key_, std::filesystem::perms(0600));
  DL_EXPECT_OK(Master({.certificate = certificate_, .key = key_}));
}

TEST_F(TlsFilesTest, KeyOfOtherCertificateIsNamed) {
  const Status master = Master({.certificate = certificate_, .key = other_.key});
  ExpectError(master, StatusCode::kInvalidArgument, other_.key);
  EXPECT_NE(master.message().find(certificate_), std::string::npos) << "whose it is not";
  ExpectError(PeerWith(certificate_, other_.key), StatusCode::kInvalidArgument, other_.key);
}

TEST_F(TlsFilesTest, NonPemFileIsNamed) {
  const std::string whole = *ReadFile(certificate_, limits::kMaxPemBytes);
  for (const std::string& text :
       {std::string(), std::string("x"), std::string(1000, '\0'), whole.substr(0, 100),
        std::string("-----BEGIN CERTIFICATE-----\n!!\n-----END CERTIFICATE-----\n")}) {
    const std::string path = folder_.Write("text", text);
    ExpectError(Master({.certificate = path, .key = key_}), StatusCode::kInvalidArgument, path);
    ExpectError(Master({.certificate = certificate_, .key = path}), StatusCode::kInvalidArgument,
                path);
    ExpectError(PeerWith(path, key_), StatusCode::kInvalidArgument, path);
    ExpectError(Peer({.host = kHost, .ca = path}), StatusCode::kInvalidArgument, path);
  }
}

// The CA file of the site whose certificates authenticate clients.
TEST_F(TlsFilesTest, SiteFileIsNamed) {
  const std::string text = folder_.Write("text", "x");
  for (const std::string& path : {text, key_}) {
    ExpectError(Master({.certificate = certificate_, .key = key_, .ca = path}),
                StatusCode::kInvalidArgument, path);
  }
}

TEST_F(TlsFilesTest, UnreadableSiteFileIsReported) {
  ExpectError(Master({.certificate = certificate_, .key = key_, .ca = none_}),
              StatusCode::kNotFound, none_);
  ExpectError(Master({.certificate = certificate_, .key = key_, .ca = folder_.path()}),
              StatusCode::kFailedPrecondition, folder_.path());
  const std::string path = folder_.Write("long", *ReadFile(cluster_.ca, limits::kMaxPemBytes));
  std::filesystem::resize_file(path, limits::kMaxPemBytes + 1);
  ExpectError(Master({.certificate = certificate_, .key = key_, .ca = path}),
              StatusCode::kResourceExhausted, path);
}

TEST_F(TlsFilesTest, LongFileIsNotReadCompletely) {
  const std::string path = folder_.Write("long", "");
  std::filesystem::resize_file(path, limits::kMaxPemBytes + 1);
  ExpectError(Master({.certificate = path, .key = key_}), StatusCode::kResourceExhausted, path);
  ExpectError(Master({.certificate = certificate_, .key = path}), StatusCode::kResourceExhausted,
              path);
  ExpectError(Peer({.host = kHost, .ca = "/dev/zero"}), StatusCode::kResourceExhausted,
              "/dev/zero");
}

// Every peer would reject this master, so it must not start.
TEST_F(TlsFilesTest, UnverifiableMasterCertificateIsRefused) {
  // A chain without the CA, and a chain with another CA.
  const std::string whole = *ReadFile(certificate_, limits::kMaxPemBytes);
  const std::string leaf = whole.substr(0, whole.rfind("-----BEGIN"));
  const std::string alone = folder_.Write("alone", leaf);
  ExpectError(Master({.certificate = alone, .key = key_}), StatusCode::kInvalidArgument, alone);
  const std::string mixed =
      folder_.Write("mixed", leaf + *ReadFile(other_.ca, limits::kMaxPemBytes));
  ExpectError(Master({.certificate = mixed, .key = key_}), StatusCode::kInvalidArgument, mixed);
  ExpectError(Master({.certificate = certificate_, .key = key_, .ca = other_.ca}),
              StatusCode::kInvalidArgument, certificate_);

  SiteCertificate expired{.issuer = IssuerOf(cluster_), .subject = {{"CN", kHost}}};
  SiteCertificate early = expired, client = expired, own = expired;
  expired.from = -hours(2);
  expired.until = -hours(1);
  early.from = hours(1);
  early.until = hours(2);
  client.extensions = {{"extendedKeyUsage", "clientAuth"}};
  own.issuer = {};
  for (const SiteCertificate& wanted : {expired, client, own}) {
    const PairFiles pair = Issue(wanted, folder_ / "wrong");
    const Status refused =
        Master({.certificate = pair.certificate, .key = pair.key, .ca = cluster_.ca});
    ExpectError(refused, StatusCode::kInvalidArgument, pair.certificate);
    EXPECT_NE(ErrorRemedy(refused).find(cluster_.ca), std::string::npos);
  }
  // The clock of the machine may be wrong. It will be corrected and the master started again.
  const PairFiles pair = Issue(early, folder_ / "early");
  ExpectError(Master({.certificate = pair.certificate, .key = pair.key, .ca = cluster_.ca}),
              StatusCode::kUnavailable, pair.certificate);
}

TEST_F(TlsFilesTest, ErrorLeavesNoStateInOpenSsl) {
  ASSERT_FALSE(Master({.certificate = key_, .key = certificate_}).ok());
  EXPECT_EQ(ERR_peek_error(), 0u);
  ASSERT_FALSE(PeerWith(certificate_, other_.key).ok());
  EXPECT_EQ(ERR_peek_error(), 0u);
  EXPECT_EQ(OpenSslError(), "it says no reason");
}

// OpenSSL must not ask for the password on a terminal or on standard input.
TEST_F(TlsFilesTest, KeyWithPasswordIsRefused) {
  const std::string locked = folder_ / "locked.key";
  const BioHandle in(BIO_new_file(key_.c_str(), "r")), out(BIO_new_file(locked.c_str(), "w"));
  const KeyHandle key(PEM_read_bio_PrivateKey(in.get(), nullptr, nullptr, nullptr));
  const std::string password = "open sesame";
  ASSERT_EQ(PEM_write_bio_PrivateKey(out.get(), key.get(), EVP_aes_128_cbc(),
                                     reinterpret_cast<const unsigned char*>(password.data()),
                                     static_cast<int>(password.size()), nullptr, nullptr),
            1);
  BIO_flush(out.get());
  ASSERT_EQ(std::freopen(folder_.Write("typed", password + "\n").c_str(), "r", stdin), stdin);
  ExpectError(Master({.certificate = certificate_, .key = locked}), StatusCode::kInvalidArgument,
              locked);
  ExpectError(PeerWith(certificate_, locked), StatusCode::kInvalidArgument, locked);
  KeyFiles files = cluster_;
  std::filesystem::rename(locked, files.ca_key);
  ExpectError(IssueCertificate(files, {kHost}), StatusCode::kInvalidArgument, files.ca_key);
  EXPECT_EQ(std::ftell(stdin), 0);
}

// To OpenSSL, an empty name matches every name, and a name that begins with a dot matches all its
// subdomains.
TEST_F(TlsFilesTest, ClientSendsNameOfMaster) {
  for (const std::string host : {"", ".", ".example"}) {
    EXPECT_THAT(Peer({.host = host, .ca = cluster_.ca}),
                IsError(StatusCode::kInvalidArgument, "no name of a master"))
        << host;
  }
}

// The state of the files after a crash in the middle of a renewal.
TEST_F(TlsFilesTest, HalfRenewedKeysHaveRemedy) {
  const std::string old = *ReadFile(certificate_, limits::kMaxPemBytes);
  DL_ASSERT_OK(IssueCertificate(cluster_, {kHost}));
  DL_ASSERT_OK(AtomicWriteFile(certificate_, old));
  EXPECT_THAT(ErrorRemedy(Master({.certificate = certificate_, .key = key_})),
              testing::HasSubstr("dl-submit cluster init --renew"));
  DL_ASSERT_OK(IssueCertificate(cluster_, *ReadCertificateNames(certificate_)));
  DL_EXPECT_OK(Master({.certificate = certificate_, .key = key_}));
}

}  // namespace
}  // namespace dl::security
