// Authentication of clients by a certificate of the site's CA.
#include "absl/strings/str_cat.h"
#include "security/tls.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/security/site_certificates.h"
#include "tests/unit/security/two_ends.h"

namespace dl::security {
namespace {

using std::chrono::hours;
using Subject = std::vector<std::pair<std::string, std::string>>;

class ClientCertificateTest : public testing::Test {
 protected:
  ClientCertificateTest() {
    for (const KeyFiles& files : {site_, other_}) DL_CHECK(MakeAuthority(files).ok());
    DL_CHECK(IssueCertificate(site_, {kHost}).ok());
  }

  SiteCertificate Wanted(const Subject& subject) const {
    return {.issuer = IssuerOf(site_),
            .subject = subject,
            .extensions = {{"extendedKeyUsage", "clientAuth"}}};
  }
  struct Met {
    bool shook = false;
    std::optional<Identity> identity;
    std::string error;  // error of the master
    Status why;         // why the master does not accept the client
  };
  Met Meet(const PairFiles& client) const { return Meet(client, site_.ca); }
  Met Meet(const PairFiles& client, const std::string& ca_of_master) const {
    const ContextHandle master = NewMasterContext(), peer = NewPeerContext();
    EXPECT_THAT(
        SetUpMaster(master.get(),
                    {.certificate = site_.certificate, .key = site_.key, .ca = ca_of_master}),
        test::IsOk());
    EXPECT_THAT(
        SetUpPeer(
            peer.get(),
            {.host = kHost, .ca = site_.ca, .certificate = client.certificate, .key = client.key}),
        test::IsOk());
    TwoEnds ends(master.get(), peer.get());
    Met met{.shook = ends.ShakeHands(), .identity = IdentityOf(ends.master())};
    met.error = ends.error_of_master();
    met.why = PeerVerificationError(ends.master(), "client");
    return met;
  }
  // Returns the identity for a certificate with this subject that the site's CA signed.
  std::optional<Identity> IdentityBy(const Subject& subject) const {
    const Met met = Meet(Issue(Wanted(subject), folder_ / "client"));
    EXPECT_TRUE(met.shook) << met.error;
    return met.identity;
  }

  const test::TempFolder folder_;
  const KeyFiles site_ = KeyFilesIn(folder_ / "site"), other_ = KeyFilesIn(folder_ / "other");
};

TEST_F(ClientCertificateTest, NamesOwnerAndRole) {
  for (const Role role : {Role::kRead, Role::kSubmit, Role::kExecute, Role::kAdmin}) {
    const Identity expected{.owner = "ada@example.org", .role = role};
    const std::string unit = absl::StrCat("paravane-", std::string(RoleName(role)));
    EXPECT_EQ(IdentityBy({{"CN", "ada@example.org"}, {"OU", unit}}), expected) << unit;
  }
}

// Sites use organizational units of their own besides those that name a role.
TEST_F(ClientCertificateTest, OrganizationalUnitIsRole) {
  const Identity expected{.owner = "ada", .role = Role::kRead};
  EXPECT_EQ(IdentityBy({{"O", "Example"},
                        {"OU", "Laboratory"},
                        {"OU", "paravane-king"},
                        {"OU", "paravane-read"},
                        {"CN", "ada"}}),
            expected);
}

TEST_F(ClientCertificateTest, MissingRoleIsRefused) {
  EXPECT_EQ(IdentityBy({{"CN", "ada"}}), std::nullopt);
  for (const std::string unit : {"admin", "paravane-", "paravane-king", "paravane-Admin",
                                 "paravane-admin ", " paravane-admin", "Paravane-admin", ""}) {
    EXPECT_EQ(IdentityBy({{"CN", "ada"}, {"OU", unit}}), std::nullopt) << unit;
  }
  EXPECT_EQ(IdentityBy({{"CN", "ada"}, {"OU", std::string("paravane-admin\0", 15)}}), std::nullopt);
  EXPECT_EQ(IdentityBy({{"CN", "ada"}, {"O", "paravane-admin"}}), std::nullopt);
}

TEST_F(ClientCertificateTest, MissingOwnerIsRefused) {
  const std::pair<std::string, std::string> role{"OU", "paravane-admin"};
  EXPECT_EQ(IdentityBy({role}), std::nullopt);
  for (const std::string name : {"", " ", "Ada Lovelace", "ad\xc3\xa9", ".ada", "ada/bob", "ada\n"})
    EXPECT_EQ(IdentityBy({{"CN", name}, role}), std::nullopt) << name;
}

TEST_F(ClientCertificateTest, LongNameIsNotTruncated) {
  const std::pair<std::string, std::string> role{"OU", "paravane-submit"};
  const std::string longest(64, 'a');
  EXPECT_EQ(IdentityBy({{"CN", longest}, role})->owner, longest);
  EXPECT_EQ(IdentityBy({{"CN", longest + "b"}, role}), std::nullopt);
}

TEST_F(ClientCertificateTest, ZeroByteDoesNotEndName) {
  EXPECT_EQ(IdentityBy({{"CN", std::string("ada\0bob", 7)}, {"OU", "paravane-submit"}}),
            std::nullopt);
}

// With two names, different readers could identify different owners.
TEST_F(ClientCertificateTest, TwoNamesAreRefused) {
  EXPECT_EQ(IdentityBy({{"CN", "ada"}, {"CN", "bob"}, {"OU", "paravane-submit"}}), std::nullopt);
}

TEST_F(ClientCertificateTest, CertificateIsOptional) {
  const Met met = Meet(PairFiles{});
  EXPECT_TRUE(met.shook) << met.error;
  EXPECT_EQ(met.identity, std::nullopt);
}

TEST_F(ClientCertificateTest, NoSiteCaRequestsNone) {
  const Met met =
      Meet(Issue(Wanted({{"CN", "ada"}, {"OU", "paravane-admin"}}), folder_ / "client"), "");
  EXPECT_TRUE(met.shook) << met.error;
  EXPECT_EQ(met.identity, std::nullopt);
}

TEST_F(ClientCertificateTest, UntrustedCertificateIsRefused) {
  const Subject subject = {{"CN", "ada"}, {"OU", "paravane-admin"}};
  SiteCertificate of_other = Wanted(subject), own = Wanted(subject), expired = Wanted(subject),
                  early = Wanted(subject), server = Wanted(subject);
  of_other.issuer = IssuerOf(other_);
  own.issuer = {};
  expired.from = -hours(2);
  expired.until = -hours(1);
  early.from = hours(1);
  early.until = hours(2);
  server.extensions = {{"extendedKeyUsage", "serverAuth"}};
  for (const SiteCertificate& wanted : {of_other, own, expired, early, server}) {
    const Met met = Meet(Issue(wanted, folder_ / "client"));
    EXPECT_FALSE(met.shook);
    EXPECT_EQ(met.error, "certificate verify failed");
    EXPECT_EQ(met.identity, std::nullopt);
    EXPECT_FALSE(met.why.ok());
  }
}

// A client certificate must not act as a CA.
TEST_F(ClientCertificateTest, CertificateSignedByClientIsRefused) {
  const PairFiles client =
      Issue(Wanted({{"CN", "ada"}, {"OU", "paravane-read"}}), folder_ / "client");
  SiteCertificate wanted = Wanted({{"CN", "bob"}, {"OU", "paravane-admin"}});
  wanted.issuer = client;
  const Met met = Meet(Issue(wanted, folder_ / "second"));
  EXPECT_FALSE(met.shook);
  EXPECT_EQ(met.identity, std::nullopt);
}

}  // namespace
}  // namespace dl::security
