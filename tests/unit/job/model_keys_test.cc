// Compares what the key table says about `model` with what the parser does: each default, bound and
// choice.
#include <algorithm>
#include <cmath>
#include <set>
#include <span>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "base/json.h"
#include "gtest/gtest.h"
#include "job/job_keys.h"
#include "tests/unit/job/sample_specs.h"

namespace dl::job {
namespace {

Json JobWith(nn::Sequential model, const nn::LayerConf& last) {
  if (!nn::EndsModel(last)) model.Layer(nn::Output(2));
  // Stateful layers require this order.
  auto spec = Job("keys")
                  .Model(model)
                  .Training(ParameterAveraging().Shuffle(ShuffleMode::kStream))
                  .Train(data::Idx("a", "b"))
                  .Test(data::Idx("c", "d"))
                  .Build();
  EXPECT_TRUE(spec.ok()) << spec.status();
  return spec.ok() ? ToJson(*spec) : Json();
}

// Returns documents that together contain every key of every type. They have each sample of each
// layer. Updaters, schedules and weight inits alternate.
std::vector<Json> Documents() {
  const std::vector<nn::Schedule> rates = {nn::Fixed(0.1),
                                           nn::StepSchedule(0.1, 0.5, 3),
                                           nn::CosineSchedule(0.1),
                                           nn::ExponentialSchedule(0.1, 0.5, 3),
                                           nn::InverseSchedule(0.1, 0.01),
                                           nn::PolynomialSchedule(0.1),
                                           nn::OneCycleSchedule({.initial = 0.1, .peak = 0.2}),
                                           nn::TableSchedule(0.1, {3}, {0.01}),
                                           nn::PlateauSchedule({.initial = 0.1})};
  const std::span<const nn::UpdaterType> types = nn::UpdaterTypes();
  std::vector<nn::UpdaterConf> updaters;
  for (size_t i = 0; i < std::max(rates.size(), types.size()); ++i) {
    updaters.push_back(types[i % types.size()].make_default());
    SetLearningRate(updaters.back(), rates[i % rates.size()]);
  }
  std::vector<Json> documents;
  for (const nn::LayerType& type : nn::LayerTypes()) {
    for (const nn::LayerSample& sample : type.samples()) {
      nn::Sequential model("m");
      // A loss layer alone has no parameters to train.
      if (std::holds_alternative<nn::LossLayer>(sample.layer)) model.Layer(nn::PRelu());
      model.Input(sample.input)
          .WeightInit(documents.size() % 2 == 0 ? nn::Normal(0.1) : nn::Uniform(0.1))
          .NormalizeGradients(nn::ClipNormPerLayer(1))
          .WeightConstraint(nn::MaxNorm(1))
          .Layer(sample.layer);
      documents.push_back(
          JobWith(model.Updater(updaters[documents.size() % updaters.size()]), sample.layer));
    }
  }
  for (const nn::Sequential& model :
       {VariableLengthModel(), SeveralInputsModel(), NamedInputModel(), VolumeModel()})
    documents.push_back(ToJson(SampleJob().Model(model).Build().value()));
  nn::Sequential weighted("m");
  weighted.Input(nn::FeedForward(4));
  documents.push_back(JobWith(
      weighted.Layer(nn::Dense(3).WeightInit(nn::Normal(1)).L1(0.1).L2(0.1).WeightDecay(0.1))
          .Layer(nn::Dense(3).WeightInit(nn::Uniform(1)).WeightConstraint(nn::MaxNorm(1))),
      nn::Dense()));
  // A key that is read and never written. The name of a layer in it would freeze that layer.
  Json unfrozen = documents.back();
  unfrozen["model"]["freeze_up_to"] = "";
  documents.push_back(std::move(unfrozen));
  return documents;
}

// Finds where a key of the table occurs in a document, for example "model.layers.0.units".
void FindPlaces(const Json& json, const std::string& pattern, const std::string& path,
                std::vector<std::string>& places) {
  if (pattern.empty()) {
    places.push_back(path);
    return;
  }
  const size_t end = pattern.find('.');
  std::string key = pattern.substr(0, end);
  const std::string rest = end == std::string::npos ? "" : pattern.substr(end + 1);
  const bool list = key.ends_with("[]");
  if (list) key.resize(key.size() - 2);
  if (!json.is_object() || !json.contains(key)) return;
  const std::string below = path.empty() ? key : absl::StrCat(path, ".", key);
  if (!list) return FindPlaces(json[key], rest, below, places);
  for (size_t i = 0; i < json[key].size(); ++i) {
    FindPlaces(json[key][i], rest, absl::StrCat(below, ".", i), places);
  }
}

Json& At(Json& document, const std::string& place) {
  return document[Json::json_pointer("/" + absl::StrReplaceAll(place, {{".", "/"}}))];
}

// Calls `visit(document, place)` for each occurrence of the key. Fails if the key occurs nowhere.
template <typename Visit>
void ForEachPlace(const nn::KeyRow& key, const std::vector<Json>& documents, Visit visit) {
  int found = 0;
  for (const Json& document : documents) {
    std::vector<std::string> places;
    FindPlaces(document, std::string(key.path), "", places);
    for (const std::string& place : places) visit(document, place);
    found += static_cast<int>(places.size());
  }
  EXPECT_GT(found, 0) << "no document of this test has " << key.path;
}

std::vector<nn::KeyRow> ModelRows() {
  std::vector<nn::KeyRow> rows;
  for (const nn::KeyRow& key : Keys()) {
    // It is read and never written. Its range is that of its type.
    if (key.path.starts_with("model") && key.path != "model.seed") rows.push_back(key);
  }
  return rows;
}

std::string MistakesOf(const Json& document) {
  const auto spec = JobFromJson(document);
  return spec.ok() ? "" : std::string(spec.status().message());
}

// Returns whether the parser accepts the number as a value of the key. The whole model may still be
// inconsistent.
bool IsInRange(const Json& document) {
  const std::string mistakes = MistakesOf(document);
  return !absl::StrContains(mistakes, "out of range") &&
         !absl::StrContains(mistakes, "extent of") &&
         !absl::StrContains(mistakes, "model.format: ");
}

TEST(ModelKeys, RangesMatchParser) {
  const std::vector<Json> documents = Documents();
  int tried = 0;
  for (const nn::KeyRow& key : ModelRows()) {
    const bool whole = key.type == KeyType::kInteger || key.type == KeyType::kIntegerList;
    if (!whole && key.type != KeyType::kNumber && key.type != KeyType::kNumberList) continue;
    ASSERT_LT(key.min, key.max + (key.path == "model.format")) << key.path << " has no range";
    const double below =
        whole ? key.min - 1 : key.min - (key.min == 0 ? 1e-6 : std::abs(key.min) / 2);
    const double above = whole ? key.max + 1 : key.max * (1 + 1e-9);
    bool takes_min = false, takes_max = false;
    ForEachPlace(key, documents, [&](const Json& document, const std::string& place) {
      const auto takes = [&](double value) {
        Json changed = document;
        const Json number = whole ? Json(static_cast<int64_t>(value)) : Json(value);
        Json& there = At(changed, place);
        // In a list, replaces each entry.
        there = there.is_array() ? Json(std::max<size_t>(1, there.size()), number) : number;
        return IsInRange(changed);
      };
      takes_min |= takes(key.min);
      takes_max |= takes(key.max);
      EXPECT_FALSE(takes(below)) << place << " takes " << below;
      EXPECT_FALSE(takes(above)) << place << " takes " << above;
    });
    // It suffices that one type with this key accepts the value. For example, a stage of a step
    // schedule has at least 1 step.
    EXPECT_TRUE(takes_min) << key.path << " does not take " << key.min;
    EXPECT_TRUE(takes_max) << key.path << " does not take " << key.max;
    ++tried;
  }
  EXPECT_GT(tried, 20);
}

// An omitted key has the default that the table states.
TEST(ModelKeys, DefaultsMatchParser) {
  const std::vector<Json> documents = Documents();
  for (const nn::KeyRow& key : ModelRows()) {
    if (key.standard == "-") continue;
    bool optional = false;
    ForEachPlace(key, documents, [&](const Json& document, const std::string& place) {
      const size_t dot = place.rfind('.');
      Json without = document;
      Json& object = dot == std::string::npos ? without : At(without, place.substr(0, dot));
      object.erase(place.substr(dot == std::string::npos ? 0 : dot + 1));
      const auto spec = JobFromJson(without);
      if (!spec.ok()) return;  // required, at least by this type
      optional = true;
      ASSERT_FALSE(key.standard.empty()) << place << " may be left out";
      Json stated = document;
      At(stated, place) = Json::parse(key.standard);
      const auto same = JobFromJson(stated);
      ASSERT_TRUE(same.ok()) << place << same.status();
      EXPECT_EQ(ToJson(*spec), ToJson(*same)) << place << " is not " << key.standard;
    });
    EXPECT_EQ(optional, !key.standard.empty()) << key.path;
  }
}

void CheckUpdaterDefaults() {
  const auto updater = [](const char* type) {
    const auto spec = JobFromText(
        absl::StrCat(R"({"model": {"input": {"type": "feed_forward", "features": 2}, "updater": ")",
                     type, R"(", "layers": [{"type": "output", "units": 2,
                     "loss": "mean_squared_error"}]}, "data": {"train": {"format": "csv",
                     "path": "a.csv"}}})"),
        "updater");
    EXPECT_TRUE(spec.ok()) << spec.status();
    return spec.ok() ? ToJson(*spec)["model"]["updater"] : Json();
  };
  EXPECT_EQ(updater("sgd")["learning_rate"]["initial"], 0.01);
  EXPECT_EQ(updater("adadelta")["learning_rate"]["initial"], 1.0);
  EXPECT_EQ(updater("rmsprop")["decay"], 0.9);
  EXPECT_EQ(updater("adadelta")["decay"], 0.95);
  EXPECT_EQ(updater("rmsprop")["momentum"], 0);
  for (const char* type : {"momentum", "nesterov", "lars"})
    EXPECT_EQ(updater(type)["momentum"], 0.9) << type;
  for (const char* type : {"adam", "adagrad", "rmsprop", "amsgrad", "nadam", "adamax", "adamw"})
    EXPECT_EQ(updater(type)["epsilon"], 1e-8) << type;
  for (const char* type : {"adadelta", "lamb"}) EXPECT_EQ(updater(type)["epsilon"], 1e-6) << type;
}

// Windows over steps have one number per key.
void CheckWindowsOverSteps() {
  const auto layer = [](const char* text) {
    std::vector<std::string> mistakes;
    const auto conf = nn::LayerFromJson(Json::parse(text), "layer", mistakes);
    EXPECT_TRUE(conf.has_value()) << text;
    return conf ? nn::ToJson(*conf) : Json();
  };
  const Json conv = layer(R"({"type": "conv1d", "filters": 1})");
  EXPECT_EQ(conv["kernel"], 3);
  EXPECT_EQ(conv["stride"], 1);
  EXPECT_EQ(conv["padding"], 0);
  EXPECT_EQ(conv["dilation"], 1);
  for (const char* pool : {R"({"type": "max_pool1d"})", R"({"type": "avg_pool1d"})"}) {
    EXPECT_EQ(layer(pool)["kernel"], 2);
    EXPECT_EQ(layer(pool)["stride"], 2);
    EXPECT_EQ(layer(pool)["padding"], 0);
  }
  EXPECT_EQ(layer(R"({"type": "max_pool1d", "kernel": 3})")["stride"], 3);
  EXPECT_EQ(layer(R"({"type": "conv1d", "filters": 1, "padding": "same"})")["padding"], "same");
}

void CheckAlphas() {
  const auto alpha = [](const char* type) {
    std::vector<std::string> mistakes;
    const auto conf =
        nn::LayerFromJson(Json{{"type", "activation"}, {"activation", type}}, "layer", mistakes);
    EXPECT_TRUE(conf.has_value()) << type;
    return conf ? nn::ToJson(*conf)["activation"]["alpha"] : Json();
  };
  EXPECT_EQ(alpha("leaky_relu"), 0.01);
  EXPECT_EQ(alpha("elu"), 1.0);
}

TEST(ModelKeys, DefaultsThatDependOnTheType) {
  const auto layer = [](const char* text) {
    std::vector<std::string> mistakes;
    const auto conf = nn::LayerFromJson(Json::parse(text), "layer", mistakes);
    EXPECT_TRUE(conf.has_value()) << text;
    return conf ? nn::ToJson(*conf) : Json();
  };
  const Json three = Json::array({3, 3}), two = Json::array({2, 2}), one = Json::array({1, 1});
  const Json conv = layer(R"({"type": "conv2d", "filters": 1})");
  EXPECT_EQ(conv["kernel"], three);
  EXPECT_EQ(conv["stride"], one);
  EXPECT_EQ(conv["dilation"], one);
  EXPECT_EQ(conv["padding"], Json::array({0, 0}));
  for (const char* pool : {R"({"type": "max_pool2d"})", R"({"type": "avg_pool2d"})"}) {
    EXPECT_EQ(layer(pool)["kernel"], two);
    EXPECT_EQ(layer(pool)["stride"], two);
  }
  EXPECT_EQ(layer(R"({"type": "max_pool2d", "kernel": 3})")["stride"], three);
  EXPECT_EQ(layer(R"({"type": "dense", "units": 1})")["activation"]["type"], "identity");
  EXPECT_EQ(layer(R"({"type": "simple_rnn", "units": 1})")["activation"]["type"], "tanh");
  for (const char* norm : {"batch_norm", "instance_norm", "layer_norm", "rms_norm"})
    EXPECT_EQ(layer((R"({"type": ")" + std::string(norm) + R"("})").c_str())["epsilon"], 1e-5);
  EXPECT_EQ(layer(R"({"type": "l2_normalize"})")["epsilon"], 1e-12);
  CheckUpdaterDefaults();
  CheckAlphas();
  CheckWindowsOverSteps();
  std::set<std::string> checked = {
      "model.updater.learning_rate", "model.updater.decay", "model.updater.epsilon",
      "model.updater.momentum", "model.layers[].activation.alpha", "model.layers[].activation",
      "model.layers[].epsilon", "model.layers[].kernel", "model.layers[].stride",
      "model.layers[].padding", "model.layers[].dilation",
      "model.layers[].name",  // tests/unit/nn_conf/sequential_test.cc
      // tests/unit/nn_conf/shared_weights_test.cc
      "model.layers[].weights_of", "model.input", "model.inputs"};
  for (const nn::KeyRow& key : ModelRows()) {
    if (key.standard == "-") {
      EXPECT_TRUE(checked.erase(std::string(key.path)))
          << "nobody tests what " << key.path << " is";
    }
  }
  EXPECT_TRUE(checked.empty()) << *checked.begin();
}

TEST(ModelKeys, EveryChoiceIsTakenAndNoOther) {
  const std::vector<Json> documents = Documents();
  const auto is_taken = [](const Json& document) {
    const std::string mistakes = MistakesOf(document);
    return !absl::StrContains(mistakes, "must be one of") &&
           !absl::StrContains(mistakes, "there is no layer type");
  };
  for (const nn::KeyRow& key : ModelRows()) {
    if (key.type != KeyType::kChoice) continue;
    std::vector<std::string> choices = absl::StrSplit(std::string(key.choices), '|');
    ForEachPlace(key, documents, [&](const Json& document, const std::string& place) {
      Json changed = document;
      for (const std::string& choice : choices) {
        At(changed, place) = choice;
        EXPECT_TRUE(is_taken(changed)) << place << " is not taken as " << choice;
      }
      At(changed, place) = "nonsense";
      const std::string mistakes = MistakesOf(changed);
      EXPECT_FALSE(is_taken(changed)) << place;
      // The list that the parser prints.
      if (const size_t list = mistakes.find("must be one of "); list != std::string::npos) {
        std::string known = mistakes.substr(list + 15);
        known = known.substr(0, known.find_first_of("\n;."));
        EXPECT_EQ(absl::StrReplaceAll(known, {{", ", "|"}}), key.choices) << place;
      }
    });
  }
}

}  // namespace
}  // namespace dl::job
