// A browser that uses the pages and REST of a real process, and a test that starts such processes.
#pragma once

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/process.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/integration/bounds.h"
#include "tests/integration/cluster_under_test.h"
#include "tests/integration/sample_jobs.h"
#include "tests/support/raw_http_client.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"

namespace dl::test {

// A browser with the cookie of one server.
class PageBrowser {
 public:
  // `page`: the address that a command printed, with a login code.
  explicit PageBrowser(const std::string& page) {
    const std::string rest = page.substr(page.find("127.0.0.1:") + 10);
    port_ = std::atoi(rest.c_str());
    const std::string response = Send("GET", rest.substr(rest.find('/')));
    EXPECT_THAT(response, testing::StartsWith("HTTP/1.1 303 ")) << page;
    constexpr std::string_view kCookie = "Set-Cookie: ";
    const size_t at = response.find(kCookie) + kCookie.size();
    cookie_ = response.substr(at, response.find(';', at) - at);
  }

  // Returns the body of the answer.
  std::string Get(const std::string& target) const {
    const std::string response = Send("GET", target);
    EXPECT_THAT(response, testing::StartsWith("HTTP/1.1 200 ")) << target;
    return response.substr(response.find("\r\n\r\n") + 4);
  }
  // Returns the answer to a request of a page of this server.
  std::string Send(const std::string& method, const std::string& target,
                   const std::string& body = "", const std::string& head = "") const {
    RawHttpClient client(port_);
    client.Send(RequestFor(method, target, body, head));
    return client.ReadResponse();
  }
  std::string RequestFor(const std::string& method, const std::string& target,
                         const std::string& body = "", const std::string& head = "") const {
    return absl::StrCat(method, " ", target, " HTTP/1.1\r\nHost: 127.0.0.1:", port_,
                        "\r\nOrigin: http://127.0.0.1:", port_, "\r\nCookie: ", cookie_, "\r\n",
                        head, "Content-Length: ", body.size(), "\r\n\r\n", body);
  }
  int port() const { return port_; }
  Json GetJson(const std::string& target) const {
    auto json = ParseJson(Get(target), target);
    EXPECT_THAT(json, IsOk());
    return json.value_or(Json::object());
  }

 private:
  int port_ = 0;
  std::string cookie_;
};

inline std::string SubmitProgram() { return std::string(std::getenv("DL_BIN")) + "/dl-submit"; }

class WebProcesses : public testing::Test {
 protected:
  // Starts a command that prints a line with "page", and returns a browser that opened the page.
  PageBrowser Start(std::unique_ptr<ChildProcess>& child, std::vector<std::string> words) {
    words.insert(words.begin(), SubmitProgram());
    auto started = Spawner::Real().Start(
        {.argv = std::move(words), .out = ChildOutput::Pipe(), .err = ChildOutput::Discard()});
    EXPECT_THAT(started, IsOk());
    child = *std::move(started);
    auto line = child->ReadLine(kTimeout);
    EXPECT_THAT(line, IsOk());
    auto json = ParseJson(line.value_or("{}"), "the ready line");
    EXPECT_THAT(json, IsOk());
    ready_ = *json;
    return PageBrowser(json->value("page", ""));
  }
  // Starts an executor of the master that was started last.
  std::unique_ptr<ChildProcess> StartExecutor(const std::string& token_file) {
    auto started = Spawner::Real().Start(
        {.argv = {SubmitProgram(), "executor", "--master", ready_.value("url", ""), "--token-file",
                  token_file, "--cache-dir", folder_ / "cache"},
         .out = ChildOutput::Discard(),
         .err = ChildOutput::Discard()});
    EXPECT_THAT(started, IsOk());
    return started.ok() ? *std::move(started) : nullptr;
  }
  // Returns the address of the server that was started last.
  std::string Address() const {
    const std::string page = ready_.value("page", "");
    return page.substr(0, page.find("/login"));
  }
  // Runs a Python program of this folder, which uses clients/python, and expects that it prints
  // "ok".
  void ExpectPython(const std::string& program, const std::vector<std::string>& words) {
    const std::string source = std::string(DL_SOURCE_ROOT) + "/";
    std::vector<std::string> argv = {"python3", "-B", source + "tests/integration/" + program};
    argv.insert(argv.end(), words.begin(), words.end());
    const auto client = Spawner::Real().Start({.argv = std::move(argv),
                                               .env = {"PYTHONPATH=" + source + "clients/python"},
                                               .out = ChildOutput::Pipe()});
    DL_ASSERT_OK(client);
    EXPECT_EQ((*client)->ReadAll(kTimeout, 1 << 20).value_or(""), "ok\n");
    const auto ended = (*client)->Wait(kTimeout);
    DL_ASSERT_OK(ended);
    EXPECT_EQ(ended->code, 0);
  }
  std::string MakeJob() {
    return WriteJob(folder_, "job.json", MakeSample(folder_, {.job = SampleJob::kMlpAverage}));
  }

  const TempFolder folder_;
  Json ready_;  // the ready line of the last start
};

}  // namespace dl::test
