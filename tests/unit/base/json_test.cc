#include "base/json.h"

#include "base/limits.h"
#include "tests/support/status_matchers.h"

namespace dl {
namespace {

using test::IsError;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr auto kNotValid = absl::StatusCode::kInvalidArgument;

TEST(ParseJson, ReadsADocument) {
  auto json = ParseJson(R"({"a": [1, 2.5, null, true, "x"], "b": {}})", "test");
  DL_ASSERT_OK(json);
  EXPECT_EQ(json->dump(), R"({"a":[1,2.5,null,true,"x"],"b":{}})");
}

// Compares with the library's parser, for a value of each kind in each position.
TEST(ParseJson, ReadsWhatTheLibraryReads) {
  const std::vector<std::string> values = {"null",
                                           "true",
                                           "false",
                                           "0",
                                           "-0",
                                           "-7",
                                           "18446744073709551615",
                                           "18446744073709551616",
                                           "0.5",
                                           "-1e-7",
                                           "1.0",
                                           R"("")",
                                           R"("x\u00e4\n")",
                                           "[]",
                                           "{}",
                                           "[[],[1,[2]],{}]",
                                           R"({"p":{"q":[{"r":1},2]},"s":[]})"};
  std::string all;
  for (const std::string& value : values) {
    for (const std::string& text :
         {value, "[" + value + "]", "[1," + value + ",2]", R"({"a":)" + value + "}",
          R"({"b":1,"a":)" + value + R"(,"c":[)" + value + "]}"}) {
      all += (all.empty() ? "[" : ",") + text;
      const auto json = ParseJson(text, "t");
      DL_ASSERT_OK(json);
      EXPECT_EQ(Json::to_cbor(*json), Json::to_cbor(Json::parse(text))) << text;
    }
  }
  EXPECT_EQ(Json::to_cbor(*ParseJson(all + "]", "t")), Json::to_cbor(Json::parse(all + "]")));
}

TEST(JsonText, IsCanonicalAndNeverThrows) {
  EXPECT_EQ(JsonText({{"b", 1}, {"a", "\xc3\xa4"}}), "{\"a\":\"\xc3\xa4\",\"b\":1}");
  const std::string text = JsonText({{"host", "h\xff"}});
  EXPECT_EQ(text, "{\"host\":\"h\xef\xbf\xbd\"}");
  DL_EXPECT_OK(ParseJson(text, "t"));
}

TEST(ParseJson, RefusesWhatIsNotJson) {
  for (const char* text :
       {"", "{", "[1,]", "{\"a\":1,}", "{} x", "nul", "'a'", "[1 2]", "{\"a\" 1}", "NaN", "1e999",
        "// c\n{}", "\"\xff\"", "{1:2}", "]", "}"}) {
    EXPECT_THAT(ParseJson(text, "some source"), IsError(kNotValid, "(at some source)")) << text;
  }
}

TEST(ParseJson, ErrorHasPlace) {
  EXPECT_THAT(ParseJson("{\n  \"a\": ?\n}", "f.json"),
              IsError(kNotValid, "not valid JSON: parse error at line 2, column 8"));
}

TEST(ParseJson, RefusesDuplicateKeysAtAnyDepthButNotInSiblings) {
  EXPECT_THAT(ParseJson(R"({"a":1,"a":1})", "t"), IsError(kNotValid, "\"a\" appears twice"));
  EXPECT_THAT(ParseJson(R"({"a":[{"b":{"c":1,"d":2,"c":3}}]})", "t"),
              IsError(kNotValid, "\"c\" appears twice"));
  DL_EXPECT_OK(ParseJson(R"({"a":{"b":1},"b":{"b":2},"c":[{"b":1},{"b":1}]})", "t"));
}

TEST(ParseJson, DepthIsLimitedAndCountsOnlyWhatIsOpen) {
  const auto nested = [](int depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  DL_EXPECT_OK(ParseJson(nested(limits::kMaxJsonDepth), "t"));
  EXPECT_THAT(ParseJson(nested(limits::kMaxJsonDepth + 1), "t"), IsError(kNotValid, "deeper"));
  EXPECT_THAT(ParseJson(std::string(1'000'000, '['), "t"), IsError(kNotValid, "deeper"));
  std::string objects;
  for (int i = 0; i < 100'000; ++i) objects += "{\"a\":";
  EXPECT_THAT(ParseJson(objects, "t"), IsError(kNotValid, "deeper"));
  std::string siblings = "[";
  for (int i = 0; i < 1000; ++i) siblings += "[],{},";
  DL_EXPECT_OK(ParseJson(siblings + "[]]", "t"));
}

TEST(ParseJson, SizeIsLimited) {
  EXPECT_THAT(ParseJson(std::string(limits::kMaxJsonBytes + 1, ' '), "t"),
              IsError(kNotValid, "over the limit"));
}

// A few bytes of text can become hundreds of bytes of values.
TEST(ParseJson, MemoryOfValuesIsLimited) {
  std::string bomb = "[{}";
  for (int i = 0; i < 8'000'000; ++i) bomb += ",{}";
  EXPECT_THAT(ParseJson(bomb + "]", "t"), IsError(kNotValid, "would take more than 512 MiB"));
  std::string numbers = "[1";
  for (int i = 0; i < 8'000'000; ++i) numbers += ",12";
  DL_EXPECT_OK(ParseJson(numbers + "]", "t"));
}

// Reads `text` with a getter and returns the error, or "".
template <typename Read>
std::string ErrorOf(const std::string& text, Read read) {
  const Json json = *ParseJson(text, "test");
  JsonObjectReader reader(json, "root");
  read(reader);
  return std::string(reader.Finish().message());
}

TEST(JsonObjectReader, ReadsValuesAndKeepsDefaults) {
  const Json json =
      *ParseJson(R"({"i":-5,"u":18446744073709551615,"d":0.5,"whole":2,"b":true,"s":"x",
                                   "n":[1,2],"w":["a","b"],"c":{"x":1}})",
                 "t");
  JsonObjectReader reader(json, "");
  int64_t i = 0, absent = 42;
  uint64_t u = 0;
  double d = 0, whole = 0;
  bool b = false;
  std::string s, one = "red";
  std::vector<int64_t> n;
  std::vector<std::string> w;
  reader.Int("i", i);
  reader.Int("absent", absent);
  reader.U64("u", u);
  reader.Double("d", d);
  reader.Double("whole", whole);
  reader.Bool("b", b);
  reader.String("s", s);
  reader.OneOf("color", one, {"red", "green"});
  reader.IntList("n", n);
  reader.StringList("w", w);
  ASSERT_NE(reader.Child("c"), nullptr);
  EXPECT_EQ(reader.Child("none"), nullptr);
  DL_EXPECT_OK(reader.Finish());
  EXPECT_EQ(i, -5);
  EXPECT_EQ(absent, 42);
  EXPECT_EQ(u, UINT64_MAX);
  EXPECT_EQ(d, 0.5);
  EXPECT_EQ(whole, 2);
  EXPECT_TRUE(b);
  EXPECT_EQ(s, "x");
  EXPECT_EQ(one, "red");
  EXPECT_EQ(n, (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(w, (std::vector<std::string>{"a", "b"}));
}

TEST(JsonObjectReader, UnknownKeysAreErrorsWithASuggestion) {
  const std::string error = ErrorOf(R"({"epoch":3,"zzzzzzzz":1})", [](JsonObjectReader& reader) {
    int64_t epochs = 0;
    reader.Int("epochs", epochs);
  });
  EXPECT_THAT(error, HasSubstr("root.epoch: unknown key; did you mean \"epochs\"?"));
  EXPECT_THAT(error, HasSubstr("root.zzzzzzzz: unknown key"));
}

TEST(JsonObjectReader, IntegersAreCheckedForTypeAndRange) {
  const auto read = [](JsonObjectReader& reader) {
    int64_t value = 7;
    reader.Int("v", value, {.min = 1, .max = 10});
    if (!reader.errors().empty()) {
      EXPECT_EQ(value, 7) << "a wrong value was taken";
    }
  };
  for (const char* good : {"1", "10"})
    EXPECT_EQ(ErrorOf(std::string("{\"v\":") + good + "}", read), "");
  for (const char* bad :
       {"0", "11", "1.5", "2.0", "\"3\"", "true", "null", "[1]", "9223372036854775808",
        "-9223372036854775808", "18446744073709551615", "1e3"}) {
    EXPECT_THAT(ErrorOf(std::string("{\"v\":") + bad + "}", read), HasSubstr("root.v: ")) << bad;
  }
  EXPECT_THAT(ErrorOf(R"({"v":18446744073709551615})", read),
              HasSubstr("is 18446744073709551615, must be from 1 to 10"));
  EXPECT_THAT(ErrorOf(R"({"v":100000000000000000000})", read),
              HasSubstr("is too large, must be from 1 to 10"));
}

TEST(JsonObjectReader, Int32DoesNotWrap) {
  const auto read = [](JsonObjectReader& reader) {
    int32_t value = 7;
    reader.Int32("v", value);
    EXPECT_EQ(value, 7);
  };
  EXPECT_THAT(ErrorOf(R"({"v":4294967303})", read),
              HasSubstr("must be from -2147483648 to 2147483647"));
  EXPECT_THAT(ErrorOf(R"({"v":-2147483649})", read), HasSubstr("root.v"));
}

TEST(JsonObjectReader, ListsOfIntegersDoNotWrap) {
  const auto read = [](JsonObjectReader& reader) {
    std::vector<int64_t> list = {7};
    reader.IntList("v", list, {.min = -5, .max = 5});
    if (!reader.errors().empty()) {
      EXPECT_EQ(list, std::vector<int64_t>{7});
    }
  };
  EXPECT_EQ(ErrorOf(R"({"v":[]})", read), "");
  // As a signed number this value would be -1.
  EXPECT_THAT(ErrorOf(R"({"v":[18446744073709551615]})", read), HasSubstr("root.v"));
  for (const char* bad : {"[6]", "[1,-6]", "[1.0]", "[\"1\"]", "1", "{}", "[[1]]"}) {
    EXPECT_THAT(ErrorOf(std::string("{\"v\":") + bad + "}", read), HasSubstr("root.v")) << bad;
  }
}

TEST(JsonObjectReader, OtherTypesAreChecked) {
  const auto read = [](JsonObjectReader& reader) {
    uint64_t u = 0;
    double d = 0;
    bool b = false;
    std::string s, o = "red";
    std::vector<std::string> w;
    reader.U64("u", u);
    reader.Double("d", d, {.min = 0, .max = 1});
    reader.Bool("b", b);
    reader.String("s", s);
    reader.OneOf("o", o, {"red", "green"});
    reader.StringList("w", w);
  };
  for (const char* bad :
       {"\"u\":-1", "\"u\":1.0", "\"d\":1.01", "\"d\":-0.1", "\"d\":\"x\"", "\"b\":1",
        "\"b\":\"true\"", "\"s\":1", "\"s\":null", "\"o\":1", "\"w\":[1]", "\"w\":\"a\""}) {
    EXPECT_THAT(ErrorOf(std::string("{") + bad + "}", read), HasSubstr("root.")) << bad;
  }
  EXPECT_THAT(ErrorOf(R"({"o":"gren"})", read),
              HasSubstr("must be one of red, green; did you mean \"green\"?"));
}

TEST(JsonObjectReader, CollectsEveryMistake) {
  const std::string error = ErrorOf(R"({"a":"x","b":1,"c":1})", [](JsonObjectReader& reader) {
    int64_t a = 0;
    bool b = false;
    reader.Int("a", a);
    reader.Bool("b", b);
    reader.Require("d");
    reader.AddErrors(InvalidArgument({.message = "nested"}));
    reader.AddErrors(absl::OkStatus());
  });
  for (const char* piece :
       {"root.a: ", "root.b: ", "root.c: unknown", "root.d: is missing", "nested"}) {
    EXPECT_THAT(error, HasSubstr(piece));
  }
}

TEST(JsonObjectReader, NonObjectIsOneError) {
  const std::string error = ErrorOf("[1]", [](JsonObjectReader& reader) { reader.Require("a"); });
  EXPECT_THAT(error, HasSubstr("root: must be an object"));
}

}  // namespace
}  // namespace dl
