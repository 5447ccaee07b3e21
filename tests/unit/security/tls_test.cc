// Authentication of masters by their peers. tls_files_test.cc tests which files make a context.
// client_certificate_test.cc tests which clients a master accepts.
#include "security/tls.h"

#include "base/files.h"
#include "base/limits.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/security/site_certificates.h"
#include "tests/unit/security/two_ends.h"

namespace dl::security {
namespace {

using std::chrono::hours;
using test::IsError;

// A cluster whose master has its own CA, and another cluster of the same kind.
class TlsTest : public testing::Test {
 protected:
  TlsTest() {
    for (const KeyFiles& files : {cluster_, other_}) {
      DL_CHECK(MakeAuthority(files).ok());
      DL_CHECK(IssueCertificate(files, {kHost, "192.0.2.7", "2001:db8::7"}).ok());
    }
  }

  static MasterTls MasterOf(const KeyFiles& files) {
    return {.certificate = files.certificate, .key = files.key};
  }
  static std::string FingerprintBy(const KeyFiles& files) {
    const auto fingerprint = FingerprintOf(MasterOf(files));
    EXPECT_THAT(fingerprint, test::IsOk());
    return fingerprint.ok() ? *fingerprint : "";
  }
  static ContextHandle Master(const MasterTls& tls) {
    ContextHandle context = NewMasterContext();
    EXPECT_THAT(SetUpMaster(context.get(), tls), test::IsOk());
    return context;
  }
  static ContextHandle Peer(const PeerTls& tls) {
    ContextHandle context = NewPeerContext();
    EXPECT_THAT(SetUpPeer(context.get(), tls), test::IsOk());
    return context;
  }
  // Returns a master with a chain and a key that SetUpMaster would refuse.
  static ContextHandle Impostor(const std::string& chain, const std::string& key) {
    ContextHandle context = NewMasterContext();
    EXPECT_EQ(SSL_CTX_use_certificate_chain_file(context.get(), chain.c_str()), 1);
    EXPECT_EQ(SSL_CTX_use_PrivateKey_file(context.get(), key.c_str(), SSL_FILETYPE_PEM), 1);
    return context;
  }
  // Returns why the peer rejects that master. OK if it accepts the master.
  static Status Meet(const ContextHandle& master, const PeerTls& tls) {
    TwoEnds ends(master.get(), Peer(tls).get());
    const bool shook = ends.ShakeHands();
    const Status why = PeerVerificationError(ends.peer(), "dl://there");
    EXPECT_EQ(shook, why.ok()) << ends.error_of_peer() << ends.error_of_master();
    EXPECT_EQ(ErrorWhere(why), shook ? "" : "dl://there");
    return why;
  }
  std::string Text(const std::string& path) { return *ReadFile(path, limits::kMaxPemBytes); }

  const test::TempFolder folder_;
  const KeyFiles cluster_ = KeyFilesIn(folder_ / "cluster"), other_ = KeyFilesIn(folder_ / "other");
};

TEST_F(TlsTest, MasterWithTheFingerprintIsTrusted) {
  const ContextHandle master = Master(MasterOf(cluster_));
  const ContextHandle peer = Peer({.host = kHost, .fingerprint = FingerprintBy(cluster_)});
  TwoEnds ends(master.get(), peer.get());
  ASSERT_TRUE(ends.ShakeHands()) << ends.error_of_peer() << ends.error_of_master();
  EXPECT_EQ(ends.FromPeer("hello"), "hello");
  EXPECT_EQ(ends.FromMaster("welcome"), "welcome");
  EXPECT_STREQ(SSL_get_version(ends.peer()), "TLSv1.3");
  EXPECT_EQ(IdentityOf(ends.master()), std::nullopt) << "it showed no certificate";
  DL_EXPECT_OK(PeerVerificationError(ends.master(), "peer"));
}

TEST_F(TlsTest, RefusesTheMasterOfAnotherFingerprint) {
  const ContextHandle master = Master(MasterOf(other_));
  const Status why = Meet(master, {.host = kHost, .fingerprint = FingerprintBy(cluster_)});
  EXPECT_THAT(why, IsError(absl::StatusCode::kUnauthenticated, "is not the master"));
  EXPECT_NE(ErrorRemedy(why).find("that the token belongs to this cluster"), std::string::npos);
  // A difference in one character suffices.
  std::string near = FingerprintBy(other_);
  near[0] = near[0] == 'A' ? 'B' : 'A';
  EXPECT_THAT(Meet(master, {.host = kHost, .fingerprint = near}),
              IsError(absl::StatusCode::kUnauthenticated, "is not the master"));
}

// The CA's certificate is not secret: every peer that ever connected has it.
TEST_F(TlsTest, CaCertificateAloneDoesNotIdentifyMaster) {
  const std::string leaf_of_other = Text(other_.certificate);
  const std::string chain = folder_.Write(
      "chain", leaf_of_other.substr(0, leaf_of_other.rfind("-----BEGIN")) + Text(cluster_.ca));
  const PeerTls by_fingerprint{.host = kHost, .fingerprint = FingerprintBy(cluster_)};
  EXPECT_THAT(Meet(Impostor(chain, other_.key), by_fingerprint),
              IsError(absl::StatusCode::kUnauthenticated, "is not the master"));
  // A self-signed certificate with the same names.
  const PairFiles own = Issue({.subject = {{"CN", "Paravane cluster CA"}},
                               .extensions = {{"subjectAltName", "DNS:master.example"}}},
                              folder_ / "own");
  const std::string both = folder_.Write("both", Text(own.certificate) + Text(cluster_.ca));
  EXPECT_THAT(Meet(Impostor(both, own.key), by_fingerprint),
              IsError(absl::StatusCode::kUnauthenticated, "is not the master"));
}

// A client certificate of the cluster's CA does not make its owner a master.
TEST_F(TlsTest, ClientCertificateIsNoMasterCertificate) {
  const PairFiles client = Issue({.issuer = IssuerOf(cluster_),
                                  .subject = {{"CN", "ada"}},
                                  .extensions = {{"extendedKeyUsage", "clientAuth"},
                                                 {"subjectAltName", "DNS:master.example"}}},
                                 folder_ / "client");
  const std::string chain = folder_.Write("chain", Text(client.certificate) + Text(cluster_.ca));
  EXPECT_THAT(
      Meet(Impostor(chain, client.key), {.host = kHost, .fingerprint = FingerprintBy(cluster_)}),
      IsError(absl::StatusCode::kUnauthenticated, "is not the master"));
}

TEST_F(TlsTest, HostMustBeNameOfCertificate) {
  const ContextHandle master = Master(MasterOf(cluster_));
  const std::string fingerprint = FingerprintBy(cluster_);
  for (const std::string host :
       {"master.example", "MASTER.Example", "192.0.2.7", "2001:db8::7", "2001:0db8:0:0:0:0:0:7"}) {
    DL_EXPECT_OK(Meet(master, {.host = host, .fingerprint = fingerprint})) << host;
  }
  for (const std::string host :
       {"other.example", "example", "a.master.example", "master", "localhost", "192.0.2.8",
        "127.0.0.1", "2001:db8::8", "::1", "::ffff:192.0.2.7", "192.0.2.7.", "[2001:db8::7]"}) {
    EXPECT_THAT(Meet(master, {.host = host, .fingerprint = fingerprint}),
                IsError(absl::StatusCode::kUnauthenticated, "not for that name"))
        << host;
  }
}

TEST_F(TlsTest, SiteCaReplacesFingerprint) {
  MasterTls tls = MasterOf(cluster_);
  tls.ca = cluster_.ca;
  const ContextHandle master = Master(tls);
  DL_EXPECT_OK(Meet(master, {.host = kHost, .ca = cluster_.ca}));
  DL_EXPECT_OK(Meet(master, {.host = kHost, .fingerprint = FingerprintBy(cluster_)}));
  EXPECT_THAT(Meet(master, {.host = kHost, .ca = other_.ca}),
              IsError(absl::StatusCode::kUnauthenticated, "is not the master"));
  EXPECT_THAT(Meet(master, {.host = "other.example", .ca = cluster_.ca}),
              IsError(absl::StatusCode::kUnauthenticated, "not for that name"));
  // It suffices that one of several CAs matches.
  const std::string both = folder_.Write("both", Text(other_.ca) + Text(cluster_.ca));
  DL_EXPECT_OK(Meet(master, {.host = kHost, .ca = both}));
}

// Peers that know only the fingerprint of the root need the root in the chain.
TEST_F(TlsTest, CompleteChainIsSent) {
  const PairFiles root = Issue({.subject = {{"CN", "Site root"}},
                                .extensions = {{"basicConstraints", "critical,CA:TRUE"},
                                               {"keyUsage", "critical,keyCertSign"}}},
                               folder_ / "root");
  const PairFiles between = Issue({.issuer = root,
                                   .subject = {{"CN", "Site intermediate"}},
                                   .extensions = {{"basicConstraints", "critical,CA:TRUE"},
                                                  {"keyUsage", "critical,keyCertSign"}}},
                                  folder_ / "between");
  const PairFiles leaf = Issue({.issuer = between,
                                .subject = {{"CN", kHost}},
                                .extensions = {{"extendedKeyUsage", "serverAuth"},
                                               {"subjectAltName", "DNS:master.example"}}},
                               folder_ / "leaf");
  const MasterTls tls{
      .certificate = folder_.Write("chain", Text(leaf.certificate) + Text(between.certificate)),
      .key = leaf.key,
      .ca = root.certificate};
  const auto fingerprint = FingerprintOf(tls);
  DL_ASSERT_OK(fingerprint);
  EXPECT_EQ(*fingerprint, DigestOfFile(root.certificate));
  const ContextHandle master = Master(tls);
  DL_EXPECT_OK(Meet(master, {.host = kHost, .fingerprint = *fingerprint}));
  DL_EXPECT_OK(Meet(master, {.host = kHost, .ca = root.certificate}));
  EXPECT_THAT(Meet(master, {.host = kHost, .fingerprint = FingerprintBy(cluster_)}),
              IsError(absl::StatusCode::kUnauthenticated, "is not the master"));
}

TEST_F(TlsTest, InvalidTimeOfCertificateSuggestsClocks) {
  for (const auto& [from, until, code] :
       {std::tuple{-hours(2), -hours(1), absl::StatusCode::kUnauthenticated},
        // The clock will be corrected. Executors wait for the master until then.
        std::tuple{hours(1), hours(2), absl::StatusCode::kUnavailable}}) {
    const PairFiles leaf = Issue({.issuer = IssuerOf(cluster_),
                                  .subject = {{"CN", kHost}},
                                  .extensions = {{"subjectAltName", "DNS:master.example"}},
                                  .from = from,
                                  .until = until},
                                 folder_ / "leaf");
    const std::string chain = folder_.Write("chain", Text(leaf.certificate) + Text(cluster_.ca));
    EXPECT_THAT(
        Meet(Impostor(chain, leaf.key), {.host = kHost, .fingerprint = FingerprintBy(cluster_)}),
        IsError(code, "Compare the clocks"));
  }
}

TEST_F(TlsTest, Speaks12AndNothingBefore) {
  const ContextHandle master = Master(MasterOf(cluster_));
  const PeerTls tls{.host = kHost, .fingerprint = FingerprintBy(cluster_)};
  const ContextHandle last = Peer(tls);
  SSL_CTX_set_max_proto_version(last.get(), TLS1_2_VERSION);
  TwoEnds good(master.get(), last.get());
  ASSERT_TRUE(good.ShakeHands()) << good.error_of_peer() << good.error_of_master();
  EXPECT_STREQ(SSL_get_version(good.peer()), "TLSv1.2");
  EXPECT_TRUE(SSL_CIPHER_is_aead(SSL_get_current_cipher(good.peer())));
  EXPECT_EQ(good.FromPeer("hello"), "hello");

  // Both ends allow any cipher of any strength, so that only the version decides.
  const ContextHandle lax = Master(MasterOf(cluster_)), old = NewPeerContext();
  for (SSL_CTX* context : {lax.get(), old.get()}) {
    SSL_CTX_set_security_level(context, 0);
    ASSERT_EQ(SSL_CTX_set_cipher_list(context, "ALL:@SECLEVEL=0"), 1);
  }
  SSL_CTX_set_min_proto_version(old.get(), TLS1_VERSION);
  SSL_CTX_set_max_proto_version(old.get(), TLS1_1_VERSION);
  TwoEnds ends(lax.get(), old.get());
  EXPECT_FALSE(ends.ShakeHands());
  EXPECT_EQ(ends.error_of_master(), "unsupported protocol");
}

TEST_F(TlsTest, A12CipherWithoutForwardSecrecyIsRefused) {
  const ContextHandle master = Master(MasterOf(cluster_));
  const ContextHandle peer = Peer({.host = kHost, .fingerprint = FingerprintBy(cluster_)});
  SSL_CTX_set_max_proto_version(peer.get(), TLS1_2_VERSION);
  ASSERT_EQ(SSL_CTX_set_cipher_list(peer.get(), "ECDHE-ECDSA-AES128-SHA:ECDHE-ECDSA-AES128-SHA256"),
            1);
  TwoEnds ends(master.get(), peer.get());
  EXPECT_FALSE(ends.ShakeHands());
  EXPECT_EQ(ends.error_of_master(), "no shared cipher");
}

TEST_F(TlsTest, UnverifiedPeerIsAccepted) { DL_EXPECT_OK(PeerVerificationError(nullptr, "there")); }

}  // namespace
}  // namespace dl::security
