#include "tests/tidy/listing_rules.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace dl::tidy {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> Found(const SourceTree& tree) {
  std::vector<std::string> found;
  for (const Violation& violation : CheckListings(tree)) found.push_back(ToString(violation));
  return found;
}

TEST(Listings, HaveEveryMethod) {
  const std::string method =
      "service Master {\n  Reply Ask(1: Request request, 2: i64 deadline_ms) throws (1: E e)\n}\n";
  const std::string calls = "tests/unit/rpc/methods.h";
  EXPECT_THAT(Found({{"rpc/idl/paravane.thrift", method},
                     {"docs/protocol.md", "| `Ask` | client |\n"},
                     {calls, "DL_CALL(Ask, Reply, Request)\n"}}),
              IsEmpty());
  EXPECT_THAT(Found({{"rpc/idl/paravane.thrift", method},
                     {"docs/protocol.md", "`Ask` and | `AskMore` |\n"},
                     {calls, "DL_CALL(AskMore, Reply, Request)\n"}}),
              ElementsAre("rpc/idl/paravane.thrift:2: Ask is not in docs/protocol.md",
                          "rpc/idl/paravane.thrift:2: Ask is not in " + calls));
}

TEST(Listings, HaveEveryCommand) {
  const SourceFile command{
      "cli/commands/a.cc",
      "  std::string_view name() const override { return x ? \"run\" : \"submit\"; }\n"};
  const auto found = [&](const std::string& document) {
    return Found({command, {"docs/operations/commands.md", document}});
  };
  EXPECT_THAT(found("| `run JOB` | trains |\n| `submit` | hands over |\n"), IsEmpty());
  EXPECT_THAT(found("| `run JOB` | trains |\n| `submitted` | x |\n"),
              ElementsAre("cli/commands/a.cc:1: submit is not in docs/operations/commands.md"));
}

TEST(Listings, HaveEveryEvent) {
  const SourceFile event{"master/core/records/a.cc", "\n  return {{\"type\", \"round\"},\n"};
  EXPECT_THAT(Found({event, {"docs/operations/commands.md", "| `round` | `rounds` |\n"}}),
              IsEmpty());
  EXPECT_THAT(
      Found({event, {"docs/operations/commands.md", "| `rounds` | |\n"}}),
      ElementsAre("master/core/records/a.cc:2: round is not in docs/operations/commands.md"));
}

}  // namespace
}  // namespace dl::tidy
