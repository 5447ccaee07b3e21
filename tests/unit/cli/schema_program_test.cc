// `schema`, and the commands whose output it describes. tests/schemas compares the output itself.
#include <set>

#include "cli/command.h"
#include "cli/exit_code.h"
#include "cli/help/output_schema.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "job/spec_schema.h"
#include "tests/unit/cli/submit_program.h"

namespace dl::cli {
namespace {

using testing::HasSubstr;

// A command that is added later must describe what it prints.
TEST(OutputSchema, CommandsWithJsonHaveOne) {
  std::set<std::string> without;
  for (const auto& command : AllCommands()) {
    Flags flags("dl-submit", "");
    command->Declare(flags);
    const bool has_flag =
        std::ranges::any_of(flags.arguments(), [](const Flags::Argument& argument) {
          return std::ranges::find(argument.names, "--json") != argument.names.end();
        });
    EXPECT_EQ(has_flag, !command->json_lines().empty()) << command->name();
    EXPECT_TRUE(has_flag || !command->PrintsJson()) << command->name();
    if (!has_flag) without.emplace(command->name());
  }
  EXPECT_EQ(without, (std::set<std::string>{"completion", "man", "top"}))
      << "text for shells, manual pages and a screen";
}

TEST(OutputSchema, LineIsADocumentOrAnError) {
  for (const CommandEntry& command : CommandTable()) {
    if (command.json_lines.empty()) continue;
    const Json schema = OutputSchema(command);
    EXPECT_EQ(schema["title"], "dl-submit " + command.name + " --json");
    EXPECT_THAT(schema["anyOf"], testing::Contains(Json({{"$ref", "#/$defs/Failure"}})));
    for (const Json& one : schema["anyOf"]) {
      const std::string name = one["$ref"].get<std::string>().substr(8);
      EXPECT_TRUE(schema["$defs"].contains(name)) << command.name << " " << name;
    }
  }
}

TEST(SchemaProgram, PrintsOneCommandOrAll) {
  const Ended one = DlSubmit({"schema", "status"});
  ASSERT_EQ(one.code, kSuccess) << one.err;
  EXPECT_EQ(one.last["$schema"], "https://json-schema.org/draft/2020-12/schema");
  EXPECT_TRUE(one.last["$defs"].contains("Cluster"));
  EXPECT_FALSE(one.last["$defs"].contains("Sweep"));
  const Ended all = DlSubmit({"schema"});
  ASSERT_EQ(all.code, kSuccess) << all.err;
  Json status = all.last["$defs"]["status"];
  EXPECT_EQ(status["anyOf"], one.last["anyOf"]);
  EXPECT_EQ(all.last["$defs"]["Job"], one.last["$defs"]["Job"]);
}

TEST(SchemaProgram, PrintsTheSchemaOfJobSpecs) {
  const Ended specs = DlSubmit({"schema", "job"});
  ASSERT_EQ(specs.code, kSuccess) << specs.err;
  EXPECT_EQ(specs.last, job::SpecSchema());
}

TEST(SchemaProgram, CommandWithoutJsonIsUsageError) {
  const Ended unknown = DlSubmit({"schema", "statsu"});
  EXPECT_EQ(unknown.code, kUsage);
  EXPECT_THAT(unknown.err, HasSubstr("did you mean \"status\""));
  const Ended text = DlSubmit({"schema", "man"});
  EXPECT_EQ(text.code, kUsage);
  EXPECT_THAT(text.err, HasSubstr("man prints no JSON"));
}

}  // namespace
}  // namespace dl::cli
