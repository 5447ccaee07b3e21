#include "cli/settings.h"

#include <map>

#include "base/json.h"
#include "cli/exit_code.h"
#include "cli/jobs/job_flags.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"

namespace dl::cli {
namespace {

using test::IsError;

Json Document() { return Json::parse(R"({"name":"built","training":{"epochs":1,"workers":2}})"); }

ConfigFile File(const std::string& text, const std::string& path) {
  auto file = ParseConfigFile(text, path);
  EXPECT_THAT(file, test::IsOk());
  return *std::move(file);
}

// The layers from the lowest to the highest. Each sets training.epochs to a value of its own.
TEST(Settings, HigherSourceOverridesLower) {
  struct Layer {
    const char* origin;
    void (*add)(SettingSources&);
  };
  const Layer layers[] = {
      {"file user.json",
       [](SettingSources& s) {
         s.files.push_back(File(R"({"set":{"training.epochs":11}})", "user.json"));
       }},
      {"file more.json",
       [](SettingSources& s) {
         s.files.push_back(File(R"({"set":{"training.epochs":"12"}})", "more.json"));
       }},
      {"environment DL_EPOCHS", [](SettingSources& s) { s.environment["DL_EPOCHS"] = "13"; }},
      {"--set", [](SettingSources& s) { s.sets.push_back("training.epochs=14"); }},
      {"flag --epochs", [](SettingSources& s) { s.common_flags["--epochs"] = "15"; }},
  };
  SettingSources sources;
  int expected = 11;
  for (const Layer& layer : layers) {
    layer.add(sources);
    auto settings = ResolveSettings(sources);
    DL_ASSERT_OK(settings);
    Json document = Document();
    DL_ASSERT_OK(ApplyJobSettings(*settings, document));
    EXPECT_EQ(document["training"]["epochs"], expected) << layer.origin;
    EXPECT_EQ(settings->job.back().setting.origin, layer.origin);
    EXPECT_EQ(document["training"]["workers"], 2) << "the builder's value stays";
    ++expected;
  }
}

TEST(Settings, MasterAndDataDirFollowPrecedence) {
  SettingSources sources;
  auto settings = ResolveSettings(sources);
  DL_ASSERT_OK(settings);
  EXPECT_EQ(settings->master.value, "local");
  EXPECT_EQ(settings->master.origin, "built-in");
  sources.files.push_back(File(R"({"master":"dl://a:1","data_dir":"/f"})", "c.json"));
  settings = ResolveSettings(sources);
  EXPECT_EQ(settings->master.value, "dl://a:1");
  EXPECT_EQ(settings->data_dir.origin, "file c.json");
  sources.environment = {{"DL_MASTER", "dl://b:1"}, {"DL_DATA_DIR", ""}};
  settings = ResolveSettings(sources);
  EXPECT_EQ(settings->master.value, "dl://b:1");
  EXPECT_EQ(settings->data_dir.value, "/f") << "an empty variable says nothing";
  sources.place_flags = {{"--master", "local[2]"}, {"--data-dir", "/d"}};
  settings = ResolveSettings(sources);
  EXPECT_EQ(settings->master.value, "local[2]");
  EXPECT_EQ(settings->data_dir.origin, "flag --data-dir");
}

TEST(Settings, PlacesHaveFlagVariableAndKey) {
  for (const PlaceKey& place : PlaceKeys()) {
    SettingSources sources;
    const auto expect = [&](const std::string& value, const std::string& origin) {
      const auto settings = ResolveSettings(sources);
      DL_ASSERT_OK(settings);
      EXPECT_EQ(((*settings).*place.setting).value, value) << place.key;
      EXPECT_EQ(((*settings).*place.setting).origin, origin) << place.key;
    };
    const std::string key(place.key), variable(place.environment), flag(place.flag);
    expect(key == "master" ? "local" : "", "built-in");
    sources.files.push_back(File("{\"" + key + "\":\"of the file\"}", "c.json"));
    expect("of the file", "file c.json");
    sources.environment = {{variable, "of the variable"}};
    expect("of the variable", "environment " + variable);
    sources.place_flags = {{flag, "of the flag"}};
    expect("of the flag", "flag " + flag);
  }
}

TEST(Settings, ShortcutFlagsAndVariablesSetKeys) {
  for (const ShortcutKey& key : ShortcutKeys()) {
    SettingSources sources;
    const std::map<std::string_view, std::string> words = {
        {"--isa", "avx2"}, {"--kernels", "portable"}, {"--precision", "bf16"}, {"--name", "n"}};
    const auto word = words.find(key.flag);
    const std::string value = word == words.end() ? "3" : word->second;
    sources.environment[std::string(key.environment)] = value;
    auto settings = ResolveSettings(sources);
    DL_ASSERT_OK(settings);
    Json document = Document();
    DL_ASSERT_OK(ApplyJobSettings(*settings, document));
    std::string pointer = "/" + std::string(key.path);
    for (char& c : pointer) c = c == '.' ? '/' : c;
    const Json& set = document.at(Json::json_pointer(pointer));
    EXPECT_EQ(set.is_string() ? set.get<std::string>() : set.dump(), value) << key.path;
  }
}

TEST(Settings, UnknownKeyGetsSuggestion) {
  EXPECT_THAT(ParseConfigFile(R"({"mastr":"local"})", "c.json"),
              IsError(absl::StatusCode::kInvalidArgument, "master"));
  EXPECT_THAT(ParseConfigFile(R"({"set":{"training.epoch":3}})", "c.json"),
              IsError(absl::StatusCode::kInvalidArgument, "did you mean \"training.epochs\""));
  DL_EXPECT_OK(ParseConfigFile(
      R"({"set":{"model.layers[2].units":3,"model.layers.11.kernel":[3,3],"model":{}}})",
      "c.json"));
  auto settings = ResolveSettings({.sets = {"training.epoch=3"}});
  DL_ASSERT_OK(settings);
  Json document = Document();
  const Status status = ApplyJobSettings(*settings, document);
  EXPECT_THAT(status, IsError(absl::StatusCode::kInvalidArgument, "training.epochs"));
  EXPECT_EQ(ExitCodeFor(status), kUsage);
}

TEST(Settings, BadValueNamesOrigin) {
  Json document = Document();
  auto settings = ResolveSettings({.common_flags = {{"--epochs", "many"}}});
  Status status = ApplyJobSettings(*settings, document);
  EXPECT_THAT(status, IsError(absl::StatusCode::kInvalidArgument, "flag --epochs"));
  EXPECT_EQ(ExitCodeFor(status), kUsage);
  settings = ResolveSettings({.environment = {{"DL_EPOCHS", "many"}}});
  status = ApplyJobSettings(*settings, document);
  EXPECT_THAT(status, IsError(absl::StatusCode::kInvalidArgument, "environment DL_EPOCHS"));
  EXPECT_EQ(ExitCodeFor(status), kInvalidConfig);
  EXPECT_EQ(ExitCodeFor(ResolveSettings({.sets = {"no-equals-sign"}}).status()), kUsage);
  EXPECT_EQ(ExitCodeFor(ResolveSettings({.sets = {"=3"}}).status()), kUsage);
}

TEST(Settings, ConfigFilesAreStrict) {
  EXPECT_FALSE(ParseConfigFile("[]", "c").ok());
  EXPECT_FALSE(ParseConfigFile("{", "c").ok());
  EXPECT_FALSE(ParseConfigFile(R"({"master":1})", "c").ok());
  EXPECT_FALSE(ParseConfigFile(R"({"set":[]})", "c").ok());
  DL_EXPECT_OK(ParseConfigFile("{}", "c"));
  const Status key = ParseConfigFile(R"({"set":{"training.epoch":3}})", "c").status();
  EXPECT_EQ(ErrorRemedy(key), "docs/job-spec.md lists the keys");
  const Status value = ParseConfigFile(R"({"set":{"training.epochs":"many"}})", "c").status();
  EXPECT_THAT(value, IsError(absl::StatusCode::kInvalidArgument, "\"many\" is not a whole number"));
  EXPECT_EQ(ErrorRemedy(value), "Give a whole number from 1 to 1000000");
  EXPECT_THAT(ParseConfigFile(R"({"set":{"name":null}})", "c").status(),
              IsError(absl::StatusCode::kInvalidArgument, "set.name: null is no value"));
  const ConfigFile unset = File(R"({"set":{"training.early_stopping":null}})", "c");
  EXPECT_EQ(unset.set[0].setting.value, "null");
}

// A wrong value of a flag is a wrong command line. The same value in the environment or in a file
// is a wrong configuration. A command line that lacks a necessary flag is wrong, too.
TEST(Settings, OriginDecidesTheExitCodeOfAMistake) {
  for (const auto& [origin, code] : {std::pair("flag --master", kUsage),
                                     {"--set", kUsage},
                                     {"built-in", kUsage},
                                     {"environment DL_MASTER", kInvalidConfig},
                                     {"file c.json", kInvalidConfig}}) {
    const Status mistake = SettingError({"local", origin}, {.message = "m", .remedy = "r"});
    EXPECT_EQ(ExitCodeFor(mistake), code) << origin;
    EXPECT_EQ(ErrorWhere(mistake), origin);
  }
}

TEST(Settings, ExplainShowsOrigins) {
  auto settings =
      ResolveSettings({.common_flags = {{"--seed", "5"}}, .sets = {"training.workers=8"}});
  DL_ASSERT_OK(settings);
  const Json resolved = Json::parse(
      R"({"name":"a","seed":5,"training":{"epochs":1,"workers":8,"shuffle":"global"}})");
  std::map<std::string, std::string> origins;
  for (const ShownSetting& s : ExplainJob(*settings, resolved, Document(), "file job.json"))
    origins[s.key] = s.origin;
  EXPECT_EQ(origins["name"], "file job.json");
  EXPECT_EQ(origins["seed"], "flag --seed");
  EXPECT_EQ(origins["training.workers"], "--set");
  EXPECT_EQ(origins["training.epochs"], "file job.json");
  EXPECT_EQ(origins["training.shuffle"], "built-in");
}

// A plain number in the document determines all values that it stands for, and all values that
// follow from them.
TEST(Settings, ShorthandHasOriginOfAuthor) {
  const Json written = Json::parse(R"({
    "model": {"name": "m", "seed": 7, "input": {"type": "image", "channels": 1, "height": 9, "width": 9},
      "updater": {"type": "sgd", "learning_rate": 0.05},
      "layers": [{"type": "conv2d", "filters": 2, "kernel": 3}, {"type": "max_pool2d", "kernel": 3},
                 {"type": "output", "units": 3, "loss": "softmax_cross_entropy"}]},
    "training": {}, "data": {"train": {"format": "csv", "path": "a.csv"}}})");
  const auto explain = [&](const SettingSources& sources) {
    auto settings = ResolveSettings(sources);
    DL_EXPECT_OK(settings);
    auto spec = ResolveJob(written, "job.json", *settings);
    DL_EXPECT_OK(spec);
    std::map<std::string, std::string> origins;
    for (const ShownSetting& s : ExplainJob(*settings, job::ToJson(*spec), written, "file f"))
      origins[s.key] = s.origin;
    return origins;
  };
  auto origins = explain({});
  for (const char* key : {"model.updater.learning_rate.initial", "model.updater.learning_rate.type",
                          "model.layers.0.kernel", "model.layers.1.stride", "name", "seed"})
    EXPECT_EQ(origins.at(key), "file f") << key;
  for (const char* key :
       {"model.layers.0.stride", "model.layers.1.padding", "model.l2", "training.epochs"})
    EXPECT_EQ(origins.at(key), "built-in") << key;

  origins =
      explain({.sets = {"model.updater.learning_rate.initial=0.1", "model.layers.0.kernel.1=1",
                        "model.layers.1.kernel=2", "model.name=n"}});
  for (const char* key : {"model.updater.learning_rate.initial", "model.layers.0.kernel",
                          "model.layers.1.stride", "name"})
    EXPECT_EQ(origins.at(key), "--set") << key;
  EXPECT_EQ(origins.at("model.updater.learning_rate.type"), "file f");

  // The last setting wins, whatever part of the spec it replaces.
  origins =
      explain({.common_flags = {{"--name", "x"}},
               .sets = {R"(model.updater={"type":"sgd"})"},
               .files = {File(R"({"set":{"model.updater.learning_rate.initial":0.2}})", "c")}});
  EXPECT_EQ(origins.at("model.updater.learning_rate.initial"), "--set");
  EXPECT_EQ(origins.at("name"), "flag --name");
}

TEST(Settings, ObjectDecidesNestedKeys) {
  auto settings = ResolveSettings({.sets = {R"(model.updater={"type":"sgd"})"}});
  DL_ASSERT_OK(settings);
  const Json resolved = Json::parse(R"({"model":{"updater":{"type":"sgd"}}})");
  EXPECT_EQ(ExplainJob(*settings, resolved, Json::object(), "x").front().origin, "--set");
}

}  // namespace
}  // namespace dl::cli
