#include "tests/integration/json_program.h"

#include <chrono>
#include <utility>

#include "absl/strings/str_split.h"
#include "base/json.h"
#include "base/process.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"

namespace dl::test {

std::vector<Json> JsonLinesOf(const std::vector<std::string>& argv) {
  // Threads that spin while they wait would slow down each other.
  auto child = Spawner::Real().Start(
      {.argv = argv, .env = {"OMP_WAIT_POLICY=passive"}, .out = ChildOutput::Pipe()});
  EXPECT_THAT(child, IsOk());
  if (!child.ok()) return {};
  const auto text = (*child)->ReadAll(std::chrono::minutes(30), 16 << 20);
  EXPECT_THAT(text, IsOk());
  const auto ended = (*child)->Wait(std::chrono::seconds(60));
  EXPECT_TRUE(ended.ok() && ended->code == 0 && ended->signal == 0) << argv[0];
  std::vector<Json> lines;
  const std::vector<std::string> texts =
      absl::StrSplit(text.ok() ? *text : "", '\n', absl::SkipEmpty());
  for (const std::string& line : texts) {
    auto json = ParseJson(line, argv[0]);
    EXPECT_THAT(json, IsOk());
    lines.push_back(json.ok() ? *std::move(json) : Json());
  }
  return lines;
}

Json JsonOf(const std::vector<std::string>& argv) {
  const std::vector<Json> lines = JsonLinesOf(argv);
  EXPECT_EQ(lines.size(), 1u) << argv[0];
  return lines.empty() ? Json() : lines.front();
}

}  // namespace dl::test
