// A site with its own CA issues certificates for the master, for executors and for users, instead
// of tokens.
#include "tests/unit/security/site_certificates.h"

#include "base/files.h"
#include "gtest/gtest.h"
#include "security/certificates.h"
#include "tests/integration/cluster_under_test.h"
#include "tests/integration/exit_codes.h"
#include "tests/integration/sample_jobs.h"

namespace dl::test {
namespace {

using security::Issue;
using security::PairFiles;
using security::SiteCertificate;
using std::chrono::hours;

class SiteCertificatesTest : public testing::Test {
 protected:
  void SetUp() override {
    for (const security::KeyFiles& files : {site_, other_})
      ASSERT_TRUE(security::MakeAuthority(files).ok());
    const PairFiles master = Issue(
        {.issuer = IssuerOf(site_),
         .subject = {{"CN", "master"}},
         .extensions = {{"extendedKeyUsage", "serverAuth"}, {"subjectAltName", "IP:127.0.0.1"}}},
        folder_ / "master-of-site");
    cluster_.UseMasterFlags({"--address", "0.0.0.0", "--tls-cert", master.certificate, "--tls-key",
                             master.key, "--tls-ca", site_.ca});
    ASSERT_NO_FATAL_FAILURE(cluster_.StartMaster());
  }

  SiteCertificate Of(const std::string& name, const std::string& role) const {
    return {.issuer = IssuerOf(site_),
            .subject = {{"CN", name}, {"OU", "paravane-" + role}},
            .extensions = {{"extendedKeyUsage", "clientAuth"}}};
  }
  // Returns the flags that present the certificate.
  std::vector<std::string> Showing(const SiteCertificate& wanted, const std::string& file) const {
    const PairFiles pair = Issue(wanted, folder_ / file);
    return {"--tls-ca", site_.ca, "--tls-cert", pair.certificate, "--tls-key", pair.key};
  }
  Finished Run(std::vector<std::string> words, const std::vector<std::string>& more) const {
    words.insert(words.end(), {"--master", cluster_.url()});
    words.insert(words.end(), more.begin(), more.end());
    return DlSubmit(words);
  }

  const TempFolder folder_;
  const security::KeyFiles site_ = security::KeyFilesIn(folder_ / "site"),
                           other_ = security::KeyFilesIn(folder_ / "other");
  StandingCluster cluster_{folder_};
};

TEST_F(SiteCertificatesTest, CertificateReplacesToken) {
  const std::string job = WriteJob(folder_, "job", MakeSample(folder_, {.epochs = 2}));
  const std::string expected = RunReference(job).value("state_sha256", "");
  ASSERT_EQ(expected.size(), 64u);
  for (const char* name : {"node1", "node2"}) {
    cluster_.UseExecutorFlags(Showing(Of(name, "execute"), name));
    cluster_.StartExecutor();
  }
  const std::vector<std::string> ada = Showing(Of("ada", "submit"), "ada");
  const Finished done = Run({"submit", job, "--json"}, ada);
  EXPECT_EQ(done.exit_code, 0) << done.errors;
  EXPECT_EQ(done.result().value("state_sha256", ""), expected);
  EXPECT_EQ(cluster_.Job(done.result().value("job", "")).value("owner", ""), "ada");
  const Finished denied = Run({"cluster", "drain", "node1"}, ada);
  EXPECT_EQ(denied.exit_code, kDenied) << "that is for admins: " << denied.errors;
  const Finished executes = Run({"submit", job}, Showing(Of("node3", "execute"), "node3"));
  EXPECT_EQ(executes.exit_code, kDenied) << executes.errors;
}

TEST_F(SiteCertificatesTest, BadCertificateIsRefused) {
  SiteCertificate of_other = Of("ada", "admin"), expired = Of("ada", "admin");
  of_other.issuer = IssuerOf(other_);
  expired.from = -hours(2);
  expired.until = -hours(1);
  const std::vector<std::pair<std::string, SiteCertificate>> bad = {{"of-other", of_other},
                                                                    {"expired", expired}};
  for (const auto& [name, wanted] : bad) {
    const std::vector<std::string> flags = Showing(wanted, name);
    const Finished refused = Run({"status"}, flags);
    EXPECT_EQ(refused.exit_code, kDenied) << name << refused.errors;
    EXPECT_NE(refused.errors.find("does not accept the certificate"), std::string::npos)
        << name << refused.errors;
    cluster_.UseExecutorFlags(flags);
    cluster_.StartExecutor();
  }
  for (const size_t executor : {0, 1})
    EXPECT_EQ(cluster_.WaitForExecutorEnd(executor), kDenied) << cluster_.ExecutorLog();
  // A certificate with an unknown role is denied.
  EXPECT_EQ(Run({"status"}, Showing(Of("ada", "king"), "king")).exit_code, kDenied);
  EXPECT_EQ(Run({"status"}, Showing(Of("ada", "read"), "reads")).exit_code, 0);
}

TEST_F(SiteCertificatesTest, KeyReadableByOthersIsRefused) {
  const std::vector<std::string> flags = Showing(Of("ada", "read"), "ada");
  std::filesystem::permissions(flags.back(), std::filesystem::perms(0644));
  const Finished refused = Run({"status"}, flags);
  EXPECT_NE(refused.exit_code, 0);
  EXPECT_NE(refused.errors.find("chmod 6"), std::string::npos) << refused.errors;
}

}  // namespace
}  // namespace dl::test
