// Measures the cost of encryption. A client fetches chunks of 4 MiB from a server over TLS, as
// executors fetch states. This is compared with the same bytes sent by OpenSSL through one socket
// and nothing else, and with chunks without encryption. Also measures the time to connect, up to
// the first answer.
//
// bench tls [--chunks N] [--repeats K]: prints one JSON line with medians of alternating runs.
#include <iostream>
#include <memory>
#include <vector>

#include "base/json.h"
#include "bench/measures.h"
#include "bench/openssl_pipe.h"
#include "bench/program.h"
#include "bench/programs.h"
#include "bench/temporary_folder.h"
#include "cli/flags.h"
#include "rpc/client.h"
#include "rpc/server.h"
#include "security/certificates.h"
#include "tests/support/admitted.h"
#include "tests/unit/rpc/fake_master.h"

namespace dl::bench {
namespace tls_bench {
namespace {

constexpr Duration kLong = std::chrono::seconds(60);
constexpr int kConnects = 100;
constexpr char kHost[] = "127.0.0.1";

class Contest {
 public:
  explicit Contest(int64_t chunks) : chunks_(chunks) {
    DL_CHECK(security::MakeAuthority(files_).ok());
    DL_CHECK(security::IssueCertificate(files_, {kHost}).ok());
    fingerprint_ = *security::FingerprintOf(tls_);
    chunk_.total = static_cast<int64_t>(content_.size());
    chunk_.bytes = content_;
    master_.on_fetch_part = [this](const rpc::FetchRequest&) { return chunk_; };
    open_ = Serve(std::nullopt);
    encrypted_ = Serve(tls_);
  }

  double OpenSslRate() {
    OpenSslPipe pipe(tls_, {.host = kHost, .fingerprint = fingerprint_});
    return Rate(SecondsOf([&] { pipe.Move(content_, chunks_); }));
  }

  double ChunkRate(bool encrypted) {
    const auto client = Connect(encrypted);
    const auto joined = client->Register({}, kLong);
    DL_CHECK(joined.ok());
    const rpc::FetchRequest chunk{.session = joined->session, .length = limits::kChunkBytes};
    DL_CHECK(client->FetchPart(chunk, kLong).ok());
    return Rate(SecondsOf([&] {
      for (int64_t i = 0; i < chunks_; ++i) DL_CHECK(client->FetchPart(chunk, kLong).ok());
    }));
  }

  // Returns the milliseconds from connecting to the first answer.
  double ConnectMs(bool encrypted) {
    std::vector<double> times;
    for (int i = 0; i < kConnects; ++i) {
      times.push_back(1000 *
                      SecondsOf([&] { DL_CHECK(Connect(encrypted)->Query({}, kLong).ok()); }));
    }
    return Median(times);
  }

 private:
  std::unique_ptr<rpc::Server> Serve(const std::optional<security::MasterTls>& tls) {
    auto server = rpc::Server::Listen({.tls = tls});
    DL_CHECK(server.ok());
    (*server)->Serve({.executors = &master_, .clients = &master_, .tokens = &test::TestTokens()});
    return *std::move(server);
  }
  std::unique_ptr<rpc::Client> Connect(bool encrypted) {
    rpc::Credentials credentials = test::Admitted();
    if (encrypted) credentials.fingerprint = fingerprint_;
    auto client =
        rpc::Client::Connect({.endpoint = {kHost, (encrypted ? encrypted_ : open_)->port()},
                              .credentials = credentials});
    DL_CHECK(client.ok());
    return *std::move(client);
  }
  int64_t Bytes() const { return chunks_ * static_cast<int64_t>(content_.size()); }
  double Rate(double seconds) const { return static_cast<double>(Bytes()) / seconds / 1e6; }

  const int64_t chunks_;
  const TemporaryFolder folder_;
  const security::KeyFiles files_ = security::KeyFilesIn(folder_.path());
  const security::MasterTls tls_{.certificate = files_.certificate, .key = files_.key};
  const std::string content_ = std::string(limits::kChunkBytes, 'x');
  std::string fingerprint_;
  rpc::Chunk chunk_;
  rpc::FakeMaster master_;
  std::unique_ptr<rpc::Server> open_, encrypted_;
};

Json Run(int64_t chunks, int64_t repeats) {
  Contest contest(chunks);
  std::vector<double> raw, encrypted, open, ratios, connect, connect_open;
  for (int64_t i = 0; i < repeats; ++i) {
    raw.push_back(contest.OpenSslRate());
    encrypted.push_back(contest.ChunkRate(true));
    open.push_back(contest.ChunkRate(false));
    ratios.push_back(encrypted.back() / raw.back());
    connect.push_back(contest.ConnectMs(true));
    connect_open.push_back(contest.ConnectMs(false));
    std::cerr << "openssl " << raw.back() << ", chunks " << encrypted.back() << ", open "
              << open.back() << " MB/s; connecting " << connect.back() << ", open "
              << connect_open.back() << " ms\n";
  }
  return {{"bench", "tls"},
          {"openssl_mb_per_s", Median(raw)},
          {"chunks_mb_per_s", Median(encrypted)},
          {"ratio", Median(ratios)},
          {"open_chunks_mb_per_s", Median(open)},
          {"connect_ms", Median(connect)},
          {"open_connect_ms", Median(connect_open)}};
}

}  // namespace
}  // namespace tls_bench

int RunTls(int argc, char** argv) {
  using namespace tls_bench;
  int64_t chunks = 128, repeats = 5;
  cli::Flags flags("bench tls", "What a connection's encryption costs");
  flags.Integer("--chunks", "N", chunks, "Of 4 MiB, in each run (128)", 1, 100'000);
  flags.Integer("--repeats", "K", repeats, "Of all, in turn (5)", 1, 1000);
  return RunProgram(argc, argv, flags, [&]() -> Status {
    std::cout << JsonText(Run(chunks, repeats)) << std::endl;
    return absl::OkStatus();
  });
}

}  // namespace dl::bench
