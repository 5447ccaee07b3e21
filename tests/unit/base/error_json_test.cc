#include "base/error_json.h"

#include "base/json.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace dl {
namespace {

TEST(ErrorJson, HasAllPartsAndIsReadAgain) {
  const Status error = NotFound({.message = "m", .where = "w", .remedy = "r"});
  const Json json = ErrorToJson(error);
  EXPECT_EQ(JsonText(json), R"({"code":"not_found","message":"m","remedy":"r","where":"w"})");
  EXPECT_EQ(ErrorFromJson(json), error);
  const Status bare = DataLoss({.message = "m"});
  EXPECT_EQ(JsonText(ErrorToJson(bare)),
            R"({"code":"data_loss","message":"m","remedy":"","where":""})");
  EXPECT_EQ(ErrorFromJson(ErrorToJson(bare)), bare);
}

TEST(ErrorJson, UnknownCodesAreErrors) {
  for (const char* code : {R"("ok")", R"("new_code")", R"("")", "7", "null"}) {
    const Status error =
        ErrorFromJson(Json::parse(std::string(R"({"message":"m","code":)") + code + "}"));
    EXPECT_EQ(error.code(), absl::StatusCode::kUnknown) << code;
    EXPECT_EQ(error.message(), "m") << code;
  }
}

TEST(ErrorJson, AbsentAndWrongPartsAreEmpty) {
  for (const char* text :
       {"{}", R"({"message":1,"where":[],"remedy":null,"more":2})", "[]", "null", "3", R"("x")"}) {
    const Status error = ErrorFromJson(Json::parse(text));
    EXPECT_EQ(error.code(), absl::StatusCode::kUnknown) << text;
    EXPECT_EQ(DescribeError(error), "") << text;
  }
}

}  // namespace
}  // namespace dl
