#include "launch/import/weights_import.h"

#include <sys/stat.h>

#include <cstring>
#include <limits>
#include <map>

#include "absl/strings/str_cat.h"
#include "base/checksum.h"
#include "base/json.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "launch/import/safetensors_file.h"
#include "nn/conf/sequential.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/rpc/fake_master.h"

namespace dl::launch {
namespace {

using test::IsError;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A master that stores the blocks that it receives.
class KeepsBlocks : public rpc::FakeMaster {
 public:
  KeepsBlocks() {
    on_put_blocks = [this](const rpc::PutBlocksRequest& request) {
      size_t at = 0;
      for (size_t i = 0; i < request.sizes.size(); ++i) {
        blocks[request.sha256[i]] = request.bytes.substr(at, request.sizes[i]);
        at += request.sizes[i];
      }
    };
  }
  StatusOr<rpc::MissingBlocksReply> MissingBlocks(const rpc::MissingBlocksRequest& request,
                                                  Duration) override {
    return rpc::MissingBlocksReply{.missing = request.sha256};
  }
  std::map<std::string, std::string> blocks;
};

template <typename T>
std::string BytesOf(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

std::vector<float> FloatsOf(const std::string& bytes) {
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

struct Entry {
  std::string name, dtype;
  std::vector<int64_t> shape;
  std::string bytes;
};

std::string FileOf(const std::vector<Entry>& entries) {
  Json header = {{"__metadata__", {{"format", "pt"}}}};
  std::string values;
  for (const Entry& entry : entries) {
    header[entry.name] = {{"dtype", entry.dtype},
                          {"shape", entry.shape},
                          {"data_offsets", {values.size(), values.size() + entry.bytes.size()}}};
    values += entry.bytes;
  }
  const std::string text = header.dump();
  return BytesOf(std::vector<uint64_t>{text.size()}) + text + values;
}

class WeightsImport : public testing::Test {
 protected:
  // A model with two inputs, one hidden unit and a normalization.
  static nn::ModelConfig Model(int64_t outputs = 2) {
    return nn::Sequential("small")
        .Input(nn::FeedForward(2))
        .Layer(nn::Dense(1).Name("hidden"))
        .Layer(nn::BatchNorm().Name("norm"))
        .Layer(nn::Output(outputs).Loss(nn::SoftmaxCrossEntropy()).Name("out"))
        .Build()
        .value();
  }
  static std::vector<Entry> AllOf(const std::string& dense, const std::string& norm) {
    return {{dense + ".weight", "F32", {1, 2}, BytesOf<float>({1, 2})},
            {dense + ".bias", "F32", {1}, BytesOf<float>({3})},
            {norm + ".weight", "F32", {1}, BytesOf<float>({4})},
            {norm + ".bias", "F32", {1}, BytesOf<float>({5})},
            {norm + ".running_mean", "F32", {1}, BytesOf<float>({6})},
            {norm + ".running_var", "F32", {1}, BytesOf<float>({7})},
            {norm + ".num_batches_tracked", "I64", {}, std::string(8, '\0')},
            {"out.weight", "F32", {2, 1}, BytesOf<float>({8, 9})},
            {"out.bias", "F32", {2}, BytesOf<float>({10, 11})}};
  }
  StatusOr<job::ImportedWeights> Import(const std::vector<Entry>& entries,
                                        job::SafetensorsWeights source = {},
                                        const nn::ModelConfig& model = Model()) {
    source.path = folder_.Write("w.safetensors", FileOf(entries));
    said_.clear();
    return ImportWeights(source, model,
                         {.progress = [this](const std::string& line) { said_ += line + "\n"; }},
                         master_);
  }
  std::vector<float> Values(const job::ImportedWeights& weights) {
    std::string all;
    for (const std::string& block : weights.blocks) {
      EXPECT_EQ(Sha256Hex(master_.blocks.at(block)), block);
      all += master_.blocks.at(block);
    }
    return FloatsOf(all);
  }

  test::TempFolder folder_;
  KeepsBlocks master_;
  std::string said_;
};

TEST_F(WeightsImport, FindsOwnAndPyTorchNames) {
  const auto weights = Import(AllOf("hidden", "norm"));
  DL_ASSERT_OK(weights);
  EXPECT_THAT(weights->tensors,
              ElementsAre("hidden.weight", "hidden.bias", "norm.gamma", "norm.beta", "out.weight",
                          "out.bias", "norm.mean", "norm.variance"));
  EXPECT_THAT(Values(*weights), ElementsAre(1, 2, 3, 4, 5, 8, 9, 10, 11, 6, 7));
  EXPECT_THAT(said_, HasSubstr("took 8 of the model's 8 tensors"));
}

TEST_F(WeightsImport, MapsNamesOfLayersAndTensors) {
  std::vector<Entry> entries = AllOf("features.0", "features.1");
  entries[1].name = "elsewhere";
  job::SafetensorsWeights source;
  source.Name("hidden", "features.0").Name("norm", "features.1").Name("hidden.bias", "elsewhere");
  const auto weights = Import(entries, source);
  DL_ASSERT_OK(weights);
  EXPECT_THAT(Values(*weights), ElementsAre(1, 2, 3, 4, 5, 8, 9, 10, 11, 6, 7));
}

TEST_F(WeightsImport, ListsAllMissingTensors) {
  std::vector<Entry> entries = AllOf("hiden", "norm");
  const auto weights = Import(entries, {}, Model(3));
  EXPECT_THAT(weights,
              IsError(absl::StatusCode::kInvalidArgument,
                      "the file has no tensor hidden.weight; did you mean \"hiden.weight\"?"));
  EXPECT_THAT(weights,
              IsError(absl::StatusCode::kInvalidArgument,
                      "out.weight has the shape [3, 1], but out.weight in the file has [2, 1]"));
  EXPECT_THAT(weights, IsError(absl::StatusCode::kInvalidArgument, "initial_weights.missing"));
  EXPECT_TRUE(master_.blocks.empty());
}

TEST_F(WeightsImport, CommonPrefixIsNamedWithRemedy) {
  std::vector<Entry> entries = AllOf("hidden", "norm");
  for (Entry& entry : entries) entry.name = "module." + entry.name;
  const auto refused = Import(entries, {});
  EXPECT_THAT(refused,
              IsError(absl::StatusCode::kInvalidArgument, "tensors: module.hidden.bias, "));
  EXPECT_THAT(refused,
              IsError(absl::StatusCode::kInvalidArgument, "all of them begin with \"module.\""));
  EXPECT_THAT(ErrorRemedy(refused.status()), HasSubstr("\"hidden=module.hidden\""));
  EXPECT_THAT(ErrorRemedy(refused.status()), HasSubstr("\"norm=module.norm\""));
  job::SafetensorsWeights source;
  for (const char* layer : {"hidden", "norm", "out"})
    source.Name(layer, absl::StrCat("module.", layer));
  DL_EXPECT_OK(Import(entries, source));
}

TEST_F(WeightsImport, MissingTensorsAreInitializedBySeed) {
  job::SafetensorsWeights source;
  source.OthersBySeed();
  const auto weights = Import(AllOf("hidden", "norm"), source, Model(3));
  DL_ASSERT_OK(weights);
  EXPECT_THAT(weights->tensors, ElementsAre("hidden.weight", "hidden.bias", "norm.gamma",
                                            "norm.beta", "norm.mean", "norm.variance"));
  EXPECT_THAT(said_, HasSubstr("took 6 of the model's 8 tensors"));
  EXPECT_THAT(
      said_,
      HasSubstr("by the seed: out.bias has the shape [3], but out.bias in the file has [2]"));
  // If the file has no tensor of the model, this is an error even though tensors may be missing.
  EXPECT_THAT(Import({{"x", "F32", {1}, BytesOf<float>({1})}}, source),
              IsError(absl::StatusCode::kInvalidArgument, "none of the model's tensors"));
}

// A tensor that the spec names must exist.
TEST_F(WeightsImport, UnknownNameIsRefused) {
  job::SafetensorsWeights source;
  source.Name("hidden", "features.0").OthersBySeed();
  EXPECT_THAT(Import(AllOf("features.9", "norm"), source),
              IsError(absl::StatusCode::kInvalidArgument,
                      "neither a tensor features.0 nor tensors of a layer of that name; did you "
                      "mean \"features.9\"?"));
}

TEST_F(WeightsImport, LargeTensorsAreCutIntoBlocks) {
  constexpr int64_t kInputs = 3000, kUnits = 2000;  // 24 MB: two blocks
  const nn::ModelConfig model = nn::Sequential("wide")
                                    .Input(nn::FeedForward(kInputs))
                                    .Layer(nn::Dense(kUnits).NoBias().Name("wide"))
                                    .Layer(nn::Output(2).Loss(nn::SoftmaxCrossEntropy()))
                                    .Build()
                                    .value();
  std::vector<float> values(kInputs * kUnits);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  job::SafetensorsWeights source;
  source.OthersBySeed();
  const auto weights =
      Import({{"wide.weight", "F32", {kUnits, kInputs}, BytesOf(values)}}, source, model);
  DL_ASSERT_OK(weights);
  EXPECT_EQ(weights->blocks.size(), 2u);
  EXPECT_TRUE(Values(*weights) == values);
}

class SafetensorsFiles : public testing::Test {
 protected:
  StatusOr<std::vector<float>> Read(const Entry& entry) {
    DL_ASSIGN_OR_RETURN(const SafetensorsFile file,
                        SafetensorsFile::Open(folder_.Write("f", FileOf({entry}))));
    std::vector<float> values(file.tensors().at(entry.name).elements);
    DL_RETURN_IF_ERROR(file.Read(entry.name, 0, values));
    return values;
  }
  Status Opened(const std::string& bytes) {
    return SafetensorsFile::Open(folder_.Write("f", bytes)).status();
  }
  test::TempFolder folder_;
};

// IEEE 754: 0x3c00 is 1, 0x0001 is 2^-24, 0x7bff is 65504. A bfloat16 is the upper half of a
// float32.
TEST_F(SafetensorsFiles, FourTypesAreReadAsFloat32) {
  EXPECT_THAT(*Read({"t", "F16", {5}, BytesOf<uint16_t>({0x3c00, 0xc100, 0x0001, 0x7bff, 0x8000})}),
              ElementsAre(1, -2.5, std::ldexp(1.0f, -24), 65504, -0.0f));
  EXPECT_THAT(*Read({"t", "BF16", {2}, BytesOf<uint16_t>({0x3f80, 0xc040})}), ElementsAre(1, -3));
  EXPECT_THAT(*Read({"t", "F64", {2}, BytesOf<double>({0.1, -1e-300})}), ElementsAre(0.1f, -0.0f));
  EXPECT_THAT(*Read({"t", "F32", {2, 1}, BytesOf<float>({0.1f, 2})}), ElementsAre(0.1f, 2));
  EXPECT_THAT(Read({"t", "I32", {1}, BytesOf<int32_t>({1})}),
              IsError(absl::StatusCode::kInvalidArgument, "is of type I32"));
}

TEST_F(SafetensorsFiles, NonFiniteValuesAreRefused) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  EXPECT_THAT(Read({"t", "F32", {3}, BytesOf<float>({1, kInfinity, 2})}),
              IsError(absl::StatusCode::kInvalidArgument, "value 1 of the tensor t"));
  EXPECT_THAT(Read({"t", "F64", {1}, BytesOf<double>({1e300})}),
              IsError(absl::StatusCode::kInvalidArgument, "not finite"));
  EXPECT_THAT(Read({"t", "F16", {1}, BytesOf<uint16_t>({0x7e00})}),
              IsError(absl::StatusCode::kInvalidArgument, "not finite"));
}

// The format allows no bytes outside of tensors. A file that has some is damaged or mislabelled.
TEST_F(SafetensorsFiles, BytesOutsideOfTensorsAreRefused) {
  const auto opened = [&](const std::string& a, const std::string& b, size_t bytes) {
    const auto entry = [](const std::string& offsets) {
      return R"({"dtype":"F32","shape":[1],"data_offsets":)" + offsets + "}";
    };
    const std::string header = absl::StrCat("{\"a\":", entry(a), ",\"b\":", entry(b), "}");
    return Opened(BytesOf<uint64_t>({header.size()}) + header + std::string(bytes, '\0'));
  };
  constexpr auto kBad = absl::StatusCode::kInvalidArgument;
  DL_EXPECT_OK(opened("[0,4]", "[4,8]", 8));
  DL_EXPECT_OK(opened("[4,8]", "[0,4]", 8));
  EXPECT_THAT(opened("[0,4]", "[4,8]", 11), IsError(kBad, "has 3 bytes after b"));
  EXPECT_THAT(opened("[0,4]", "[6,10]", 10),
              IsError(kBad, "has 2 bytes between a and its tensor "));
  EXPECT_THAT(opened("[4,8]", "[8,12]", 12),
              IsError(kBad, "has 4 bytes between the header and its tensor a"));
  EXPECT_THAT(opened("[0,4]", "[2,6]", 6), IsError(kBad, "its tensors a and b overlap"));
  EXPECT_THAT(opened("[0,4]", "[0,4]", 4), IsError(kBad, "its tensors a and b overlap"));
  EXPECT_THAT(Opened(FileOf({}) + "x"), IsError(kBad, "has 1 bytes after the header"));
}

TEST_F(SafetensorsFiles, OtherFileIsRefused) {
  const std::string good = FileOf({{"t", "F32", {2}, BytesOf<float>({1, 2})}});
  DL_EXPECT_OK(Opened(good));
  EXPECT_THAT(Opened(""), IsError(absl::StatusCode::kInvalidArgument, "too short"));
  EXPECT_THAT(Opened("PK\x03\x04 a zip of torch.save"),
              IsError(absl::StatusCode::kInvalidArgument, "torch.save"));
  EXPECT_THAT(Opened(good.substr(0, good.size() - 1)),
              IsError(absl::StatusCode::kInvalidArgument, "outside of the file"));
  for (const auto& [entry, said] :
       {std::pair(R"({"dtype":"F32","shape":[3],"data_offsets":[0,8]})", "3 values of type F32"),
        std::pair(R"({"dtype":"F32","shape":[-2],"data_offsets":[0,8]})", "t.shape"),
        std::pair(R"({"dtype":"F32","shape":[2],"data_offsets":[8,0]})", "outside"),
        std::pair(R"({"dtype":"F32","shape":[2]})", "data_offsets"),
        std::pair(R"({"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,8]})",
                  "too large"),
        std::pair("7", "t")}) {
    const std::string header = std::string("{\"t\":") + entry + "}";
    EXPECT_THAT(Opened(BytesOf<uint64_t>({header.size()}) + header + std::string(8, 'x')),
                IsError(absl::StatusCode::kInvalidArgument, said))
        << entry;
  }
  EXPECT_THAT(SafetensorsFile::Open(folder_ / "none"),
              IsError(absl::StatusCode::kNotFound, "no weights file"));
  const std::string pipe = folder_ / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THAT(SafetensorsFile::Open(pipe),
              IsError(absl::StatusCode::kInvalidArgument, "no file of tensors"));
  EXPECT_THAT(SafetensorsFile::Open(folder_.path()),
              IsError(absl::StatusCode::kInvalidArgument, "no file of tensors"));
}

}  // namespace
}  // namespace dl::launch
