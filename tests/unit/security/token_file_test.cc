// The file of a token store: its greatest size, and files that are no token store.
#include <filesystem>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/files.h"
#include "base/json.h"
#include "security/token_store.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/security/hand_clock.h"

namespace dl::security {
namespace {

using std::chrono::hours;
using test::IsError;

class TokenFileTest : public testing::Test {
 protected:
  StatusOr<std::unique_ptr<TokenStore>> Open() { return TokenStore::Open(path_, clock_); }
  StatusOr<std::unique_ptr<TokenStore>> OpenText(const std::string& text) {
    folder_.Write("tokens.json", text);
    return Open();
  }
  static Json Record(int64_t number) {
    return {{"id", absl::StrFormat("%016x", number)},
            {"owner", std::string(limits::kMaxOwnerName, 'a')},
            {"role", "submit"},
            {"created_unix_ms", HandClock::kStartUnixMs},
            {"secret_sha256", std::string(64, '0')}};
  }
  static std::string TextOf(const Json& tokens) {
    return JsonText({{"format", 1}, {"tokens", tokens}});
  }

  const test::TempFolder folder_;
  const std::string path_ = folder_ / "tokens.json";
  HandClock clock_;
};

TEST_F(TokenFileTest, MissingFileIsEmptyStore) {
  const auto store = Open();
  DL_ASSERT_OK(store);
  EXPECT_TRUE((*store)->List().empty());
  EXPECT_FALSE(std::filesystem::exists(path_)) << "reading wrote it";
  DL_EXPECT_OK(OpenText(TextOf(Json::array())));
}

// Written by hand from docs/formats.md. A stored store must stay readable in all later versions.
TEST_F(TokenFileTest, ReadsVersion1) {
  const std::string secret(43, 'S');
  const auto store = OpenText(absl::StrCat(
      R"({"format": 1, "tokens": [{"id": "00000000000000aa", "owner": "ada", "role": "admin",
          "created_unix_ms": 0, "expires_unix_ms": 1800000000000, "secret_sha256": ")",
      HashOfSecret(secret), R"("}]})"));
  DL_ASSERT_OK(store);
  const Identity expected{.owner = "ada", .role = Role::kAdmin, .token = "00000000000000aa"};
  EXPECT_EQ((*store)->Authenticate("00000000000000aa." + secret), expected);
}

TEST_F(TokenFileTest, ExpiredTokensMakeRoom) {
  constexpr int kBrief = 3;
  Json tokens = Json::array();
  for (int64_t i = 0; i < limits::kMaxTokens; ++i) {
    tokens.push_back(Record(i));
    if (i < kBrief) tokens.back()["expires_unix_ms"] = HandClock::kStartUnixMs + 3'600'000;
  }
  auto store = OpenText(TextOf(tokens));
  DL_ASSERT_OK(store);
  ASSERT_EQ(std::ssize((*store)->List()), limits::kMaxTokens);
  const TokenStore::NewToken wanted{.owner = "ada"};
  EXPECT_THAT((*store)->Create(wanted),
              IsError(absl::StatusCode::kResourceExhausted, "token revoke ID"));
  clock_.Pass(hours(1));
  for (int i = 0; i < kBrief; ++i) {
    DL_EXPECT_OK((*store)->Create(wanted));
    EXPECT_EQ(std::ssize((*store)->List()), limits::kMaxTokens - kBrief + i + 1);
  }
  EXPECT_THAT((*store)->Create(wanted),
              IsError(absl::StatusCode::kResourceExhausted, "there are 10000 tokens"));
  DL_EXPECT_OK((*store)->Revoke((*store)->List().front().id));
  const auto last = (*store)->Create(wanted);
  DL_ASSERT_OK(last);
  store = Open();
  DL_ASSERT_OK(store);
  EXPECT_EQ(std::ssize((*store)->List()), limits::kMaxTokens);
  EXPECT_TRUE((*store)->Authenticate(last->credential()));
}

TEST_F(TokenFileTest, NewerFileIsUnchanged) {
  const std::string text = R"({"format":2,"tokens":[],"colour":"blue"})";
  EXPECT_THAT(OpenText(text), IsError(absl::StatusCode::kUnimplemented, "format 2"));
  EXPECT_EQ(*ReadFile(path_, 1000), text);
}

TEST_F(TokenFileTest, InvalidFileIsDataLoss) {
  Json no_hash = Record(1), bad_hash = Record(1), role = Record(1), time = Record(1),
       expired = Record(1), more = Record(1);
  no_hash.erase("secret_sha256");
  bad_hash["secret_sha256"] = std::string(63, '0');
  role["role"] = "king";
  time["created_unix_ms"] = -1;
  expired["expires_unix_ms"] = 0;
  more["secret"] = "x";
  std::vector<std::string> texts = {"",
                                    "{",
                                    "null",
                                    "[]",
                                    "{}",
                                    R"({"format":1})",
                                    R"({"format":0,"tokens":[]})",
                                    R"({"format":1,"tokens":{}})",
                                    R"({"format":1,"tokens":[1]})",
                                    R"({"format":1,"tokens":[],"tokens":[]})",
                                    R"({"format":1,"tokens":[],"other":1})",
                                    std::string(1000, '\0'),
                                    "\xff\xfe"};
  for (const Json& record : {no_hash, bad_hash, role, time, expired, more})
    texts.push_back(TextOf(Json::array({Record(0), record})));
  for (const std::string& text : texts) {
    const Status status = OpenText(text).status();
    EXPECT_THAT(status, IsError(absl::StatusCode::kDataLoss, "from a backup")) << text;
    EXPECT_EQ(ErrorWhere(status), path_) << text;
    EXPECT_EQ(*ReadFile(path_, 1 << 20), text);
  }
}

TEST_F(TokenFileTest, ErrorNamesEntry) {
  Json wrong = Record(1);
  wrong["role"] = "king";
  EXPECT_THAT(OpenText(TextOf(Json::array({Record(0), wrong}))),
              IsError(absl::StatusCode::kDataLoss, "tokens[1].role"));
}

TEST_F(TokenFileTest, TruncatedFileIsDataLoss) {
  const std::string whole = TextOf(Json::array({Record(0), Record(1)}));
  for (size_t length = 0; length < whole.size(); length += 7) {
    EXPECT_THAT(OpenText(whole.substr(0, length)), IsError(absl::StatusCode::kDataLoss, path_))
        << length;
  }
  DL_EXPECT_OK(OpenText(whole));
}

TEST_F(TokenFileTest, FolderOrLongFileIsNamed) {
  std::filesystem::create_directory(path_);
  EXPECT_THAT(Open(), IsError(absl::StatusCode::kFailedPrecondition, path_));
  std::filesystem::remove(path_);
  folder_.Write("tokens.json", "");
  std::filesystem::resize_file(path_, limits::kMaxJsonBytes + 1);
  EXPECT_THAT(Open(), IsError(absl::StatusCode::kResourceExhausted, path_));
}

TEST_F(TokenFileTest, MissingFolderIsAnError) {
  auto store = TokenStore::Open(folder_ / "none/tokens.json", clock_);
  DL_ASSERT_OK(store);
  EXPECT_THAT((*store)->Create({.owner = "ada"}),
              IsError(absl::StatusCode::kFailedPrecondition, folder_ / "none/tokens.json"));
  EXPECT_TRUE((*store)->List().empty());
}

// If an unreadable store were taken for an empty one, the next write would replace it.
TEST_F(TokenFileTest, UnreadableFileIsNoEmptyStore) {
  std::filesystem::create_symlink("tokens.json", path_);  // a symbolic link to itself
  EXPECT_FALSE(Open().ok());
}

TEST_F(TokenFileTest, LaterVersionIsNamed) {
  const Status later = OpenText(R"({"format": 2, "tokens": []})").status();
  EXPECT_THAT(later, IsError(absl::StatusCode::kUnimplemented, "this build reads format 1"));
  EXPECT_EQ(ErrorWhere(later), path_);
}

TEST_F(TokenFileTest, ImpossibleEntryIsDataLoss) {
  const auto with = [](const char* key, const std::string& value) {
    Json record = Record(1);
    record[key] = value;
    return Json::array({record});
  };
  for (const Json& tokens : {with("id", ""), with("id", "00000000000000AA"), with("id", "aa"),
                             with("owner", ""), with("owner", "ada lovelace")}) {
    EXPECT_THAT(OpenText(TextOf(tokens)), IsError(absl::StatusCode::kDataLoss, "tokens[0]"));
  }
  EXPECT_THAT(OpenText(TextOf(Json::array({Record(1), Record(2), Record(1)}))),
              IsError(absl::StatusCode::kDataLoss, "tokens[2]: has the same id as another token"));
}

}  // namespace
}  // namespace dl::security
