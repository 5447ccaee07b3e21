#include "security/token_store.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "absl/strings/str_cat.h"
#include "base/fail_point.h"
#include "base/files.h"
#include "base/json.h"
#include "base/thread.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/security/hand_clock.h"

namespace dl::security {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using test::IsError;

class TokenStoreTest : public testing::Test {
 protected:
  ~TokenStoreTest() override { (void)ArmFailPoints(""); }

  std::unique_ptr<TokenStore> Open(const std::string& path) {
    auto store = TokenStore::Open(path, clock_);
    EXPECT_THAT(store, test::IsOk());
    return store.ok() ? *std::move(store) : nullptr;
  }
  std::unique_ptr<TokenStore> Open() { return Open(path_); }
  static Token Created(TokenStore& store, const TokenStore::NewToken& wanted) {
    auto token = store.Create(wanted);
    EXPECT_THAT(token, test::IsOk());
    return token.ok() ? *token : Token{};
  }
  static std::set<std::string> Ids(const TokenStore& store) {
    std::set<std::string> ids;
    for (const TokenRecord& record : store.List()) ids.insert(record.id);
    return ids;
  }
  std::string Stored() const { return *ReadFile(path_, limits::kMaxJsonBytes); }

  const test::TempFolder folder_;
  const std::string path_ = folder_ / "tokens.json";
  HandClock clock_;
};

TEST_F(TokenStoreTest, AuthenticatesOwnersOfTokens) {
  const auto store = Open();
  const Token ada = Created(*store, {.owner = "ada", .role = Role::kSubmit});
  const Token worker = Created(*store, {.owner = "worker", .role = Role::kExecute});
  const Identity expected{.owner = "ada", .role = Role::kSubmit, .token = ada.id};
  EXPECT_EQ(store->Authenticate(ada.credential()), expected);
  EXPECT_EQ(store->Authenticate(worker.credential())->role, Role::kExecute);
  EXPECT_TRUE(store->IsValid(ada.id));
}

TEST_F(TokenStoreTest, TokenNamesItsCa) {
  const std::string ca(43, 'C');
  const auto store = Open();
  EXPECT_EQ(Created(*store, {.owner = "ada", .ca = ca}).ca, ca);
  EXPECT_EQ(Created(*store, {.owner = "ada"}).ca, "");
}

TEST_F(TokenStoreTest, UnknownTokenIsDenied) {
  const auto store = Open();
  const Token ada = Created(*store, {.owner = "ada"}), bob = Created(*store, {.owner = "bob"});
  std::string near = ada.secret;
  near.back() = near.back() == 'A' ? 'B' : 'A';
  for (const std::string& text :
       {std::string(), std::string("."), ada.id, ada.id + ".", ada.id + "." + near,
        ada.id + "." + bob.secret, ToString(ada), ada.credential() + " ",
        ada.id + "." + HashOfSecret(ada.secret), ada.id + "." + std::string(43, '-'),
        std::string(16, '0') + "." + ada.secret, std::string(1 << 20, 'a')}) {
    EXPECT_EQ(store->Authenticate(text), std::nullopt) << text.substr(0, 200);
  }
  EXPECT_FALSE(store->IsValid(""));
  EXPECT_FALSE(store->IsValid(std::string(16, '0')));
}

TEST_F(TokenStoreTest, RefusesTokenOfAnotherStore) {
  const auto store = Open(), other = Open(folder_ / "other.json");
  const Token token = Created(*other, {.owner = "ada", .role = Role::kAdmin});
  EXPECT_TRUE(other->Authenticate(token.credential()));
  EXPECT_EQ(store->Authenticate(token.credential()), std::nullopt);
  EXPECT_FALSE(store->IsValid(token.id));
}

TEST_F(TokenStoreTest, TokensSurviveReopening) {
  std::vector<Token> tokens;
  {
    const auto store = Open();
    for (const Role role : {Role::kRead, Role::kSubmit, Role::kExecute, Role::kAdmin}) {
      tokens.push_back(Created(*store, {.owner = "ada", .role = role, .lifetime = hours(1)}));
      clock_.Pass(milliseconds(5));
    }
    DL_ASSERT_OK(store->Revoke(tokens[1].id));
  }
  const auto store = Open();
  EXPECT_EQ(store->Authenticate(tokens[0].credential())->role, Role::kRead);
  EXPECT_EQ(store->Authenticate(tokens[1].credential()), std::nullopt);
  EXPECT_EQ(store->Authenticate(tokens[2].credential())->role, Role::kExecute);
  EXPECT_EQ(store->Authenticate(tokens[3].credential())->role, Role::kAdmin);
  const std::vector<TokenRecord> list = store->List();
  ASSERT_EQ(list.size(), 3u);
  EXPECT_EQ(list[0].created_unix_ms, HandClock::kStartUnixMs);
  EXPECT_EQ(list[0].expires_unix_ms, HandClock::kStartUnixMs + 3'600'000);
}

TEST_F(TokenStoreTest, ListsInTheOrderOfCreation) {
  const auto store = Open("");
  std::vector<std::string> owners, listed;
  for (int i = 0; i < 20; ++i) {
    owners.push_back(absl::StrCat("owner", i));
    Created(*store, {.owner = owners.back()});
    clock_.Pass(milliseconds(1));
  }
  for (const TokenRecord& record : store->List()) listed.push_back(record.owner);
  EXPECT_EQ(listed, owners);
}

TEST_F(TokenStoreTest, FileIsPrivateAndHasNoSecret) {
  const auto store = Open();
  const Token ada = Created(*store, {.owner = "ada"}), bob = Created(*store, {.owner = "bob"});
  struct stat there = {};
  ASSERT_EQ(stat(path_.c_str(), &there), 0);
  EXPECT_EQ(there.st_mode & 07777, 0600u);
  for (const Token& token : {ada, bob}) {
    EXPECT_EQ(Stored().find(token.secret), std::string::npos);
    EXPECT_NE(Stored().find(HashOfSecret(token.secret)), std::string::npos);
  }
  // The file may have been restored from a backup.
  ASSERT_EQ(chmod(path_.c_str(), 0644), 0);
  DL_ASSERT_OK(store->Revoke(ada.id));
  ASSERT_EQ(stat(path_.c_str(), &there), 0);
  EXPECT_EQ(there.st_mode & 07777, 0600u);
}

TEST_F(TokenStoreTest, WithoutAPathNothingIsWritten) {
  const auto store = Open("");
  EXPECT_TRUE(store->List().empty());
  const Token token = Created(*store, {.owner = "ada"});
  EXPECT_TRUE(store->Authenticate(token.credential()));
  DL_ASSERT_OK(store->Revoke(token.id));
  EXPECT_FALSE(store->Authenticate(token.credential()));
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

TEST_F(TokenStoreTest, TokenExpiresAfterLifetime) {
  const auto store = Open();
  const Token brief = Created(*store, {.owner = "ada", .lifetime = milliseconds(1000)});
  const Token lasting = Created(*store, {.owner = "ada"});
  clock_.Pass(milliseconds(999));
  EXPECT_TRUE(store->Authenticate(brief.credential()));
  EXPECT_TRUE(store->IsValid(brief.id));
  clock_.Pass(milliseconds(1));
  EXPECT_EQ(store->Authenticate(brief.credential()), std::nullopt);
  EXPECT_FALSE(store->IsValid(brief.id));
  EXPECT_EQ(store->List().size(), 2u) << "people look for why it does not work";
  EXPECT_EQ(Open()->Authenticate(brief.credential()), std::nullopt);
  clock_.Pass(hours(24 * 365 * 100));
  EXPECT_TRUE(store->Authenticate(lasting.credential()));
}

TEST_F(TokenStoreTest, ShortestAndLongestLifetimeAreValid) {
  const auto store = Open("");
  const Token shortest = Created(*store, {.owner = "ada", .lifetime = nanoseconds(1)});
  const Token longest = Created(*store, {.owner = "ada", .lifetime = Duration::max()});
  EXPECT_TRUE(store->Authenticate(shortest.credential()));
  clock_.Pass(milliseconds(1));
  EXPECT_FALSE(store->Authenticate(shortest.credential()));
  EXPECT_TRUE(store->Authenticate(longest.credential()));
  EXPECT_GT(store->ValidUntil(longest.id), clock_.Now() + hours(24));
}

TEST_F(TokenStoreTest, NewTokenHasNotExpired) {
  const auto store = Open("");
  EXPECT_THAT(store->Create({.owner = "ada", .lifetime = nanoseconds(-1)}),
              IsError(absl::StatusCode::kInvalidArgument, "expired"));
  EXPECT_TRUE(store->List().empty());
}

// A time server or an administrator sets the clock wrong for a moment.
TEST_F(TokenStoreTest, JumpOfTheClockEndsNoToken) {
  const auto store = Open();
  const Token token = Created(*store, {.owner = "ada", .lifetime = hours(1)});
  for (const auto jump : {hours(2), hours(24 * 3650), hours(-2)}) {
    clock_.Jump(jump);
    for (int second = 0; second < 60; ++second) {
      EXPECT_TRUE(store->IsValid(token.id));
      EXPECT_TRUE(store->Authenticate(token.credential()));
      EXPECT_EQ(store->ValidUntil(token.id) - clock_.Now(), hours(1) - clock_.passed());
      clock_.Pass(std::chrono::seconds(1));
    }
    clock_.Jump(-jump);
    EXPECT_TRUE(store->IsValid(token.id));
  }
  clock_.Pass(hours(1));
  EXPECT_FALSE(store->IsValid(token.id)) << "the time that passes still counts";
}

TEST_F(TokenStoreTest, LastingJumpOfTheClockIsAccepted) {
  const auto store = Open();
  const Token token = Created(*store, {.owner = "ada", .lifetime = hours(1)});
  clock_.Jump(hours(2));
  EXPECT_TRUE(store->IsValid(token.id));
  clock_.Pass(limits::kClockJumpTime);
  EXPECT_FALSE(store->IsValid(token.id));
  EXPECT_EQ(store->Authenticate(token.credential()), std::nullopt);
}

// Clock drift and its gradual correction are not jumps.
TEST_F(TokenStoreTest, SmallCorrectionsOfTheClockAreFollowed) {
  const auto store = Open();
  const Token token = Created(*store, {.owner = "ada", .lifetime = hours(1)});
  for (int i = 0; i < 4000; ++i) {
    clock_.Jump(milliseconds(900));
    if (!store->IsValid(token.id)) break;
    ASSERT_LT(i, 3999);
  }
}

TEST_F(TokenStoreTest, ReturnsExpiryOfToken) {
  const auto store = Open("");
  clock_.Pass(hours(3));
  const Token brief = Created(*store, {.owner = "ada", .lifetime = hours(2)});
  const Token lasting = Created(*store, {.owner = "ada"});
  const Instant end = clock_.Now() + hours(2);
  EXPECT_EQ(store->ValidUntil(brief.id), end);
  EXPECT_EQ(store->ValidUntil(lasting.id), Instant::Max());
  EXPECT_EQ(store->ValidUntil("none"), clock_.Now());
  clock_.Pass(hours(1));
  EXPECT_EQ(store->ValidUntil(brief.id), end);
  clock_.Pass(hours(9));
  EXPECT_EQ(store->ValidUntil(brief.id), clock_.Now());
  DL_ASSERT_OK(store->Revoke(lasting.id));
  EXPECT_EQ(store->ValidUntil(lasting.id), clock_.Now());
}

TEST_F(TokenStoreTest, RevocationIsReportedOnce) {
  const auto store = Open();
  const Token ada = Created(*store, {.owner = "ada"}), bob = Created(*store, {.owner = "bob"});
  std::vector<std::string> told, told_first;
  store->SetRevocationCallback([&](const std::string& id) { told_first.push_back(id); });
  store->SetRevocationCallback([&](const std::string& id) {
    EXPECT_FALSE(store->IsValid(id)) << "told before it was so";
    told.push_back(id);
  });
  DL_ASSERT_OK(store->Revoke(ada.id));
  EXPECT_FALSE(store->Authenticate(ada.credential()));
  EXPECT_TRUE(store->Authenticate(bob.credential()));
  EXPECT_THAT(store->Revoke(ada.id), IsError(absl::StatusCode::kNotFound, ada.id));
  EXPECT_THAT(store->Revoke(""), IsError(absl::StatusCode::kNotFound, "no token"));
  EXPECT_EQ(told, std::vector{ada.id});
  EXPECT_TRUE(told_first.empty());
  store->SetRevocationCallback(nullptr);
  DL_ASSERT_OK(store->Revoke(bob.id));
  EXPECT_EQ(told.size(), 1u);
}

TEST_F(TokenStoreTest, OwnerNameIsRequired) {
  const auto store = Open();
  for (const std::string owner : {"", " ", "ada lovelace", "\x1b[2J", "ad\xc3\xa9"}) {
    const Status refused = store->Create({.owner = owner}).status();
    EXPECT_THAT(refused, IsError(absl::StatusCode::kInvalidArgument, kOwnerNameRule)) << owner;
    EXPECT_EQ(DescribeError(refused).find('\x1b'), std::string::npos);
  }
  EXPECT_THAT(store->Create({.owner = std::string(65, 'a')}),
              IsError(absl::StatusCode::kInvalidArgument, "at most 64"));
  Created(*store, {.owner = std::string(64, 'a')});
  EXPECT_EQ(store->List().size(), 1u);
}

TEST_F(TokenStoreTest, ReservedNameRequiresItsToken) {
  const auto store = Open();
  EXPECT_FALSE(store->IsReserved("judge"));
  Created(*store, {.owner = "ops", .role = Role::kExecute});
  EXPECT_FALSE(store->IsReserved("")) << "a token for any name is for none";
  const Token judge = Created(
      *store, {.owner = "ops", .role = Role::kExecute, .lifetime = hours(1), .executor = "judge"});
  EXPECT_TRUE(store->IsReserved("judge"));
  EXPECT_FALSE(store->IsReserved("judge2"));
  EXPECT_EQ(store->Authenticate(judge.credential())->executor, "judge");
  const auto again = Open();
  EXPECT_TRUE(again->IsReserved("judge")) << Stored();
  const std::vector<TokenRecord> stored = again->List();
  EXPECT_EQ(std::ranges::count(stored, "judge", &TokenRecord::executor), 1);
  clock_.Pass(hours(1));
  EXPECT_EQ(store->Authenticate(judge.credential()), std::nullopt) << "it has expired";
  EXPECT_TRUE(store->IsReserved("judge")) << "until an admin frees the name";
  const Token other =
      Created(*store, {.owner = "ops", .role = Role::kExecute, .executor = "judge"});
  DL_ASSERT_OK(store->Revoke(other.id));
  EXPECT_TRUE(store->IsReserved("judge"));
  DL_ASSERT_OK(store->Revoke(judge.id));
  EXPECT_FALSE(store->IsReserved("judge"));
  for (const Role role : {Role::kRead, Role::kSubmit, Role::kAdmin}) {
    EXPECT_THAT(store->Create({.owner = "ops", .role = role, .executor = "judge"}),
                IsError(absl::StatusCode::kInvalidArgument, "cannot be limited to an executor"));
  }
}

// A change that cannot be written does not take effect.
TEST_F(TokenStoreTest, FailedWriteChangesNothing) {
  const auto store = Open();
  const Token ada = Created(*store, {.owner = "ada"});
  const std::string before = Stored();
  int told = 0;
  store->SetRevocationCallback([&](const std::string&) { ++told; });
  DL_ASSERT_OK(ArmFailPoints("file.write=error@1+"));
  EXPECT_THAT(store->Create({.owner = "bob"}), IsError(absl::StatusCode::kInternal, "file.write"));
  EXPECT_THAT(store->Revoke(ada.id), IsError(absl::StatusCode::kInternal, "file.write"));
  DL_ASSERT_OK(ArmFailPoints(""));
  EXPECT_TRUE(store->Authenticate(ada.credential()));
  EXPECT_EQ(Ids(*store), std::set{ada.id});
  EXPECT_EQ(Stored(), before);
  EXPECT_EQ(told, 0);
  Created(*store, {.owner = "bob"});
  EXPECT_EQ(Open()->List().size(), 2u);
}

// Two threads create and revoke tokens. The store must contain exactly the tokens that were not
// revoked.
TEST_F(TokenStoreTest, CreateAndRevokeAreThreadSafe) {
  constexpr int kEach = 30;
  const auto store = Open();
  int told = 0;  // needs no lock, because calls are never concurrent
  store->SetRevocationCallback([&](const std::string&) { ++told; });
  std::vector<Token> kept[2];
  const auto work = [&](int me) {
    for (int i = 0; i < kEach; ++i) {
      const Token token = Created(*store, {.owner = absl::StrCat("owner", me)});
      EXPECT_TRUE(store->Authenticate(token.credential()));
      if (i % 2 == 0) {
        kept[me].push_back(token);
      } else {
        DL_EXPECT_OK(store->Revoke(token.id));
        EXPECT_FALSE(store->Authenticate(token.credential()));
      }
      (void)store->List();
    }
  };
  {
    Thread one("one", [&] { work(0); }), other("other", [&] { work(1); });
  }
  EXPECT_EQ(told, kEach);
  std::set<std::string> expected;
  for (const auto& tokens : kept) {
    for (const Token& token : tokens) expected.insert(token.id);
  }
  EXPECT_EQ(expected.size(), size_t{kEach});
  EXPECT_EQ(Ids(*store), expected);
  const auto again = Open();
  EXPECT_EQ(Ids(*again), expected);
  for (const Token& token : kept[1])
    EXPECT_EQ(again->Authenticate(token.credential())->owner, "owner1");
}

}  // namespace
}  // namespace dl::security
