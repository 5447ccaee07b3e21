// The schema of job specs: against the table of keys, and against specs that the reader accepts and
// refuses.
#include "job/spec_schema.h"

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "base/files.h"
#include "base/json.h"
#include "base/process.h"
#include "gtest/gtest.h"
#include "job/job_keys.h"
#include "nn/conf/zoo/zoo.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/job/sample_specs.h"

namespace dl::job {
namespace {

constexpr std::string_view kDefinitions = "#/$defs/";

// Follows the schema from its root, and collects the paths of all keys in the notation of the
// table. `visited` has the definitions on the way.
void Collect(const Json& schema, const Json& root, const std::string& path,
             std::set<std::string>& paths) {
  if (schema.contains("$ref")) {
    const std::string name = schema["$ref"].get<std::string>().substr(kDefinitions.size());
    ASSERT_TRUE(root["$defs"].contains(name)) << name;
    Collect(root["$defs"][name], root, path, paths);
  }
  const Json forms = schema.value("anyOf", Json::array());
  for (const Json& one : forms) Collect(one, root, path, paths);
  if (schema.contains("items")) Collect(schema["items"], root, path + "[]", paths);
  const Json properties = schema.value("properties", Json::object());
  for (const auto& [name, key] : properties.items()) {
    const std::string of_key = path.empty() ? name : absl::StrCat(path, ".", name);
    paths.insert(of_key);
    EXPECT_TRUE(key.contains("description")) << of_key;
    Collect(key, root, of_key, paths);
  }
}

TEST(SpecSchema, HasExactlyTheKeysOfTheTable) {
  const Json schema = SpecSchema();
  std::set<std::string> paths, known;
  Collect(schema, schema, "", paths);
  for (const nn::KeyRow& key : Keys()) known.insert(key.path);
  EXPECT_EQ(paths, known);
}

TEST(SpecSchema, EachDefinitionIsUsedAndClosed) {
  const Json schema = SpecSchema();
  const std::string text = schema.dump();
  for (const auto& [name, definition] : schema["$defs"].items()) {
    EXPECT_NE(text.find(absl::StrCat("\"", std::string(kDefinitions), name, "\"")),
              std::string::npos)
        << name;
    if (!definition.contains("properties")) continue;
    EXPECT_EQ(definition["additionalProperties"], false) << name;
  }
  EXPECT_EQ(schema["additionalProperties"], false);
  EXPECT_EQ(schema["required"], Json::array({"model", "data"}));
}

TEST(SpecSchema, KeysHaveRangesChoicesAndDefaults) {
  const Json schema = SpecSchema();
  const Json& definitions = schema["$defs"];
  const Json& training = definitions["training"]["properties"];
  EXPECT_EQ(training["epochs"]["minimum"], 1);
  EXPECT_EQ(training["epochs"]["maximum"], 1000000);
  EXPECT_EQ(schema["properties"]["seed"]["maximum"], UINT64_MAX);
  const Json& images = definitions["data.train:image_folder"]["properties"];
  EXPECT_EQ(images["channels"]["enum"], Json({1, 3}));
  EXPECT_EQ(images["channels"]["default"], 3);
  EXPECT_EQ(images["format"]["const"], "image_folder");
  EXPECT_FALSE(images.contains("header"));
  EXPECT_TRUE(definitions["data.train:cifar10"]["properties"].contains("path")) << "the alias";
}

constexpr Duration kTimeout = std::chrono::minutes(10);
constexpr int64_t kMaxBytes = 1 << 24;

// Collects specs, and compares them with the schema.
class SpecsAndSchema : public testing::Test {
 protected:
  void Add(const std::string& name, bool fits, const Json& spec) {
    absl::StrAppend(&lines_, JsonText({{"name", name}, {"fits", fits}, {"spec", spec}}), "\n");
    ++count_;
  }
  // Adds a spec that the reader refuses too.
  void AddWrong(const std::string& name, const Json& spec) {
    EXPECT_FALSE(JobFromJson(spec).ok()) << name;
    Add(name, false, spec);
  }
  void TearDown() override {
    ASSERT_GT(count_, 0);
    const test::TempFolder folder;
    const auto check = Spawner::Real().Start(
        {.argv = {"/usr/bin/python3", "-B",
                  std::string(DL_SOURCE_ROOT) + "/tests/unit/job/check_specs.py",
                  folder.Write("schema.json", SpecSchema().dump()), folder.Write("specs", lines_)},
         .out = ChildOutput::Pipe()});
    DL_ASSERT_OK(check);
    EXPECT_EQ((*check)->ReadAll(kTimeout, kMaxBytes).value_or(""), "ok\n");
    DL_EXPECT_OK((*check)->Wait(kTimeout));
  }
  int count() const { return count_; }

 private:
  std::string lines_;
  int count_ = 0;
};

TEST_F(SpecsAndSchema, SpecsWithAllKeysFit) {
  for (const JobSpec& spec : WideSpecs()) Add(spec.name, true, ToJson(spec));
  for (const nn::zoo::ZooModel& zoo : nn::zoo::ZooModels()) {
    const auto spec = Job(std::string(zoo.name))
                          .Model(zoo.make(zoo.published).Updater(nn::Adam(0.01)))
                          .Train(data::Npz("a.npz"))
                          .Build();
    if (spec.ok()) Add(std::string(zoo.name), true, ToJson(*spec));
  }
  EXPECT_GT(count(), 100);
}

// Documents as users write them: with short forms, and without the keys that have defaults.
TEST_F(SpecsAndSchema, WrittenDocumentsFit) {
  const std::string root = std::string(DL_SOURCE_ROOT) + "/";
  for (const char* folder : {"tests/golden/documents/job_spec", "tests/fuzz/corpus/job"}) {
    for (const auto& entry : std::filesystem::directory_iterator(root + folder)) {
      const std::string name = entry.path().filename().string();
      if (name.starts_with("bad-")) continue;
      const auto text = ReadFile(entry.path().string(), kMaxBytes);
      DL_ASSERT_OK(text);
      Add(name, true, Json::parse(*text));
    }
  }
  const auto document = ReadFile(root + "docs/job-spec.md", kMaxBytes);
  DL_ASSERT_OK(document);
  const size_t begin = document->find("```json\n") + 8;
  Add("job-spec.md", true,
      Json::parse(document->substr(begin, document->find("```", begin) - begin)));
  const std::vector<std::string> programs = absl::StrSplit(DL_EXAMPLES, '|');
  for (const std::string& program : programs) {
    std::vector<std::string> words = {program, "--print-job"};
    // These name the tables of their data.
    if (program.ends_with("/adult_embeddings")) words.insert(words.end(), {"a.csv", "b.csv"});
    if (program.ends_with("/two_inputs_regression")) words.emplace_back("a.csv");
    const auto child =
        Spawner::Real().Start({.argv = std::move(words), .out = ChildOutput::Pipe()});
    DL_ASSERT_OK(child);
    const auto text = (*child)->ReadAll(kTimeout, kMaxBytes);
    DL_ASSERT_OK(text);
    DL_EXPECT_OK((*child)->Wait(kTimeout));
    Add(program, true, Json::parse(*text));
  }
  Json shorthands = ToJson(SampleSpecs()[0]);
  shorthands["model"]["updater"] = "adam";
  shorthands["model"]["layers"][0]["kernel"] = 5;
  shorthands["model"]["layers"][2] = "batch_norm";
  shorthands["training"]["strategy"] = "average";
  shorthands["data"]["augmentation"] = {"horizontal_flip"};
  DL_EXPECT_OK(JobFromJson(shorthands));
  Add("shorthands", true, shorthands);
  shorthands["model"]["updater"] = {{"type", "sgd"}, {"learning_rate", 0.5}};
  Add("a number as learning rate", true, shorthands);
}

// Calls `visit(document, path, pointer)` for each value below `at`, with the path in the notation
// of the table.
using Visit = std::function<void(const Json&, const std::string&, const Json::json_pointer&)>;
void ForEachValue(const Json& document, const Json::json_pointer& at, const std::string& path,
                  const Visit& visit) {
  const Json& json = document[at];
  visit(document, path, at);
  if (json.is_array()) {
    for (size_t i = 0; i < json.size(); ++i) ForEachValue(document, at / i, path + "[]", visit);
  } else if (json.is_object()) {
    for (const auto& [key, value] : json.items())
      ForEachValue(document, at / key, path.empty() ? key : absl::StrCat(path, ".", key), visit);
  }
}

// Each key once: another type, a number beyond the range, a word that is no choice, an unknown key
// beside it, and a required key that is missing.
TEST_F(SpecsAndSchema, MistakesDoNotFit) {
  std::map<std::string, const nn::KeyRow*> rows;
  for (const nn::KeyRow& key : Keys()) rows[key.path] = &key;
  std::set<std::string> tried;
  const auto wrong = [&](const Json& document, const Json::json_pointer& at,
                         const std::string& name, const Json& value) {
    if (!tried.insert(name).second) return;
    Json changed = document;
    changed[at] = value;
    AddWrong(name, changed);
  };
  for (const JobSpec& spec : SampleSpecs()) {
    ForEachValue(
        ToJson(spec), Json::json_pointer(), "",
        [&](const Json& document, const std::string& path, const Json::json_pointer& at) {
          const Json& json = document[at];
          if (json.is_object()) {
            const std::string type = json.value("type", "");
            wrong(document, at / "nonsense", absl::StrCat(path, " ", type, " nonsense"), 1);
          }
          const auto row = rows.find(path);
          if (row == rows.end()) return;
          const nn::KeyRow& key = *row->second;
          wrong(document, at, path + " is a list in a list",
                Json::array({Json::array({Json::array()})}));
          const bool is_number = key.type == KeyType::kInteger || key.type == KeyType::kNumber;
          if (is_number) wrong(document, at, path + " is a text", "12");
          if (key.type == KeyType::kInteger) wrong(document, at, path + " is 0.5", 0.5);
          if (key.type == KeyType::kBool) wrong(document, at, path + " is 1", 1);
          if (key.type == KeyType::kChoice) wrong(document, at, path + " is a", "a?");
          if (!is_number || NumberRange(key).empty()) return;
          const double step = key.type == KeyType::kInteger ? 1 : 1e-3 + key.max * 1e-9;
          const auto number = [&](double value) {
            return key.type == KeyType::kInteger ? Json(static_cast<int64_t>(value)) : Json(value);
          };
          if (key.max < 1e18) wrong(document, at, path + " is large", number(key.max + step));
          wrong(document, at, path + " is small", number(key.min - step));
        });
  }
  for (const char* required : {"model", "data"}) {
    Json lacks = ToJson(SampleSpecs()[0]);
    lacks.erase(required);
    AddWrong(absl::StrCat("no ", required), lacks);
  }
  EXPECT_GT(count(), 500);
}

}  // namespace
}  // namespace dl::job
