#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "base/json.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "job/job_keys.h"
#include "job/key_text.h"
#include "nn/conf/contract_id.h"
#include "tests/unit/job/sample_specs.h"

namespace dl::job {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// Expects equal sets. Prints only the differences.
void ExpectEqualSets(const std::set<std::string>& got, const std::set<std::string>& want) {
  for (const std::string& one : want) EXPECT_TRUE(got.contains(one)) << "missing: " << one;
  for (const std::string& one : got) EXPECT_TRUE(want.contains(one)) << "too much: " << one;
}

// Collects every path in a document, with [] for indices.
void Collect(const Json& json, const std::string& path, std::set<std::string>& out) {
  if (json.is_object()) {
    for (const auto& [key, value] : json.items()) {
      const std::string child = path.empty() ? key : path + "." + key;
      out.insert(child);
      Collect(value, child, out);
    }
  } else if (json.is_array()) {
    for (const Json& item : json) {
      if (item.is_object()) Collect(item, path + "[]", out);
    }
  }
}

TEST(KeysTest, TableHasExactlyKeysOfParser) {
  std::set<std::string> written, known;
  for (const JobSpec& spec : WideSpecs()) Collect(ToJson(spec), "", written);
  for (const char* read_only : {"model.seed", "model.freeze_up_to"}) written.insert(read_only);
  for (const nn::KeyRow& key : Keys()) {
    EXPECT_TRUE(known.insert(std::string(key.path)).second) << key.path << " twice";
  }
  ExpectEqualSets(known, written);
}

// Calls `visit(document, pattern, pointer)` for each object in the document that has a type.
template <typename Visit>
void ForEachTyped(const Json& document, const Json::json_pointer& at, const std::string& pattern,
                  const Visit& visit) {
  const Json& json = document[at];
  if (json.is_array()) {
    for (size_t i = 0; i < json.size(); ++i) ForEachTyped(document, at / i, pattern + "[]", visit);
  }
  if (!json.is_object()) return;
  if (json.contains("type") || json.contains("format")) visit(document, pattern, at);
  for (const auto& [key, value] : json.items())
    ForEachTyped(document, at / key, pattern.empty() ? key : pattern + "." + key, visit);
}

// Returns the line of the text that mentions `.name`.
std::string LineAbout(const std::string& text, const std::string& name) {
  for (const auto& line : absl::StrSplit(text, '\n')) {
    if (absl::StrContains(line, "." + name + ": ")) return std::string(line);
  }
  return "";
}

TEST(KeysTest, KeyOfOtherTypeNamesThatType) {
  std::set<std::string> tried, known, types_tried;
  const auto try_foreign = [&](const Json& document, const std::string& pattern,
                               const Json::json_pointer& at) {
    const Json& object = document[at];
    const std::string type_key = object.contains("type") ? "type" : "format";
    if (!object[type_key].is_string()) return;  // the version of a document
    const std::string type = object[type_key];
    if (!types_tried.insert(absl::StrCat(pattern, " ", type)).second) return;
    Json changed = document;
    std::map<std::string, const nn::KeyRow*> foreign;
    for (const nn::KeyRow& key : Keys()) {
      if (key.only_for.empty() || key.path.substr(0, key.path.rfind('.')) != pattern) continue;
      if (IsAmong(key.only_for, type)) continue;
      const std::string name(key.path.substr(key.path.rfind('.') + 1));
      foreign[name] = &key;
      changed[at][name] = 1;
    }
    if (foreign.empty()) return;
    const auto spec = JobFromJson(changed);
    ASSERT_FALSE(spec.ok()) << pattern << " " << type;
    for (const auto& [name, key] : foreign) {
      const std::string said = LineAbout(std::string(spec.status().message()), name);
      EXPECT_THAT(said, HasSubstr("." + name + ": is a key of " + type_key)) << key->path;
      EXPECT_THAT(said, HasSubstr(", and this is " + object[type_key].dump() + "; set "));
      const std::vector<std::string> types = absl::StrSplit(std::string(key->only_for), '|');
      for (const std::string& other : types)
        EXPECT_THAT(said, HasSubstr("\"" + other + "\"")) << key->path;
      tried.insert(std::string(key->path));
    }
  };
  for (const JobSpec& spec : WideSpecs())
    ForEachTyped(ToJson(spec), Json::json_pointer(), "", try_foreign);
  for (const nn::KeyRow& key : Keys()) {
    if (!key.only_for.empty()) known.insert(std::string(key.path));
  }
  ExpectEqualSets(tried, known);
}

TEST(KeysTest, KeyOfOtherTypeHasRemedy) {
  Json json = ToJson(SampleSpecs()[0]);
  json["training"]["strategy"]["momentum"] = 0.9;
  json["model"]["layers"][1]["l2"] = 0.1;
  EXPECT_THAT(
      std::string(JobFromJson(json).status().message()),
      AllOf(HasSubstr("training.strategy.momentum: is a key of type \"outer\", and this is "
                      "\"average\"; set training.strategy.type to \"outer\", or leave the key out"),
            HasSubstr("model.layers[1].l2: is a key of type \"dense\", \"conv2d\", "),
            HasSubstr("\"cross_attention\" or \"output\", and this is \"max_pool2d\"; set "
                      "model.layers[1].type to \"dense\", \"conv2d\", ")));
}

TEST(KeysTest, DefaultsOfTableMatchParser) {
  // Only required keys. All other values are defaults of the parser.
  auto spec = JobFromText(R"({
    "model": {"input": {"type": "image", "channels": 3, "height": 8, "width": 8},
      "layers": [{"type": "conv2d", "filters": 2}, {"type": "max_pool2d"}, {"type": "batch_norm"}, {"type": "dropout"},
                 {"type": "dense", "units": 2}, {"type": "output", "units": 2, "loss": "softmax_cross_entropy"}]},
    "data": {"train": {"format": "csv", "path": "a.csv"}, "test": {"format": "npz", "path": "a.npz"}},
    "training": {"early_stopping": {}}})",
                          "minimal");
  ASSERT_TRUE(spec.ok()) << spec.status();
  const Json json = ToJson(*spec);
  int compared = 0;
  for (const nn::KeyRow& key : Keys()) {
    if (key.standard.empty() || key.standard == "-" || key.type == KeyType::kObject) continue;
    std::vector<std::string> pointers;
    if (key.path.find("[]") == std::string_view::npos) {
      pointers.push_back(std::string(key.path));
    } else {
      for (int i = 0; i < 6; ++i) {
        pointers.push_back(
            absl::StrReplaceAll(std::string(key.path), {{"[]", absl::StrCat(".", i)}}));
      }
    }
    for (const std::string& path : pointers) {
      const Json::json_pointer pointer("/" + absl::StrReplaceAll(path, {{".", "/"}}));
      if (!json.contains(pointer)) continue;
      EXPECT_EQ(json[pointer], Json::parse(key.standard)) << path;
      ++compared;
    }
  }
  EXPECT_GT(compared, 40);
}

// The parser accepts the smallest and the largest allowed number, and rejects the next ones.
TEST(KeysTest, RangesOfTableMatchParser) {
  const Json base =
      ToJson(SampleJob()
                 .Training(ParameterAveraging().Strategy(Outer()).StopEarly(EarlyStopping("loss")))
                 .Build()
                 .value());
  int tried = 0;
  for (const nn::KeyRow& key : Keys()) {
    const bool integer = key.type == KeyType::kInteger;
    if (!key.path.starts_with("training") || !(integer || key.type == KeyType::kNumber)) continue;
    const auto accepts = [&](double value) {
      Json json = base;
      const Json number = integer ? Json(static_cast<int64_t>(value)) : Json(value);
      EXPECT_TRUE(SetByPath(json, key.path, number.dump()).ok()) << key.path;
      return JobFromJson(json).ok();
    };
    const double beyond = integer ? 1 : 1e-3 + key.max * 1e-9;
    EXPECT_TRUE(accepts(key.min)) << key.path << " " << key.min;
    EXPECT_TRUE(accepts(key.max)) << key.path << " " << key.max;
    EXPECT_FALSE(accepts(key.min - beyond)) << key.path << " below " << key.min;
    EXPECT_FALSE(accepts(key.max + beyond)) << key.path << " above " << key.max;
    ++tried;
  }
  EXPECT_GT(tried, 12);
}

TEST(KeysTest, EveryChoiceIsTaken) {
  const Json base =
      ToJson(SampleJob()
                 .Training(ParameterAveraging().Strategy(Outer()).StopEarly(EarlyStopping("loss")))
                 .Build()
                 .value());
  for (const nn::KeyRow& key : Keys()) {
    if (key.type != KeyType::kChoice || !key.path.starts_with("training")) continue;
    const std::vector<std::string> choices = absl::StrSplit(std::string(key.choices), '|');
    for (const std::string& choice : choices) {
      Json json = base;
      // It scales numbers to predict, but the sample predicts classes.
      if (key.path == "training.target_normalizer")
        json["model"]["layers"].back()["loss"] = "mean_squared_error";
      // These metrics need numbers.
      if (choice == "r2" || choice == "mse" || choice == "mae")
        json["model"]["layers"].back()["loss"] = "mean_squared_error";
      if (nn::ComputesIn(choice, nn::Precision::kBf16)) json["training"]["precision"] = "bf16";
      ASSERT_TRUE(SetByPath(json, key.path, choice).ok()) << key.path << "=" << choice;
      auto spec = JobFromJson(json);
      EXPECT_TRUE(spec.ok()) << key.path << "=" << choice << spec.status();
    }
    Json json = base;
    EXPECT_FALSE(SetByPath(json, key.path, "nonsense").ok());
  }
}

TEST(KeysTest, DocumentListsEachKeyOnce) {
  std::ifstream file(std::string(DL_DOCS_DIR) + "/job-spec.md");
  ASSERT_TRUE(file.is_open());
  std::vector<std::string> documented, expected;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("| `")) documented.push_back(line);
  }
  for (const nn::KeyRow& key : Keys()) expected.push_back(MarkdownRow(key));
  ExpectEqualSets({documented.begin(), documented.end()}, {expected.begin(), expected.end()});
  ASSERT_EQ(documented.size(), expected.size()) << "a row stands there twice";
  const auto [first, row] = std::mismatch(documented.begin(), documented.end(), expected.begin());
  EXPECT_TRUE(row == expected.end()) << "here stands " << *first << "\nand not " << *row;
}

TEST(KeysTest, ExampleOfDocumentIsValidJob) {
  std::ifstream file(std::string(DL_DOCS_DIR) + "/job-spec.md");
  std::stringstream text;
  text << file.rdbuf();
  const std::string document = text.str();
  const size_t begin = document.find("```json\n");
  const size_t end = document.find("```", begin + 8);
  ASSERT_NE(begin, std::string::npos);
  auto spec = JobFromText(document.substr(begin + 8, end - begin - 8), "docs/job-spec.md");
  EXPECT_TRUE(spec.ok()) << spec.status();
}

Status Set(Json& json, const std::string& path, const std::string& value) {
  return SetByPath(json, path, value);
}

TEST(SetByPathTest, SetsTypedValues) {
  Json json = ToJson(SampleSpecs()[0]);
  EXPECT_TRUE(Set(json, "training.epochs", "17").ok());
  EXPECT_TRUE(Set(json, "training.verify_fraction", "0.5").ok());
  EXPECT_TRUE(Set(json, "training.checkpoint.every_epoch", "false").ok());
  EXPECT_TRUE(Set(json, "model.layers.4.units", "9").ok());
  EXPECT_TRUE(Set(json, "model.layers[0].kernel", "3").ok());
  EXPECT_TRUE(Set(json, "model.layers[1].kernel", "[2,1]").ok());
  EXPECT_TRUE(Set(json, "seed", "18446744073709551615").ok());
  EXPECT_TRUE(Set(json, "name", "12").ok());
  EXPECT_TRUE(Set(json, "model.layers.0.l2", "0.25").ok());
  auto spec = JobFromJson(json);
  ASSERT_TRUE(spec.ok()) << spec.status();
  EXPECT_EQ(spec->training.epochs, 17);
  EXPECT_EQ(spec->training.verify_fraction, 0.5);
  EXPECT_FALSE(spec->training.checkpoint.every_epoch);
  EXPECT_EQ(std::get<nn::Dense>(spec->model.layers[5].conf).units, 9);
  EXPECT_EQ(std::get<nn::Conv2D>(spec->model.layers[0].conf).window.kernel, (nn::Extent2D{3, 3}));
  EXPECT_EQ(spec->seed, ~uint64_t{0});
  EXPECT_EQ(spec->name, "12");
  EXPECT_EQ(spec->model.layers[0].parameters[0].l2, 0.25);
}

TEST(SetByPathTest, MakesAbsentObjects) {
  Json json = ToJson(SampleSpecs()[0]);
  ASSERT_TRUE(json["training"]["early_stopping"].is_null());
  EXPECT_TRUE(Set(json, "training.early_stopping.metric", "accuracy").ok());
  auto spec = JobFromJson(json);
  ASSERT_TRUE(spec.ok()) << spec.status();
  EXPECT_TRUE(spec->training.early_stopping->Maximizes());
  EXPECT_TRUE(Set(json, "training.early_stopping", "null").ok());
  EXPECT_FALSE(JobFromJson(json)->training.early_stopping.has_value());
}

TEST(SetByPathTest, NewTypeDropsKeysOfFormerType) {
  Json json = ToJson(SampleSpecs()[0]);
  EXPECT_TRUE(Set(json, "model.updater.type", "adam").ok());
  EXPECT_TRUE(Set(json, "model.updater.learning_rate.type", "fixed").ok());
  EXPECT_TRUE(Set(json, "data.train.format", "cifar10").ok());
  EXPECT_TRUE(Set(json, "data.train.paths", "[\"a.bin\"]").ok());
  auto spec = JobFromJson(json);
  ASSERT_TRUE(spec.ok()) << spec.status();
  EXPECT_EQ(spec->model.updater, nn::UpdaterConf(nn::Adam(0.05)));
  EXPECT_TRUE(Set(json, "model.updater.learning_rate", "0.125").ok());
  EXPECT_EQ(JobFromJson(json)->model.updater, nn::UpdaterConf(nn::Adam(0.125)));
}

TEST(SetByPathTest, WrongPathsAndTextsAreErrors) {
  const Json before = ToJson(SampleSpecs()[0]);
  struct Case {
    const char *path, *text, *expected;
  };
  const Case cases[] = {
      {"training.epoch", "3", "did you mean \"training.epochs\"?"},
      {"training.wrokers", "3", "did you mean \"training.workers\"?"},
      {"model.layers.1.unitz", "3", "did you mean \"model.layers[].units\"?"},
      {"training.updater.learning_rate", "0.1", "did you mean \"model.updater.learning_rate\"?"},
      {"epochs", "3", "did you mean \"training.epochs\"?"},
      {"", "3", "no key"},
      {"training.", "3", "no key"},
      {"...", "3", "no key"},
      {"model.layers.0.0", "{}", "no key"},
      {"model.layers.99.units", "3", "has 6 entries"},
      {"model.layers.x.units", "3", "no key"},
      {"training.epochs", "three", "not a whole number"},
      {"training.epochs", "3.5", "not a whole number"},
      {"training.epochs", "", "not a whole number"},
      {"training.epochs", "99999999999999999999", "is out of range"},
      {"training.verify_fraction", "nan", "not a number"},
      {"training.verify_fraction", "inf", "not a number"},
      {"training.checkpoint.every_epoch", "yes", "not true or false"},
      {"training.shuffle", "globl", "did you mean \"global\"?"},
      {"name", "\xff\xfe", "not valid UTF-8"},
      {"training.epochs", "null", "not a whole number"},
      {"data.train.class_names", "a,b", "is not a list of texts"},
  };
  for (const Case& c : cases) {
    Json json = before;
    const Status status = SetByPath(json, c.path, c.text);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << c.path;
    EXPECT_THAT(std::string(status.message()), HasSubstr(c.expected)) << c.path;
  }
  Json json = before;
  EXPECT_FALSE(Set(json, std::string(100000, 'a'), "1").ok());
  for (const char* text : {"null", "[]", "3", "{}"}) {
    Json odd = Json::parse(text);
    (void)SetByPath(odd, "model.layers.0.units", "3");
    (void)SetByPath(odd, "training.epochs", "3");
  }
}

}  // namespace
}  // namespace dl::job
