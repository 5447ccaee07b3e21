// Clients that present a certificate of the master's site instead of a token.
#include <gtest/gtest.h>

#include "security/certificates.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/rpc/test_server.h"
#include "tests/unit/security/site_certificates.h"

namespace dl::rpc {
namespace {

using security::Issue;
using security::PairFiles;
using security::SiteCertificate;
using std::chrono::hours;
using std::chrono::seconds;

class ClientCertificateTest : public testing::Test {
 protected:
  ClientCertificateTest() {
    for (const auto& files : {site_, other_}) EXPECT_TRUE(security::MakeAuthority(files).ok());
    EXPECT_TRUE(security::IssueCertificate(site_, {"127.0.0.1"}).ok());
    server_ = StartServer(
        &master_, {.tls = security::MasterTls{
                       .certificate = site_.certificate, .key = site_.key, .ca = site_.ca}});
  }

  SiteCertificate Ada() const {
    return {.issuer = IssuerOf(site_),
            .subject = {{"CN", "ada"}, {"OU", "paravane-submit"}},
            .extensions = {{"extendedKeyUsage", "clientAuth"}}};
  }
  std::unique_ptr<Client> Show(const PairFiles& pair) const {
    auto client = Client::Connect(
        {.endpoint = {"127.0.0.1", server_->port()},
         .credentials = {.ca = site_.ca, .certificate = pair.certificate, .key = pair.key}});
    EXPECT_TRUE(client.ok()) << client.status();
    return *std::move(client);
  }
  void ExpectNotTaken(const Status& status, const PairFiles& pair) {
    EXPECT_TRUE(absl::IsUnauthenticated(status)) << status;
    EXPECT_NE(status.message().find("does not accept the certificate " + pair.certificate),
              std::string::npos)
        << status;
    EXPECT_NE(ErrorRemedy(status).find("--tls-ca"), std::string::npos) << status;
  }

  const test::TempFolder folder_;
  const security::KeyFiles site_ = security::KeyFilesIn(folder_ / "site"),
                           other_ = security::KeyFilesIn(folder_ / "other");
  const std::string stem_ = folder_ / "client";
  FakeMaster master_;
  std::unique_ptr<Server> server_;
};

TEST_F(ClientCertificateTest, HasOwnerAndRole) {
  const auto client = Show(Issue(Ada(), stem_));
  ASSERT_TRUE(client->Submit(Sample<SubmitRequest>(), kLong).ok());
  EXPECT_EQ(master_.request<SubmitRequest>().by,
            (security::Identity{.owner = "ada", .role = security::Role::kSubmit}));
  EXPECT_TRUE(absl::IsUnauthenticated(client->Drain({}, kLong).status()));
}

TEST_F(ClientCertificateTest, UntrustedCertificateIsNamed) {
  SiteCertificate of_other = Ada(), expired = Ada(), early = Ada();
  of_other.issuer = IssuerOf(other_);
  expired.from = -hours(2);
  expired.until = -hours(1);
  early.from = hours(1);
  early.until = hours(2);
  for (const SiteCertificate& wanted : {of_other, expired, early}) {
    const PairFiles pair = Issue(wanted, stem_);
    ExpectNotTaken(Show(pair)->Query({}, kLong).status(), pair);
  }
  EXPECT_EQ(master_.method(), "");
}

// The connection ends when the certificate expires, as with a token.
TEST_F(ClientCertificateTest, ExpiryClosesConnections) {
  SiteCertificate brief = Ada();
  brief.until = seconds(5);
  const PairFiles pair = Issue(brief, stem_);
  const auto client = Show(pair);
  const auto stays = Show(Issue(Ada(), folder_ / "stays"));
  ASSERT_TRUE(client->Query({}, kLong).ok());
  ASSERT_TRUE(stays->Query({}, kLong).ok());
  ASSERT_EQ(server_->connections(), 2);
  const Instant growth_delay = Clock::Real().Now() + kLong;
  while (server_->connections() > 1 && Clock::Real().Now() < growth_delay) {
  }
  EXPECT_EQ(server_->connections(), 1);
  ExpectNotTaken(client->Query({}, kLong).status(), pair);
  EXPECT_TRUE(stays->Query({}, kLong).ok());
}

}  // namespace
}  // namespace dl::rpc
