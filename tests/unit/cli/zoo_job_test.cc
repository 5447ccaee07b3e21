// Networks by name: the job that follows from a name and the data.
#include <cmath>
#include <filesystem>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "cli/exit_code.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nn/conf/zoo/zoo.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/cli/submit_program.h"

namespace dl::cli {
namespace {

using testing::HasSubstr;

class ZooJobTest : public testing::Test {
 protected:
  // Writes rows of two features whose sum determines the class.
  std::string Table(const std::string& name, int rows, const std::string& label = "") {
    const std::string path = folder_ / name;
    std::ofstream file(path);
    file << "a,b,kind\n";
    for (int i = 0; i < rows; ++i) {
      const int a = i % 7, b = i % 5;
      file << a << "," << b << "," << (label.empty() ? (a + b < 5 ? "low" : "high") : label)
           << "\n";
    }
    return path;
  }
  test::TempFolder folder_;
};

TEST_F(ZooJobTest, NameWithoutDataShowsPublishedNetwork) {
  for (const nn::zoo::ZooModel& zoo : nn::zoo::ZooModels()) {
    const Ended ended = DlSubmit({"run", std::string(zoo.name), "--dry-run", "--seed", "7"});
    EXPECT_EQ(ended.code, kSuccess) << ended.err;
    const Json spec = Json::parse(ended.out);
    EXPECT_EQ(spec["name"], zoo.name);
    EXPECT_EQ(spec["seed"], 7);
    EXPECT_FALSE(spec.contains("data"));
    EXPECT_THAT(ended.err, HasSubstr(absl::StrCat(zoo.parameters)));
  }
  const Ended ended = DlSubmit({"run", "resnet18"});
  EXPECT_EQ(ended.code, kUsage);
  EXPECT_THAT(ended.err, HasSubstr("resnet18 has no data to train on"));
}

TEST_F(ZooJobTest, FlagFreezesLayers) {
  const Ended ended = DlSubmit({"run", "lenet5", "--freeze-up-to", "conv1", "--dry-run"});
  ASSERT_EQ(ended.code, kSuccess) << ended.err;
  for (const Json& layer : Json::parse(ended.out)["model"]["layers"]) {
    if (!layer.contains("frozen")) continue;
    EXPECT_EQ(layer["frozen"], layer["name"] == "conv1") << layer;
  }
  const Ended wrong = DlSubmit({"run", "lenet5", "--freeze-up-to", "conv7", "--dry-run"});
  EXPECT_EQ(wrong.code, kUsage) << wrong.err;
  EXPECT_THAT(wrong.err, HasSubstr("--freeze-up-to"));
  EXPECT_THAT(wrong.err, HasSubstr("no layer \"conv7\""));
}

TEST_F(ZooJobTest, LeNet5LimitsItsGradientAndOthersKeepTheirLimit) {
  for (const auto& [name, limit] :
       {std::pair{"lenet5", 1.0}, {"lenet_a", 0.0}, {"mlp", 0.0}, {"word_lstm", 5.0}}) {
    const Ended ended = DlSubmit({"run", name, "--dry-run"});
    ASSERT_EQ(ended.code, kSuccess) << ended.err;
    EXPECT_EQ(Json::parse(ended.out)["model"]["clip_gradients_by_norm"], limit) << name;
  }
}

TEST_F(ZooJobTest, NameAndDataMakeJob) {
  const std::string train = Table("train.csv", 140), test = Table("test.csv", 35);
  const Ended ended = DlSubmit({"run", "mlp", "--train", train, "--test", test, "--epochs", "3",
                                "--data-dir", folder_ / "D", "--json"});
  EXPECT_EQ(ended.code, kSuccess) << ended.err;
  EXPECT_EQ(ended.last["state"], "SUCCEEDED");
  EXPECT_GT(ended.last["metrics"]["test"]["accuracy"].get<double>(), 0.9) << ended.last;
  const Ended dry = DlSubmit({"run", "mlp", "--train", train, "--dry-run"});
  EXPECT_EQ(dry.code, kSuccess) << dry.err;
  const Json spec = Json::parse(dry.out);
  EXPECT_EQ(spec["model"]["input"]["features"], 2);
  EXPECT_EQ(spec["model"]["layers"].back()["units"], 2);
  EXPECT_EQ(spec["data"]["train"]["path"], train);
}

// A table with words, missing values, and a part of the file as test set.
TEST_F(ZooJobTest, TypicalTableTrains) {
  std::ofstream file(folder_ / "pets.csv");
  file << "color,weight,kind\n";
  for (int i = 0; i < 200; ++i) {
    file << (i % 2 == 0   ? "red"
             : i % 3 == 0 ? ""
                          : "blue")
         << "," << (i % 9 == 0 ? "NA" : std::to_string(i % 7)) << (i % 2 == 0 ? ",cat" : ",dog")
         << "\n";
  }
  file << "rare,1,dog\n";
  file.close();
  const Ended ended = DlSubmit({"run", "mlp", "--train", folder_ / "pets.csv", "--test-fraction",
                                "0.25", "--epochs", "10", "--data-dir", folder_ / "D", "--json"});
  EXPECT_EQ(ended.code, kSuccess) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("201 rows, fields separated by \",\", with a header"));
  EXPECT_THAT(ended.err, HasSubstr("\"NA\" means that a value is missing"));
  EXPECT_EQ(ended.last["examples"], 10 * 151) << "25 of 100 and 25 of 101 are the test set";
  EXPECT_GT(ended.last["metrics"]["test"]["accuracy"].get<double>(), 0.95) << ended.last;
}

// Malformed data is not a wrong configuration, whatever its format.
TEST_F(ZooJobTest, MalformedDataGives65) {
  const auto code = [&](const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    const Ended ended = DlSubmit({"run", "mlp", "--train", folder_ / name, "--dry-run"});
    EXPECT_THAT(ended.err, HasSubstr(folder_ / name));
    return ended.code;
  };
  EXPECT_EQ(code("short.csv", "a,b,y\n1,2,A\n3,4,B\n5,6\n"), kBadData);
  EXPECT_EQ(code("latin.csv", "a,b,y\n1,2,\xe4\n3,4,\xf6\n5,6,\xe4\n"), kBadData);
  EXPECT_EQ(code("empty.csv", ""), kBadData);
  EXPECT_EQ(code("rows.libsvm", "1 1:x\n"), kBadData);
}

TEST_F(ZooJobTest, UnknownNetworkErrorListsNetworks) {
  const std::string table = Table("t.csv", 60);
  for (const auto& [name, meant] : std::vector<std::pair<std::string, std::string>>{
           {"resnet34", "resnet18"}, {"ResNet-18", "resnet18"}, {"MLP", "mlp"}}) {
    const Ended ended = DlSubmit({"run", name, "--train", table, "--dry-run"});
    EXPECT_EQ(ended.code, kNotFound) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr(absl::StrCat("there is no network \"", name,
                                                  "\"; did you mean \"", meant, "\"?")));
    EXPECT_THAT(ended.err, HasSubstr("The networks are"));
  }
}

TEST_F(ZooJobTest, DataIsNamedByItsContent) {
  const std::string table = Table("t.csv", 60), bare = folder_ / "adult";
  std::filesystem::copy(table, bare);
  EXPECT_EQ(DlSubmit({"run", "mlp", "--train", bare, "--dry-run"}).code, kSuccess);
  const std::string webp = folder_ / "cat.webp";
  std::ofstream(webp, std::ios::binary) << std::string("RIFF\1\0\0\0WEBPVP8 ", 16);
  const Ended image = DlSubmit({"run", "mlp", "--train", webp, "--dry-run"});
  EXPECT_EQ(image.code, kBadData) << image.err;
  EXPECT_THAT(image.err, HasSubstr("the file is a WebP image"));
  const Ended none = DlSubmit({"run", "mlp", "--train", folder_ / "adlut", "--dry-run"});
  EXPECT_EQ(none.code, kBadData) << none.err;
  EXPECT_THAT(none.err, HasSubstr("did you mean \"adult\""));
  for (const char* stream : {"-", "/dev/zero"}) {
    const Ended ended = DlSubmit({"run", "mlp", "--train", stream, "--dry-run"});
    EXPECT_EQ(ended.code, kBadData) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr("data is read more than once"));
  }
}

// The labels of IDX images are in a file next to them with a corresponding name.
TEST_F(ZooJobTest, IdxLabelsAreFoundInSameFolder) {
  const std::string images = folder_ / "new-images-idx3-ubyte";
  const std::string labels = folder_ / "new-labels-idx1-ubyte";
  std::string pixels("\0\0\x08\x03\0\0\0\x14\0\0\0\x02\0\0\0\x02", 16);
  std::string classes("\0\0\x08\x01\0\0\0\x14", 8);
  for (int i = 0; i < 20; ++i) {
    pixels += std::string(4, static_cast<char>(i * 10));
    classes += static_cast<char>(i % 3);
  }
  std::ofstream(images, std::ios::binary) << pixels;
  const Ended alone = DlSubmit({"run", "mlp", "--train", images, "--dry-run"});
  EXPECT_EQ(alone.code, kBadData) << alone.err;
  EXPECT_THAT(alone.err, HasSubstr("they are in another file"));
  EXPECT_THAT(alone.err, HasSubstr("\"labels\":\"" + labels + "\""));
  std::ofstream(labels, std::ios::binary) << classes;
  const Ended ended = DlSubmit({"run", "mlp", "--train", images, "--dry-run"});
  ASSERT_EQ(ended.code, kSuccess) << ended.err;
  const Json spec = Json::parse(ended.out);
  EXPECT_EQ(spec["data"]["train"]["format"], "idx");
  EXPECT_EQ(spec["data"]["train"]["labels"], labels);
  EXPECT_EQ(spec["model"]["layers"].back()["units"], 3);
  std::filesystem::rename(labels, labels + ".gz");  // the content decides how it is read
  EXPECT_EQ(DlSubmit({"run", "mlp", "--train", images, "--dry-run"}).code, kSuccess);
}

// Prices are about 100,000: a network can learn them only if the targets are scaled. All figures
// that a user sees are prices.
TEST_F(ZooJobTest, RegressionPredictsInUnitOfData) {
  const std::string path = folder_ / "homes.csv";
  std::ofstream file(path);
  file << "area,rooms,price\n";
  for (int i = 0; i < 240; ++i) {
    const int area = 40 + i % 61, rooms = 1 + i % 5;
    file << area << "," << rooms << "," << 5000.5 * area + 20000 * rooms + 1e5 << "\n";
  }
  file.close();
  const Ended ended = DlSubmit({"run", "mlp", "--train", path, "--regression", "--test-fraction",
                                "0.25", "--epochs", "30", "--data-dir", folder_ / "D", "--json"});
  ASSERT_EQ(ended.code, kSuccess) << ended.err;
  EXPECT_LT(ended.last["metrics"]["test"]["loss"].get<double>(), 0.02) << ended.last;

  const Ended evaluated = DlSubmit({"evaluate", "mlp-1", "--json", "--data-dir", folder_ / "D"});
  ASSERT_EQ(evaluated.code, kSuccess) << evaluated.err;
  const Json figures = evaluated.last["outputs"][0];
  EXPECT_GT(figures["r2"].get<double>(), 0.98) << figures;
  EXPECT_GT(figures["mae"].get<double>(), 50) << "prices, not scaled ones: " << figures;
  EXPECT_LT(figures["mae"].get<double>(), 15000) << figures;

  const std::string home = folder_ / "home.csv";
  std::ofstream(home) << "area,rooms,price\n70,3,0\n";
  const Ended predicted = DlSubmit(
      {"predict", "mlp-1", "--data", home, "--format", "jsonl", "--data-dir", folder_ / "D"});
  ASSERT_EQ(predicted.code, kSuccess) << predicted.err;
  EXPECT_NEAR(predicted.last["outputs"][0].get<double>(), 510035, 40000) << predicted.out;

  const std::string weights = folder_ / "m.safetensors";
  const Ended exported = DlSubmit({"export", "mlp-1", "-o", weights, "--data-dir", folder_ / "D"});
  ASSERT_EQ(exported.code, kSuccess) << exported.err;
  std::ifstream content(weights, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(content)), {});
  EXPECT_THAT(bytes, HasSubstr("\"target_normalizer\":\"{\\\"kind\\\":\\\"standardize"));
}

// 48 different prices are guessed to be numbers. A network for classes then reports which networks
// predict numbers.
TEST_F(ZooJobTest, GuessedNumbersMakeRegression) {
  const std::string path = folder_ / "prices.csv", rows = folder_ / "rows.libsvm";
  std::ofstream table(path), sparse(rows);
  table << "area,price\n";
  for (int i = 0; i < 48; ++i) {
    table << 40 + i % 9 << "," << 1000.5 * i << "\n";
    sparse << 1000.5 * i << " 0:" << 40 + i % 9 << " 1:2\n";
  }
  table.close();
  sparse.close();
  const std::string test = folder_ / "test.libsvm";
  std::ofstream(test) << "7 1:3\n8 1:4\n";
  const Ended guessed = DlSubmit({"run", "mlp", "--train", path, "--dry-run"});
  ASSERT_EQ(guessed.code, kSuccess) << guessed.err;
  EXPECT_EQ(Json::parse(guessed.out)["model"]["layers"].back()["loss"], "mean_squared_error");
  const Ended classes = DlSubmit({"run", "mlp", "--train", path, "--classes", "--dry-run"});
  ASSERT_EQ(classes.code, kSuccess) << classes.err;
  EXPECT_EQ(Json::parse(classes.out)["model"]["layers"].back()["units"], 48);

  const Ended libsvm = DlSubmit({"run", "mlp", "--train", rows, "--test", test, "--dry-run"});
  ASSERT_EQ(libsvm.code, kSuccess) << libsvm.err;
  const Json data = Json::parse(libsvm.out)["data"];
  EXPECT_EQ(data["test"]["label_type"], "number") << "two whole numbers alone look like classes";
  EXPECT_EQ(data["test"]["index_base"], 0);

  std::ofstream(folder_ / "prices.json") << R"({"format": "csv", "path": "prices.csv"})";
  const Ended document =
      DlSubmit({"run", "mlp", "--train", folder_ / "prices.json", "--regression", "--dry-run"});
  ASSERT_EQ(document.code, kSuccess) << document.err;
  EXPECT_EQ(Json::parse(document.out)["data"]["train"]["label_type"], "number");
  const Ended unet = DlSubmit({"run", "unet", "--train", path, "--dry-run"});
  EXPECT_EQ(unet.code, kInvalidConfig) << unet.err;
  EXPECT_THAT(unet.err, HasSubstr("unet predicts classes"));
  EXPECT_THAT(unet.err, HasSubstr("give --classes"));
}

// A value of a wave has two possible successors. A window of values distinguishes them.
TEST_F(ZooJobTest, WindowPredictsNextValueOfTimeSeries) {
  std::ofstream series(folder_ / "wave.csv");
  series << "load\n";
  for (int i = 0; i < 400; ++i) series << 100 + 10 * std::sin(0.7 * i) << "\n";
  series.close();
  std::ofstream(folder_ / "wave.json")
      << R"({"format": "csv", "path": "wave.csv", "label_type": "number",)"
      << R"( "sequences": {"window": 6, "horizon": 1}})";
  const Ended ended = DlSubmit({"run", "mlp", "--train", folder_ / "wave.json", "--test-fraction",
                                "0.25", "--epochs", "12", "--data-dir", folder_ / "D", "--json"});
  ASSERT_EQ(ended.code, kSuccess) << ended.err;
  EXPECT_EQ(ended.last["examples"], 12 * 289) << "the last 99 of 394 windows are the test set";
  const Ended evaluated = DlSubmit({"evaluate", "mlp-1", "--json", "--data-dir", folder_ / "D"});
  ASSERT_EQ(evaluated.code, kSuccess) << evaluated.err;
  EXPECT_GT(evaluated.last["outputs"][0]["r2"].get<double>(), 0.98) << evaluated.last;

  const Ended imported = DlSubmit({"import", folder_ / "wave.json", "--data-dir", folder_ / "D"});
  ASSERT_EQ(imported.code, kSuccess) << imported.err;
  EXPECT_THAT(imported.out, HasSubstr("sequences of 6 steps, 1 feature"));
}

// Unix times within one minute of 2023. The class depends on the second, which float32 keeps only
// if the times are shifted first.
TEST_F(ZooJobTest, TimesAreShiftedBeforeRounding) {
  std::ofstream file(folder_ / "times.csv");
  file << "t,y\n";
  for (int i = 0; i < 600; ++i)
    file << 1700000000 + i % 60 << "," << (i % 60 < 30 ? "early" : "late") << "\n";
  file.close();
  const Ended ended = DlSubmit({"run", "mlp", "--train", folder_ / "times.csv", "--set",
                                "data.train.categorical_columns=[]", "--test-fraction", "0.25",
                                "--epochs", "10", "--data-dir", folder_ / "D", "--json"});
  ASSERT_EQ(ended.code, kSuccess) << ended.err;
  EXPECT_GT(ended.last["metrics"]["test"]["accuracy"].get<double>(), 0.95) << ended.last;
}

TEST_F(ZooJobTest, DataSettingsDecideShape) {
  std::ofstream file(folder_ / "wine.csv");
  file << "kind,a,b,c\n";
  for (int i = 0; i < 60; ++i) file << "k" << i % 3 << "," << i % 7 << "," << i % 5 << ",1.5\n";
  file.close();
  const Ended first = DlSubmit({"run", "mlp", "--train", folder_ / "wine.csv", "--set",
                                "data.train.label_column=kind", "--dry-run"});
  ASSERT_EQ(first.code, kSuccess) << first.err;
  const Json by_label = Json::parse(first.out);
  EXPECT_EQ(by_label["model"]["layers"].back()["units"], 3);
  EXPECT_EQ(by_label["model"]["input"]["features"], 3);

  const Ended second =
      DlSubmit({"run", "mlp", "--train", folder_ / "wine.csv", "--set", "data.train.label_column=a",
                "--set", "data.train.label_type=number", "--dry-run"});
  ASSERT_EQ(second.code, kSuccess) << second.err;
  const Json numbers = Json::parse(second.out);
  EXPECT_EQ(numbers["model"]["layers"].back()["loss"], "mean_squared_error");
  EXPECT_EQ(numbers["training"]["target_normalizer"], "standardize");
  EXPECT_EQ(numbers["model"]["input"]["features"], 5) << "a column for each kind";
}

// A dry run reads neither texts for the test set nor weights, but finds out that they are missing.
TEST_F(ZooJobTest, DryRunReportsMissingFiles) {
  std::ofstream file(folder_ / "book.txt");
  for (int i = 0; i < 200; ++i) file << "the quick brown fox jumps over the lazy dog " << i << "\n";
  file.close();
  const Ended text = DlSubmit(
      {"run", "gpt", "--train", folder_ / "book.txt", "--test", folder_ / "gone.txt", "--dry-run"});
  EXPECT_EQ(text.code, kBadData) << text.out;
  EXPECT_EQ(text.out, "");
  EXPECT_THAT(text.err, HasSubstr("data.test, " + (folder_ / "gone.txt")));
  const Ended weights = DlSubmit({"run", "mlp", "--train", Table("train.csv", 40), "--weights",
                                  folder_ / "gone.safetensors", "--dry-run"});
  EXPECT_EQ(weights.code, kBadData) << weights.out;
  EXPECT_THAT(weights.err, HasSubstr("gone.safetensors"));
}

TEST_F(ZooJobTest, EndOfTextIsTestSet) {
  std::ofstream file(folder_ / "book.txt");
  for (int i = 0; i < 200; ++i) file << "the quick brown fox jumps over the lazy dog " << i << "\n";
  file.close();
  for (const char* name : {"gpt", "char_lstm", "bert"}) {
    const Ended ended = DlSubmit(
        {"run", name, "--train", folder_ / "book.txt", "--test-fraction", "0.1", "--dry-run"});
    ASSERT_EQ(ended.code, kSuccess) << ended.err;
    const Json data = Json::parse(ended.out)["data"];
    EXPECT_EQ(data["split"]["take"], "last") << name;
    const bool has_words = name == std::string("bert");
    EXPECT_EQ(data["train"]["unknown_character"], has_words ? "error" : "token") << name;
  }
}

TEST_F(ZooJobTest, UnsuitableDataIsReported) {
  const std::string train = Table("train.csv", 40);
  const auto fails = [&](const std::vector<std::string>& words, int code,
                         const std::string& message) {
    std::vector<std::string> all = {"run"};
    all.insert(all.end(), words.begin(), words.end());
    all.push_back("--dry-run");
    const Ended ended = DlSubmit(std::move(all));
    EXPECT_EQ(ended.code, code) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr(message));
  };
  fails({"resnet18", "--train", train}, kInvalidConfig,
        "needs an image, but its input is 2 features");
  fails({"resnet81"}, kNotFound, "did you mean \"resnet18\"?");
  for (const char* gone : {"gone.csv", "gone.json", "gone.libsvm", "gone.npz"})
    fails({"mlp", "--train", folder_ / gone}, kBadData, gone);
  for (const char* gone : {"gone.csv", "gone.json"})
    fails({"mlp", "--train", train, "--test", folder_ / gone}, kBadData, gone);
  fails({"gpt", "--train", folder_ / "gone.txt"}, kBadData, "gone.txt");
  std::ofstream(folder_ / "rows.train") << "1 1:1\n";
  fails({"mlp", "--train", folder_ / "rows.train"}, kBadData, "the file holds rows of libsvm");
  fails({"mlp", "--test", train}, kUsage, "--test needs --train");
  fails({"mlp", "--train", train, "--test-fraction", "1.5"}, kUsage, "\"1.5\" is not a fraction");
  fails({"mlp", "--train", train, "--test", train, "--test-fraction", "0.5"}, kUsage,
        "both define the test set");
  fails({"mlp", "--test-fraction", "0.5"}, kUsage, "--test-fraction needs --train");
  fails({"mlp", "--regression"}, kUsage, "--regression needs --train");
  std::ofstream(folder_ / "book.txt") << std::string(2000, 'a');
  fails({"gpt", "--train", folder_ / "book.txt", "--regression"}, kUsage,
        "data of the format text has classes");
  fails({"gpt", "--train", folder_ / "book.txt", "--drop", "a"}, kUsage,
        "--drop applies to a bare table");
  fails({"gpt", "--train", folder_ / "book.txt", "--example-weights", "w"}, kUsage,
        "examples of a text have no weights");
  fails({"mlp", "--train", train, "--test-fraction", "0.5", "--test-example-weights", "w"}, kUsage,
        "--test-example-weights needs --test");
  fails({"lenet_fashion_mnist", "--train", train}, kUsage, "apply only to a zoo network");
  fails({"mlp", "--train", train, "--", "x"}, kUsage, "are arguments of a job program");
}

}  // namespace
}  // namespace dl::cli
