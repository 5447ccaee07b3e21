// Imports weights of PyTorch's nn.ConvTranspose2d and of exports.
#include "launch/import/pytorch_transposed.h"

#include <cstring>
#include <numeric>

#include "base/json.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "launch/import/weights_import.h"
#include "nn/conf/sequential.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/rpc/fake_master.h"

namespace dl::launch {
namespace {

using test::IsError;
using testing::ElementsAre;

class JoinsBlocks : public rpc::FakeMaster {
 public:
  JoinsBlocks() {
    on_put_blocks = [this](const rpc::PutBlocksRequest& request) { bytes += request.bytes; };
  }
  StatusOr<rpc::MissingBlocksReply> MissingBlocks(const rpc::MissingBlocksRequest& request,
                                                  Duration) override {
    return rpc::MissingBlocksReply{.missing = request.sha256};
  }
  std::string bytes;
};

struct TransposedCase {
  int64_t channels = 1, filters = 1, groups = 1;
  std::vector<int64_t> shape;  // in the file, whose values are 0, 1, 2, …
  Json metadata = Json::object();
};

class PyTorchTransposed : public testing::Test {
 protected:
  // Returns the layer's weights after the import.
  StatusOr<std::vector<float>> Import(const TransposedCase& c) {
    const nn::TransposedConv2D layer =
        nn::TransposedConv2D(c.filters).Kernel(1, 2).Groups(c.groups).NoBias().Name("up");
    const nn::ModelConfig model = nn::Sequential("m")
                                      .Input(nn::Image(c.channels, 2, 2))
                                      .Layer(layer)
                                      .Layer(nn::Output(2).Loss(nn::SoftmaxCrossEntropy()))
                                      .Build()
                                      .value();
    std::vector<float> values(c.channels * c.filters / c.groups * 2);
    std::iota(values.begin(), values.end(), 0.0f);
    const size_t bytes = values.size() * sizeof(float);
    const Json entry = {{"dtype", "F32"}, {"shape", c.shape}, {"data_offsets", {0, bytes}}};
    const std::string header = Json{{"__metadata__", c.metadata}, {"up.weight", entry}}.dump();
    const uint64_t length = header.size();
    job::SafetensorsWeights source;
    source.path = folder_.Write(
        "w", std::string(reinterpret_cast<const char*>(&length), sizeof(length)) + header +
                 std::string(reinterpret_cast<const char*>(values.data()), bytes));
    source.OthersBySeed();
    JoinsBlocks master;
    DL_RETURN_IF_ERROR(ImportWeights(source, model, {}, master).status());
    std::vector<float> read(master.bytes.size() / sizeof(float));
    std::memcpy(read.data(), master.bytes.data(), master.bytes.size());
    return read;
  }
  test::TempFolder folder_;
};

// W[filter, channel] of ours is W[channel, filter] of PyTorch's. The two values of a window stay
// together.
TEST_F(PyTorchTransposed, ShapeShowsTheLayout) {
  const auto converted = Import({.channels = 3, .filters = 2, .shape = {3, 2, 1, 2}});
  DL_ASSERT_OK(converted);
  EXPECT_THAT(*converted, ElementsAre(0, 1, 4, 5, 8, 9, 2, 3, 6, 7, 10, 11));
  const auto own = Import({.channels = 3, .filters = 2, .shape = {2, 3, 1, 2}});
  DL_ASSERT_OK(own);
  EXPECT_THAT(*own, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11));
}

TEST_F(PyTorchTransposed, GroupsAreConvertedOneByOne) {
  const auto square = Import({.channels = 4,
                              .filters = 4,
                              .groups = 2,
                              .shape = {4, 2, 1, 2},
                              .metadata = {{"format", "pt"}}});
  DL_ASSERT_OK(square);
  EXPECT_THAT(*square, ElementsAre(0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 12, 13, 10, 11, 14, 15));
  const auto depthwise = Import({.channels = 2, .filters = 2, .groups = 2, .shape = {2, 1, 1, 2}});
  DL_ASSERT_OK(depthwise);
  EXPECT_THAT(*depthwise, ElementsAre(0, 1, 2, 3)) << "both layouts are equal";
}

TEST_F(PyTorchTransposed, MetadataShowTheLayoutOfEqualAxes) {
  TransposedCase square{.channels = 2, .filters = 2, .shape = {2, 2, 1, 2}};
  square.metadata = {{"format", "pt"}};
  const auto converted = Import(square);
  DL_ASSERT_OK(converted);
  EXPECT_THAT(*converted, ElementsAre(0, 1, 4, 5, 2, 3, 6, 7));
  square.metadata = {{"state_sha256", "00"}};
  const auto own = Import(square);
  DL_ASSERT_OK(own);
  EXPECT_THAT(*own, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  square.metadata = Json::object();
  EXPECT_THAT(Import(square), IsError(absl::StatusCode::kInvalidArgument,
                                      "its tensor up.weight of a transposed convolution is "
                                      "[2, 2, 1, 2]: its first axis may be channels"));
}

}  // namespace
}  // namespace dl::launch
