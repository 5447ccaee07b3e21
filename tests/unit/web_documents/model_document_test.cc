#include "web/documents/model_document.h"

#include "base/json.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"

namespace dl::web {
namespace {

constexpr char kSpec[] = R"({
  "name": "small",
  "model": {"name": "small", "input": {"type": "image", "channels": 1, "height": 8, "width": 8},
            "layers": [{"type": "conv2d", "name": "conv1", "filters": 2, "kernel": [3, 3]},
                       {"type": "max_pool2d", "name": "pool1"},
                       {"type": "output", "name": "output1", "units": 3,
                        "loss": "softmax_cross_entropy"}]},
  "training": {"epochs": 1},
  "data": {"train": {"format": "idx", "features": "a", "labels": "b"}}
})";

TEST(ModelDocument, LayersHaveShapesAndParameters) {
  const auto document = ModelDocument(kSpec);
  DL_ASSERT_OK(document);
  EXPECT_EQ((*document)["name"], "small");
  const Json& layers = (*document)["layers"];
  EXPECT_EQ(layers[0]["output"], "1 × 8 × 8");
  EXPECT_EQ(layers[1]["name"], "conv1");
  EXPECT_EQ(layers[1]["output"], "2 × 6 × 6");
  EXPECT_EQ(layers[1]["parameters"], 20);
  EXPECT_FALSE(layers[2].contains("parameters")) << "a pooling has no parameters";
  EXPECT_EQ(layers.back()["output"], "3 values");
  EXPECT_EQ((*document)["all_parameters"], 20 + 2 * 3 * 3 * 3 + 3);
}

TEST(ModelDocument, WrongSpecIsRefused) {
  EXPECT_THAT(ModelDocument("{"), test::IsError(absl::StatusCode::kInvalidArgument, "spec"));
}

}  // namespace
}  // namespace dl::web
