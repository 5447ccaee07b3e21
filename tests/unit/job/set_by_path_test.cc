// Applies --set to documents as users write them: with numbers in place of objects and lists, and
// with keys left out.
#include <functional>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "job/job_keys.h"
#include "nn/conf/model_json.h"
#include "tests/unit/job/sample_specs.h"

namespace dl::job {
namespace {

using ::testing::HasSubstr;

Json Terse() {
  return Json::parse(R"({
    "model": {"input": {"type": "image", "channels": 1, "height": 28, "width": 28},
      "layers": [{"type": "conv2d", "filters": 2, "kernel": 5, "padding": [1, 2]},
                 {"type": "max_pool2d", "kernel": 3},
                 {"type": "output", "units": 10, "loss": "softmax_cross_entropy"}]},
    "data": {"train": {"format": "cifar10", "paths": ["a.bin", "b.bin"]}}})");
}

JobSpec After(Json document, std::initializer_list<std::pair<const char*, const char*>> sets) {
  for (const auto& [path, text] : sets) {
    const Status status = SetByPath(document, path, text);
    EXPECT_TRUE(status.ok()) << path << ": " << status;
  }
  auto spec = JobFromJson(document);
  EXPECT_TRUE(spec.ok()) << spec.status();
  return spec.ok() ? *std::move(spec) : JobSpec();
}

TEST(SetInShorthandTest, NumberBecomesSchedule) {
  Json document = Terse();
  document["model"]["updater"] = {{"type", "nesterov"}, {"learning_rate", 0.05}};
  EXPECT_EQ(After(document, {{"model.updater.learning_rate.initial", "0.1"}}).model.updater,
            nn::UpdaterConf(nn::Nesterov(0.1)));
  EXPECT_EQ(After(document, {{"model.updater.learning_rate.type", "cosine"}}).model.updater,
            nn::UpdaterConf(nn::Nesterov(nn::CosineSchedule(0.05))));
  EXPECT_EQ(After(document, {{"model.updater.learning_rate", "0.2"}}).model.updater,
            nn::UpdaterConf(nn::Nesterov(0.2)));
}

// "relu" stands for {"type": "relu"}.
TEST(SetInShorthandTest, WordBecomesObjectOfType) {
  Json document = Terse();
  document["model"]["updater"] = "adam";
  document["model"]["weight_init"] = "he";
  document["model"]["layers"][0]["activation"] = "relu";
  document["model"]["layers"].insert(document["model"]["layers"].begin() + 2, "batch_norm");
  Json written = Terse();
  written["model"]["updater"] = {{"type", "adam"}};
  written["model"]["weight_init"] = {{"type", "he"}};
  written["model"]["layers"][0]["activation"] = {{"type", "relu"}};
  written["model"]["layers"].insert(written["model"]["layers"].begin() + 2,
                                    Json{{"type", "batch_norm"}});
  EXPECT_EQ(After(document, {}), After(written, {}));
  // Sets a key inside a word, and replaces a word.
  EXPECT_EQ(After(document, {{"model.updater.beta1", "0.5"}}).model.updater,
            nn::UpdaterConf(nn::Adam(0.01).Beta1(0.5)));
  EXPECT_EQ(After(document, {{"model.layers.2.name", "norm"}}),
            After(written, {{"model.layers.2.name", "norm"}}));
  EXPECT_EQ(After(Terse(), {{"model.updater", "adam"},
                            {"model.weight_init", "he"},
                            {"model.layers.0.activation", "relu"},
                            {"model.layers.1", "flatten"}}),
            After(Terse(), {{"model.updater", R"({"type":"adam"})"},
                            {"model.weight_init", R"({"type":"he"})"},
                            {"model.layers.0.activation", R"({"type":"relu"})"},
                            {"model.layers.1", R"({"type":"flatten"})"}}));
  const Status status = SetByPath(document, "model.updater", "adma");
  EXPECT_THAT(std::string(status.message()), HasSubstr("did you mean \"adam\""));
  document["model"]["layers"][0]["activation"] = "rleu";
  EXPECT_THAT(std::string(JobFromJson(document).status().message()),
              HasSubstr("model.layers[0].activation.type"));
}

TEST(SetInShorthandTest, DefaultObjectIsSetKeyByKey) {
  EXPECT_EQ(After(Terse(), {{"model.updater.learning_rate", "0.1"}}).model.updater,
            nn::UpdaterConf(nn::Sgd(0.1)));
  EXPECT_EQ(After(Terse(), {{"model.updater.learning_rate.initial", "0.1"}}).model.updater,
            nn::UpdaterConf(nn::Sgd(0.1)));
  EXPECT_EQ(After(Terse(), {{"model.updater.learning_rate.type", "cosine"}}).model.updater,
            nn::UpdaterConf(nn::Sgd(nn::CosineSchedule(0.01))));
  // The default of the updater in the document.
  EXPECT_EQ(After(Terse(), {{"model.updater", "adadelta"},
                            {"model.updater.learning_rate.type", "polynomial"}})
                .model.updater,
            nn::UpdaterConf(nn::AdaDelta(nn::PolynomialSchedule(1))));
  EXPECT_EQ(After(Terse(), {{"model.updater.type", "adam"}, {"model.updater.beta1", "0.5"}})
                .model.updater,
            nn::UpdaterConf(nn::Adam(0.01).Beta1(0.5)));
  const JobSpec spec = After(Terse(), {{"model.weight_init.type", "normal"},
                                       {"model.weight_init.std", "0.5"},
                                       {"model.layers.0.weight_init.type", "he"},
                                       {"model.layers.0.activation.type", "relu"},
                                       {"training.checkpoint.keep_last", "2"}});
  EXPECT_EQ(spec.model.weight_init, nn::Normal(0.5));
  EXPECT_EQ(std::get<nn::Conv2D>(spec.model.layers[0].conf).weight_init, nn::He());
}

TEST(SetInShorthandTest, ElementsOfLists) {
  const auto window = [](const JobSpec& spec, size_t layer) {
    return layer == 0 ? std::get<nn::Conv2D>(spec.model.layers[0].conf).window
                      : std::get<nn::MaxPool2D>(spec.model.layers[1].conf).window;
  };
  EXPECT_EQ(window(After(Terse(), {{"model.layers.0.kernel.0", "3"}}), 0).kernel,
            (nn::Extent2D{3, 5}));
  EXPECT_EQ(window(After(Terse(), {{"model.layers[0].padding[1]", "0"}}), 0).padding.size,
            (nn::Extent2D{1, 0}));
  EXPECT_TRUE(window(After(Terse(), {{"model.layers.1.padding", "same"}}), 1).padding.same);
  EXPECT_FALSE(window(After(Terse(), {{"model.layers.0.padding", "0"}}), 0).padding.same);
  EXPECT_EQ(window(After(Terse(), {{"model.layers.0.stride.1", "2"}}), 0).stride,
            (nn::Extent2D{1, 2}));
  EXPECT_EQ(window(After(Terse(), {{"model.layers.1.stride.0", "1"}}), 1).stride,
            (nn::Extent2D{1, 3}))
      << "what is left out follows the kernel";
  EXPECT_EQ(std::get<Cifar10Source>(After(Terse(), {{"data.train.paths.1", "c"}}).data.train).paths,
            (std::vector<std::string>{"a.bin", "c"}));
  EXPECT_EQ(std::get<nn::Output>(After(Terse(), {{"model.layers.2",
                                                  R"({"type":"output","units":4,
                                                      "loss":"mean_squared_error"})"}})
                                     .model.layers.back()
                                     .conf)
                .units,
            4);
}

// A loss without keys is a word in every document. Its keys can be set all the same.
// A number stands for a list with an entry for each axis of the layer.
TEST(SetInShorthandTest, EntryOfVolumeWindowIsSet) {
  Json document = Json::parse(R"({
    "model": {"input": {"type": "volume", "channels": 1, "depth": 9, "height": 9, "width": 9},
      "layers": [{"type": "conv3d", "filters": 2, "kernel": 3},
                 {"type": "max_pool3d", "kernel": 2},
                 {"type": "output", "units": 10, "loss": "softmax_cross_entropy"}]},
    "data": {"train": {"format": "npy", "features": "x.npy", "labels": "y.npy"}}})");
  const JobSpec spec =
      After(document, {{"model.layers.0.kernel.2", "1"}, {"model.layers.1.kernel[0]", "1"}});
  ASSERT_EQ(spec.model.layers.size(), 4u) << "with a flatten";
  EXPECT_EQ(std::get<nn::Conv3D>(spec.model.layers[0].conf).window.kernel, (nn::Extent3D{3, 3, 1}));
  EXPECT_EQ(std::get<nn::MaxPool3D>(spec.model.layers[1].conf).window.kernel,
            (nn::Extent3D{1, 2, 2}));
}

TEST(SetInShorthandTest, WindowOverStepsHasNoEntries) {
  Json document = Json::parse(R"({"model": {"layers": [{"type": "conv1d", "kernel": 3}]}})");
  const Status refused = SetByPath(document, "model.layers.0.kernel.0", "5");
  EXPECT_THAT(std::string(refused.message()),
              HasSubstr("model.layers.0.kernel is one number, without entries"));
  EXPECT_EQ(ErrorRemedy(refused), "Set model.layers.0.kernel itself");
  EXPECT_TRUE(SetByPath(document, "model.layers.0.kernel", "5").ok());
}

TEST(SetInShorthandTest, LossIsWordOrObject) {
  const auto loss = [](const JobSpec& spec) { return spec.model.output().loss; };
  EXPECT_EQ(loss(After(Terse(), {{"model.layers.2.loss.label_smoothing", "0.25"}})),
            nn::LossConf(nn::SoftmaxCrossEntropy().LabelSmoothing(0.25)));
  EXPECT_EQ(loss(After(Terse(), {{"model.layers.2.loss", "huber"}})), nn::LossConf(nn::Huber()));
  EXPECT_EQ(loss(After(Terse(), {{"model.layers.2.loss.type", "huber"},
                                 {"model.layers.2.loss.delta", "0.5"}})),
            nn::LossConf(nn::Huber(0.5)));
  EXPECT_EQ(loss(After(Terse(), {{"model.layers.2.loss.label_smoothing", "0.25"},
                                 {"model.layers.2.loss.type", "mean_absolute_error"}})),
            nn::LossConf(nn::MeanAbsoluteError()))
      << "a new type drops the keys of the old one";
  EXPECT_EQ(loss(After(Terse(), {{"model.layers.2.loss.class_weights", "balanced"}})),
            nn::LossConf(nn::SoftmaxCrossEntropy().BalancedClasses()));
  EXPECT_EQ(loss(After(Terse(), {{"model.layers.2.loss.class_weights", "[1,2]"}})),
            nn::LossConf(nn::SoftmaxCrossEntropy().ClassWeights({1, 2})));
  Json document = Terse();
  EXPECT_THAT(std::string(SetByPath(document, "model.layers.2.loss", "hubre").message()),
              HasSubstr("did you mean \"huber\"?"));
}

// Defaults that follow other values stay open: a name, a seed, the stride of a pooling layer.
TEST(SetInShorthandTest, OtherDefaultsStayOpen) {
  const JobSpec spec = After(
      Terse(), {{"model.name", "tiny"}, {"model.seed", "9"}, {"model.layers.1.kernel.0", "2"}});
  EXPECT_EQ(spec.name, "tiny");
  EXPECT_EQ(spec.seed, 9u);
  EXPECT_EQ(std::get<nn::MaxPool2D>(spec.model.layers[1].conf).window.stride, (nn::Extent2D{2, 3}));
}

TEST(SetInShorthandTest, MistakesHaveCauseAndRemedy) {
  struct Case {
    const char *path, *text, *message, *remedy;
  };
  for (const Case& c : {
           Case{"training.epochs", "abc", "\"abc\" is not a whole number", "from 1 to 1000000"},
           {"training.epochs", "99999999999999999999", "99999999999999999999 is out of range",
            "from 1 to 1000000"},
           {"training.epochs", "18446744073709551615", "is out of range", "from 1 to 1000000"},
           {"seed", "-99999999999999999999", "is out of range", "to 18446744073709551615"},
           {"model.l2", "1e999", "1e999 is out of range", "from 0 to 1000000"},
           {"model.l2", "x", "\"x\" is not a number", "from 0 to 1000000"},
           {"training.isa", "sse", "\"sse\" is none of avx2, avx512, avx512_bf16, amx",
            "avx2, avx512, avx512_bf16 or amx"},
           {"training.shuffle", "globl",
            "is none of global, partition, stream; did you mean \"global\"?",
            "global, partition or stream"},
           {"training.checkpoint.every_epoch", "yes", "is not true or false", "true or false"},
           {"data.train.paths", "a", "is not a list", "[\"a\",\"b\"]"},
           {"training.epoch", "1", "did you mean \"training.epochs\"?", "docs/job-spec.md"},
           {"model.layers.7.units", "1", "has no entry 7: it has 3 entries", "from 0 to 2"},
           {"model.layers.0.kernel.2", "1", "has no entry 2: it has 2 entries", "from 0 to 1"},
           {"model.layers.0.kernel.0", "x", "is not a whole number", "from 1 to 65536"},
           {"model.layers.0.kernel", "x", "is not a whole number", "one number for all, or JSON"},
       }) {
    Json document = Terse();
    const Status status = SetByPath(document, c.path, c.text);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << c.path;
    EXPECT_THAT(std::string(status.message()), HasSubstr(c.message));
    EXPECT_THAT(ErrorRemedy(status), HasSubstr(c.remedy)) << c.path;
    EXPECT_EQ(document, Terse()) << c.path << " changes nothing";
  }
}

// Settings use the keys of the present version. Setting another version would make the document
// invalid.
TEST(SetVersionTest, VersionOfDocumentCannotBeSet) {
  const std::string now = absl::StrCat(kJobDocument.version());
  const std::string model = absl::StrCat(nn::kModelDocument.version());
  EXPECT_EQ(After(Terse(), {{"format", now.c_str()}}), After(Terse(), {}));
  EXPECT_EQ(After(Terse(), {{"model.format", model.c_str()}}), After(Terse(), {}));
  for (const char* path : {"format", "model.format"}) {
    for (const char* version : {"0", "7", "-1"}) {
      Json document = Terse();
      for (const Status& status :
           {SetByPath(document, path, version), CheckSetting(path, version)}) {
        EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << path;
        EXPECT_THAT(std::string(status.message()),
                    HasSubstr(absl::StrCat(path, " states how the ")));
      }
      EXPECT_EQ(document, Terse());
    }
  }
}

TEST(SetVersionTest, NewerOrUnversionedDocumentIsUnchanged) {
  for (const char* version : {"7", "0", "\"1\"", "null"}) {
    for (const char* place : {"/format", "/model/format"}) {
      Json document = Terse();
      document[Json::json_pointer(place)] = Json::parse(version);
      const Json before = document;
      const Status status = SetByPath(document, "training.epochs", "3");
      EXPECT_THAT(std::string(status.message()), HasSubstr("format: "));
      EXPECT_EQ(document, before);
    }
  }
}

TEST(SetInShorthandTest, DocumentOfOtherShapeIsNamed) {
  Json list = Json::parse("[1]");
  const Status status = SetByPath(list, "training.epochs", "1");
  EXPECT_THAT(std::string(status.message()), HasSubstr("the document is not an object"));
  Json odd = Terse();
  odd["training"] = 5;
  EXPECT_THAT(std::string(SetByPath(odd, "training.epochs", "1").message()),
              HasSubstr("training is not an object"));
}

// --set accepts what `config show` prints, for every key of every kind of job.
void ForEachLeaf(const Json& json, const std::string& path,
                 const std::function<void(const std::string&, const Json&)>& visit) {
  if (json.is_object() && !json.empty()) {
    for (const auto& [key, value] : json.items())
      ForEachLeaf(value, path.empty() ? key : path + "." + key, visit);
    return;
  }
  if (!path.empty()) visit(path, json);
  if (!json.is_array()) return;
  for (size_t i = 0; i < json.size(); ++i) ForEachLeaf(json[i], absl::StrCat(path, ".", i), visit);
}

TEST(SetInShorthandTest, EveryKeyOfASpecTakesItsOwnValue) {
  std::vector<JobSpec> specs = SampleSpecs();
  specs.push_back(JobFromJson(Terse()).value());
  int tried = 0;
  for (const JobSpec& spec : specs) {
    const Json canonical = ToJson(spec);
    ForEachLeaf(canonical, "", [&](const std::string& path, const Json& value) {
      Json document = canonical;
      const Status status =
          SetByPath(document, path, value.is_string() ? value.get<std::string>() : value.dump());
      ASSERT_TRUE(status.ok()) << path << ": " << status;
      // A word may have become an object of that type.
      const auto same = JobFromJson(document);
      ASSERT_TRUE(same.ok()) << path << ": " << same.status();
      EXPECT_EQ(ToJson(*same), canonical) << path;
      ++tried;
    });
  }
  EXPECT_GT(tried, 480);
}

}  // namespace
}  // namespace dl::job
