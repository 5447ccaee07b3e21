#include "tests/unit/cli/submit_program.h"

#include <cstdlib>
#include <fstream>

#include "base/files.h"
#include "gtest/gtest.h"
#include "tests/support/temp_folder.h"

namespace dl::cli {
namespace {

constexpr int64_t kMostOutput = 16 << 20;

std::vector<std::string> WordsOf(std::vector<std::string> words) {
  const char* folder = std::getenv("DL_BIN");
  words.insert(words.begin(),
               std::string(folder == nullptr ? "build/release/bin" : folder) + "/dl-submit");
  return words;
}

Ended RunToEnd(std::vector<std::string> argv, std::vector<std::string> environment) {
  const test::TempFolder folder;
  environment.push_back("HOME=" + folder.path());  // hides the user's config file
  Ended ended;
  auto child = Spawner::Real().Start({.argv = std::move(argv),
                                      .env = std::move(environment),
                                      .out = ChildOutput::Pipe(),
                                      .err = ChildOutput::File(folder / "err")});
  if (!child.ok()) {
    ADD_FAILURE() << DescribeError(child.status());
    return ended;
  }
  ended.out = (*child)->ReadAll(kTimeout, kMostOutput).value_or("");
  auto status = (*child)->Wait(kTimeout);
  ended.err = ReadFile(folder / "err", kMostOutput).value_or("");
  if (!status.ok()) {
    ADD_FAILURE() << "dl-submit did not end: " << ended.err;
    return ended;
  }
  ended.code = status->signal == 0 ? status->code : 128 + status->signal;
  std::string text = ended.out;
  while (text.ends_with('\n')) text.pop_back();
  const size_t newline = text.rfind('\n');
  auto last = ParseJson(newline == std::string::npos ? text : text.substr(newline + 1), "output");
  if (last.ok()) ended.last = *std::move(last);
  return ended;
}

}  // namespace

Ended DlSubmit(std::vector<std::string> words, std::vector<std::string> environment) {
  return RunToEnd(WordsOf(std::move(words)), std::move(environment));
}

Ended Shell(const std::string& line) {
  return RunToEnd({"/bin/bash", "-c", "exec 2>&1; " + line}, {"DL=" + WordsOf({}).front()});
}

std::unique_ptr<ChildProcess> StartDlSubmit(std::vector<std::string> words) {
  auto child = Spawner::Real().Start({.argv = WordsOf(std::move(words)),
                                      .out = ChildOutput::Pipe(),
                                      .err = ChildOutput::Discard()});
  EXPECT_TRUE(child.ok()) << child.status();
  return child.ok() ? *std::move(child) : nullptr;
}

std::string WriteSmallJob(const std::string& folder) {
  std::ofstream rows(folder + "/rows.csv");
  rows << "x,y,label\n";
  for (int i = 0; i < 96; ++i) rows << i % 7 << "," << (i * 5) % 11 << "," << i % 3 << "\n";
  std::ofstream(folder + "/job.json")
      << R"({"name":"small","model":{"input":{"type":"feed_forward","features":2},)"
      << R"("layers":[{"type":"output","units":3,"loss":"softmax_cross_entropy"}]},)"
      << R"("training":{"workers":2,"batch_size":8,"averaging_frequency":2},)"
      << R"("data":{"train":{"format":"csv","path":")" << folder << R"(/rows.csv"},)"
      << R"("test":{"format":"csv","path":")" << folder << R"(/rows.csv"}}})";
  return folder + "/job.json";
}

}  // namespace dl::cli
