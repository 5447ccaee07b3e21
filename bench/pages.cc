// Measures what open pages cost training: LeNet-5 on Fashion-MNIST on N executors of this machine,
// with and without P pages of the job in browsers. An open page reads the events as they come. As
// often as the server allows, it reads the page and the curves of the loss, as its scripts do.
//
// bench pages [--executors N] [--pages P] [--epochs E] [--repeats R]: prints one JSON line with
// medians. Runs with and without pages alternate on one cluster, and so does their order.
//
//   examples_per_second  of the job.
//   ratio                examples per second with pages, divided by those without; the median of
//                        all pairs.
//   cpu_ratio            processor time of the master and the executors for each example without
//                        pages, divided by the same with pages; the median of all pairs. Other
//                        programs change it less than `ratio`. On cores that the cluster fills,
//                        both mean the same.
//   cpu_ratio_with_pages the same, but the time with pages includes that of the pages themselves.
//   master_cpu           processors that the master uses.
//   pages_cpu            processors that the pages themselves use here. They share the processors
//                        with the cluster, unlike browsers on other machines.
//   p50_ms, p95_ms       from a request of a page to the end of its answer.
//   longest_step_ms      longest step of the master's core.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mutex.h"
#include "base/thread.h"
#include "bench/lenet_job.h"
#include "bench/measures.h"
#include "bench/program.h"
#include "bench/programs.h"
#include "cli/flags.h"
#include "tests/integration/cluster_under_test.h"
#include "tests/support/process_figures.h"
#include "tests/support/raw_http_client.h"

namespace dl::bench {
namespace pages_bench {
namespace {

using std::chrono::milliseconds;

// Returns the least time between two reads of a page, which the page itself says.
Duration PauseOf(std::string_view page) {
  constexpr std::string_view kBefore = "data-pause-ms=\"";
  const size_t begin = page.find(kBefore);
  if (begin == std::string_view::npos) return std::chrono::seconds(1);  // no page came
  return milliseconds(std::atoi(page.substr(begin + kBefore.size()).data()));
}

struct Options {
  int64_t executors = 2;
  int64_t pages = 50;
  int64_t epochs = 4;
  int64_t repeats = 4;
};

// Figures of one run of the job.
struct Figures {
  double examples_per_second = 0;
  double cluster_seconds = 0;  // processor time of the master and the executors
  double pages_seconds = 0;    // the same of the pages
  double master_cpu = 0, pages_cpu = 0, longest_step_ms = 0;
  std::vector<double> answers_ms;
};

// Pages that are open until the object is destroyed. Each has a thread for events and a thread for
// its requests.
class OpenPages {
 public:
  OpenPages(int port, const std::string& token, const std::string& job, int64_t count)
      : port_(port), head_(absl::StrCat("Authorization: Bearer ", token, "\r\n")), job_(job) {
    for (int64_t i = 0; i < count; ++i) {
      threads_.emplace_back("events", [this] { ReadEvents(); });
      threads_.emplace_back("page", [this, i] { ReadPages(i); });
    }
  }
  ~OpenPages() {
    {
      MutexLock lock(mutex_);
      closed_ = true;
      changed_.NotifyAll();
    }
    for (Thread& thread : threads_) thread.Join();
  }
  OpenPages(const OpenPages&) = delete;

  std::vector<double> answers_ms() const {
    MutexLock lock(mutex_);
    return answers_ms_;
  }

 private:
  // Returns true if the pages are closed before the time has passed.
  bool IsClosedWithin(Duration time) {
    const Instant end = Clock::Real().Now() + time;
    MutexLock lock(mutex_);
    while (!closed_ && Clock::Real().Now() < end)
      changed_.WaitFor(mutex_, end - Clock::Real().Now());
    return closed_;
  }
  void ReadEvents() {
    test::RawHttpClient client(port_);
    client.Send(test::Request("GET", absl::StrCat("/api/v1/jobs/", job_, "/events"), head_));
    do {
      (void)client.ReadUntil("\n\n", milliseconds(500));
    } while (!IsClosedWithin(Duration::zero()));
  }
  void ReadPages(int64_t number) {
    const std::string curves =
        absl::StrCat("/api/v1/jobs/", job_, "/metrics?series=train/loss&points=600");
    Duration pause = milliseconds(40) * number;  // the pages were not opened at one moment
    test::RawHttpClient client(port_);           // browsers keep their connection, too
    while (!IsClosedWithin(pause)) {
      pause = PauseOf(Read(client, absl::StrCat("/jobs/", job_)));
      Read(client, curves);
    }
  }
  // Returns the answer.
  std::string Read(test::RawHttpClient& client, const std::string& target) {
    const Instant begin = Clock::Real().Now();
    client.Send(test::Request("GET", target, head_));
    std::string answer = client.ReadResponse();
    const double ms = 1e3 * Seconds(Clock::Real().Now() - begin);
    if (!answer.starts_with("HTTP/1.1 200")) std::cerr << "no answer to " << target << "\n";
    MutexLock lock(mutex_);
    answers_ms_.push_back(ms);
    return answer;
  }

  const int port_;
  const std::string head_, job_;
  mutable Mutex mutex_;
  CondVar changed_;
  bool closed_ DL_GUARDED_BY(mutex_) = false;
  std::vector<double> answers_ms_ DL_GUARDED_BY(mutex_);
  std::vector<Thread> threads_;
};

class Comparison {
 public:
  explicit Comparison(const Options& options) : options_(options) {}

  StatusOr<Json> Run() {
    DL_RETURN_IF_ERROR(Start());
    DL_RETURN_IF_ERROR(Measure(0).status());  // caches the data
    std::vector<Figures> alone, watched;
    for (int64_t i = 0; i < options_.repeats; ++i) {
      for (const bool is_watched : {i % 2 == 1, i % 2 == 0}) {
        DL_ASSIGN_OR_RETURN(Figures figures, Measure(is_watched ? options_.pages : 0));
        (is_watched ? watched : alone).push_back(std::move(figures));
      }
      std::cerr << "alone " << alone.back().examples_per_second << ", with pages "
                << watched.back().examples_per_second << " examples a second\n";
    }
    return Line(alone, watched);
  }

 private:
  Status Start() {
    DL_ASSIGN_OR_RETURN(const job::JobSpec spec,
                        LenetJob({.workers = options_.executors, .epochs = options_.epochs}));
    job_ = test::WriteJob(folder_, "job", spec);
    cluster_.UseMasterFlags({"--http", "0"});
    cluster_.StartMaster();
    for (int64_t i = 0; i < options_.executors; ++i) {
      cluster_.StartExecutor();
      cluster_.WaitForExecutor(static_cast<size_t>(i));
    }
    constexpr std::string_view kBeforePort = "http://127.0.0.1:";
    if (!cluster_.page().starts_with(kBeforePort))
      return Internal({.message = "the master prints no address of its pages"});
    port_ = std::atoi(cluster_.page().c_str() + kBeforePort.size());
    return absl::OkStatus();
  }

  // Runs the job once while that many pages are open.
  StatusOr<Figures> Measure(int64_t pages) {
    const pid_t master = cluster_.MasterPid();
    const Instant begin = Clock::Real().Now();
    const double master_cpu = test::ProcessCpuSeconds(master);
    const double executors_cpu = ExecutorsCpuSeconds();
    const double own_cpu = test::ProcessCpuSeconds(::getpid());
    const std::string id = cluster_.Submit(job_);
    const OpenPages open(port_, cluster_.credentials().token, id, pages);
    const Json result = cluster_.Wait(id);
    if (result.value("state", "") != "SUCCEEDED")
      return Internal({.message = "the job did not succeed: " + result.dump()});
    const double seconds = Seconds(Clock::Real().Now() - begin);
    const double master_seconds = test::ProcessCpuSeconds(master) - master_cpu;
    const double pages_seconds = test::ProcessCpuSeconds(::getpid()) - own_cpu;
    return Figures{.examples_per_second = result.at("examples_per_second"),
                   .cluster_seconds = master_seconds + ExecutorsCpuSeconds() - executors_cpu,
                   .pages_seconds = pages_seconds,
                   .master_cpu = master_seconds / seconds,
                   .pages_cpu = pages_seconds / seconds,
                   .longest_step_ms = cluster_.Cluster().at("core").at("longest_ms"),
                   .answers_ms = open.answers_ms()};
  }

  double ExecutorsCpuSeconds() const {
    double seconds = 0;
    for (int64_t i = 0; i < options_.executors; ++i)
      seconds += test::ProcessCpuSeconds(cluster_.ExecutorPid(static_cast<size_t>(i)));
    return seconds;
  }

  Json Line(const std::vector<Figures>& alone, const std::vector<Figures>& watched) const {
    const auto median = [](const std::vector<Figures>& runs, double Figures::*figure) {
      std::vector<double> values;
      for (const Figures& run : runs) values.push_back(run.*figure);
      return Median(std::move(values));
    };
    std::vector<double> ratios, cpu_ratios, cpu_ratios_with_pages, answers;
    for (size_t i = 0; i < alone.size(); ++i) {
      ratios.push_back(watched[i].examples_per_second / alone[i].examples_per_second);
      // All runs compute the same examples.
      cpu_ratios.push_back(alone[i].cluster_seconds / watched[i].cluster_seconds);
      cpu_ratios_with_pages.push_back(alone[i].cluster_seconds /
                                      (watched[i].cluster_seconds + watched[i].pages_seconds));
      answers.insert(answers.end(), watched[i].answers_ms.begin(), watched[i].answers_ms.end());
    }
    if (answers.empty()) answers.push_back(0);
    std::sort(answers.begin(), answers.end());
    return {{"bench", "pages"},
            {"executors", options_.executors},
            {"pages", options_.pages},
            {"repeats", options_.repeats},
            {"alone_examples_per_second", median(alone, &Figures::examples_per_second)},
            {"watched_examples_per_second", median(watched, &Figures::examples_per_second)},
            {"ratio", Median(ratios)},
            {"cpu_ratio", Median(cpu_ratios)},
            {"cpu_ratio_with_pages", Median(cpu_ratios_with_pages)},
            {"alone_master_cpu", median(alone, &Figures::master_cpu)},
            {"watched_master_cpu", median(watched, &Figures::master_cpu)},
            {"pages_cpu", median(watched, &Figures::pages_cpu)},
            {"requests", answers.size()},
            {"p50_ms", answers[answers.size() / 2]},
            {"p95_ms", answers[answers.size() * 95 / 100]},
            {"alone_longest_step_ms", median(alone, &Figures::longest_step_ms)},
            {"watched_longest_step_ms", median(watched, &Figures::longest_step_ms)}};
  }

  const Options options_;
  const test::TempFolder folder_;
  test::StandingCluster cluster_{folder_};
  std::string job_;
  int port_ = 0;
};

}  // namespace
}  // namespace pages_bench

int RunPages(int argc, char** argv) {
  using namespace pages_bench;
  Options options;
  cli::Flags flags("bench pages", "Measure what open pages cost training");
  flags.Integer("--executors", "N", options.executors, "Executors, and workers of the job (2)", 1,
                64);
  flags.Integer("--pages", "P", options.pages, "Open pages (50)", 1, 64);
  flags.Integer("--epochs", "E", options.epochs, "Epochs of the job (4)", 1, 1000);
  flags.Integer("--repeats", "R", options.repeats, "Runs with and without pages (4)", 1, 100);
  return RunProgram(argc, argv, flags, [&]() -> Status {
    SetLogLevel(LogLevel::kWarning);
    DL_ASSIGN_OR_RETURN(const Json line, Comparison(options).Run());
    std::cout << JsonText(line) << std::endl;
    return absl::OkStatus();
  });
}

}  // namespace dl::bench
