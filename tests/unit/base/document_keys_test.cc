#include "base/document_keys.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"

namespace dl {
namespace {

using test::IsError;

enum class Color : uint8_t { kRed, kBlue };
std::string_view ColorName(Color color) { return color == Color::kRed ? "red" : "blue"; }
bool ParseColor(std::string_view name, Color& out) {
  if (name != "red" && name != "blue") return false;
  out = name == "red" ? Color::kRed : Color::kBlue;
  return true;
}

struct Wheel {
  int32_t spokes = 0;
  bool operator==(const Wheel&) const = default;
};
struct Cart {
  int64_t load = 0;
  double speed = 1;
  uint64_t digest = 0;
  Color color = Color::kRed;
  std::vector<Wheel> wheels;
  std::map<std::string, int64_t> axles;
  std::set<std::string> owners;
  std::optional<int64_t> horse;
  std::string note;
  Color lamp = Color::kBlue;
  bool operator==(const Cart&) const = default;
};

constexpr auto kWheelKeys = [](auto& keys, auto& wheel) {
  keys.Value("spokes", wheel.spokes, {.required = true, .min = 1});
};
constexpr auto kCartKeys = [](auto& keys, auto& cart) {
  keys.Value("load", cart.load, {.required = true, .min = 0, .max = 100});
  keys.Value("speed", cart.speed, {.min = 0});
  keys.Hex("digest", cart.digest);
  keys.Word("color", cart.color, ColorName, ParseColor, "is not a color");
  keys.List("wheels", cart.wheels, kWheelKeys, {.omit_default = true});
  keys.Value("axles", cart.axles, {.min = 1});
  keys.Value("owners", cart.owners, {.omit_default = true});
  keys.Converted(
      "horse", cart.horse,
      [](const Json& json, const std::string& path) -> StatusOr<int64_t> {
        if (json == 13) return DataLoss({.message = "13 is damaged", .where = path});
        return json.get<int64_t>();
      },
      [](int64_t horse) { return Json(horse); });
  keys.Value("note", cart.note, {.omit_default = true});
  keys.Word("lamp", cart.lamp, ColorName, ParseColor, "is not a color", {.required = false});
  keys.Check(cart.load < 50 || cart.wheels.size() > 1, "load", "needs two wheels");
};

Json Written(const Cart& cart) {
  Json json = Json::object();
  KeyWriter keys(json);
  kCartKeys(keys, cart);
  return json;
}

StatusOr<Cart> Read(const Json& json) {
  JsonObjectReader reader(json, "");
  KeyReader keys(reader);
  Cart cart;
  kCartKeys(keys, cart);
  DL_RETURN_IF_ERROR(keys.Finish());
  return cart;
}

Json Smallest() {
  return {{"load", 1},
          {"speed", 1.0},
          {"digest", "00000000000000ff"},
          {"color", "blue"},
          {"axles", Json::object()},
          {"lamp", "blue"}};
}

TEST(DocumentKeys, RecordIsReadAsItWasWritten) {
  const Cart cart = {.load = 60,
                     .speed = 2.5,
                     .digest = 0xfedcba9876543210,
                     .color = Color::kBlue,
                     .wheels = {{.spokes = 8}, {.spokes = 9}},
                     .axles = {{"front", 1}},
                     .owners = {"ann", "bob"},
                     .horse = 7,
                     .note = "x"};
  const StatusOr<Cart> read = Read(Written(cart));
  DL_ASSERT_OK(read);
  EXPECT_EQ(*read, cart);
}

TEST(DocumentKeys, DefaultsAreOmittedByRuleOnly) {
  EXPECT_EQ(Written({.load = 1, .digest = 255, .color = Color::kBlue}), Smallest());
  const StatusOr<Cart> read = Read(Smallest());
  DL_ASSERT_OK(read);
  EXPECT_EQ(*read, (Cart{.load = 1, .digest = 255, .color = Color::kBlue}));
}

TEST(DocumentKeys, AbsentKeyLeavesItsMember) {
  Json json = Smallest();
  for (const char* key : {"lamp", "speed", "axles"}) json.erase(key);
  const StatusOr<Cart> read = Read(json);
  DL_ASSERT_OK(read);
  EXPECT_EQ(*read, (Cart{.load = 1, .digest = 255, .color = Color::kBlue}));
  json.erase("color");
  EXPECT_THAT(Read(json), IsError(absl::StatusCode::kInvalidArgument, "color"));
}

TEST(DocumentKeys, MistakesNameTheirPath) {
  const auto error_of = [](const char* key, const Json& value) {
    Json json = Smallest();
    json[key] = value;
    return Read(json).status();
  };
  const auto invalid = [](const char* part) {
    return IsError(absl::StatusCode::kInvalidArgument, part);
  };
  EXPECT_THAT(error_of("load", 101), invalid("load"));
  EXPECT_THAT(error_of("load", 60), invalid("load: needs two wheels"));
  EXPECT_THAT(error_of("speed", -1), invalid("speed"));
  EXPECT_THAT(error_of("digest", "ff"), invalid("digest: must be 16 lower-case hex digits"));
  EXPECT_THAT(error_of("digest", "00000000000000FF"), invalid("digest"));
  EXPECT_EQ(error_of("color", "green").message(), "color: is not a color");
  // A value of another type is one mistake.
  EXPECT_EQ(error_of("color", 7).message(), "color: must be a string, is 7");
  EXPECT_EQ(error_of("digest", 7).message(), "digest: must be a string, is 7");
  EXPECT_THAT(error_of("wheels", 3), invalid("wheels: must be a list"));
  EXPECT_THAT(error_of("wheels", {{{"spokes", 1}}, {{"spokes", 0}}}), invalid("wheels[1].spokes"));
  EXPECT_THAT(error_of("wheels", {{{"spokes", 1}, {"tire", 1}}}), invalid("wheels[0].tire"));
  EXPECT_THAT(error_of("wheels", Json::array({Json::object()})), invalid("wheels[0].spokes"));
  EXPECT_THAT(error_of("axles", {{"front", 0}}), invalid("axles.front"));
  EXPECT_THAT(error_of("axles", 1), invalid("axles: must be an object"));
  EXPECT_THAT(error_of("owners", 1), invalid("owners"));
  EXPECT_THAT(error_of("noise", 1), invalid("noise"));
  Json json = Smallest();
  json.erase("load");
  EXPECT_THAT(Read(json), invalid("load"));
}

TEST(DocumentKeys, StatusOfAConversionKeepsItsCode) {
  Json json = Smallest();
  json["horse"] = 13;
  json["load"] = -1;
  EXPECT_THAT(Read(json), IsError(absl::StatusCode::kDataLoss, "13 is damaged"));
}

}  // namespace
}  // namespace dl
