#include "tests/integration/json_program.h"

#include "base/json.h"
#include "base/process.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"

namespace dl::test {

Json JsonOf(const std::vector<std::string>& argv) {
  // Threads that wait by spinning take the machine from one another.
  auto child = Spawner::Real().Start(
      {.argv = argv, .env = {"OMP_WAIT_POLICY=passive"}, .out = ChildOutput::Pipe()});
  EXPECT_THAT(child, IsOk());
  if (!child.ok()) return {};
  const auto text = (*child)->ReadAll(std::chrono::seconds(300), 1 << 20);
  EXPECT_THAT(text, IsOk());
  const auto ended = (*child)->Wait(std::chrono::seconds(60));
  EXPECT_TRUE(ended.ok() && ended->code == 0 && ended->signal == 0) << argv[0];
  auto json = ParseJson(text.ok() ? *text : "", argv[0]);
  EXPECT_THAT(json, IsOk());
  return json.ok() ? *std::move(json) : Json();
}

}  // namespace dl::test
