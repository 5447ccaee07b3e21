#include "security/token_store.h"

#include <openssl/crypto.h>

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "base/document_version.h"
#include "base/files.h"
#include "base/json.h"
#include "base/lower_hex.h"

namespace dl::security {
namespace {

constexpr size_t kHashDigits = 64;

Json ToJson(const TokenRecord& record) {
  Json json = {{"id", record.id},
               {"owner", record.owner},
               {"role", RoleName(record.role)},
               {"created_unix_ms", record.created_unix_ms},
               {"secret_sha256", record.secret_sha256}};
  if (record.expires_unix_ms > 0) json["expires_unix_ms"] = record.expires_unix_ms;
  if (!record.executor.empty()) json["executor"] = record.executor;
  return json;
}

StatusOr<TokenRecord> RecordFromJson(const Json& json, const std::string& path) {
  TokenRecord record;
  std::string role;
  JsonObjectReader reader(json, path);
  for (const char* key : {"id", "owner", "role", "created_unix_ms", "secret_sha256"})
    reader.Require(key);
  reader.String("id", record.id);
  reader.String("owner", record.owner);
  reader.OneOf("role", role, {"read", "submit", "execute", "admin"});
  reader.Int("created_unix_ms", record.created_unix_ms, {.min = 0});
  reader.Int("expires_unix_ms", record.expires_unix_ms, {.min = 1});
  reader.String("secret_sha256", record.secret_sha256);
  reader.String("executor", record.executor);
  if (!IsTokenId(record.id)) reader.AddError("id", "is not the id of a token");
  if (!IsOwnerName(record.owner)) reader.AddError("owner", "is not a valid name of an owner");
  if (!IsSha256Hex(record.secret_sha256)) reader.AddError("secret_sha256", "is not a SHA-256 hash");
  DL_RETURN_IF_ERROR(reader.Finish());
  DL_ASSIGN_OR_RETURN(record.role, ParseRole(role));
  return record;
}

}  // namespace

Json ToJson(const std::vector<TokenRecord>& records) {
  Json list = Json::array();
  for (const TokenRecord& record : records) list.push_back(ToJson(record));
  return {{"format", kTokensDocument.version()}, {"tokens", std::move(list)}};
}

StatusOr<std::vector<TokenRecord>> TokensFromJson(const Json& json) {
  DL_ASSIGN_OR_RETURN(const CurrentDocument document, UpgradeToCurrent(kTokensDocument, json, ""));
  JsonObjectReader reader = document.Reader();
  std::vector<TokenRecord> records;
  std::set<std::string> ids;
  if (const Json* list = reader.Child("tokens"); list == nullptr || !list->is_array()) {
    reader.AddError("tokens", "must be a list");
  } else {
    for (size_t i = 0; i < list->size(); ++i) {
      const std::string path = absl::StrCat("tokens[", i, "]");
      auto record = RecordFromJson((*list)[i], path);
      if (!record.ok()) {
        reader.AddErrors(record.status());
      } else if (!ids.insert(record->id).second) {
        reader.AddError(path, "has the same id as another token");
      } else {
        records.push_back(*std::move(record));
      }
    }
  }
  DL_RETURN_IF_ERROR(document.Explain(reader.Finish()));
  return records;
}

namespace {

StatusOr<std::vector<TokenRecord>> ReadTokenFileRecords(const std::string& path) {
  DL_ASSIGN_OR_RETURN(const std::string text, ReadFile(path, limits::kMaxJsonBytes));
  DL_ASSIGN_OR_RETURN(const Json json, ParseJson(text, path));
  return TokensFromJson(json);
}

}  // namespace

StatusOr<std::unique_ptr<TokenStore>> TokenStore::Open(const std::string& path,
                                                       const Clock& clock) {
  std::unique_ptr<TokenStore> store(new TokenStore(path, clock));
  DL_RETURN_IF_ERROR(store->Load());
  return store;
}

Status TokenStore::Load() {
  if (path_.empty()) return absl::OkStatus();
  auto records = ReadTokenFileRecords(path_);
  if (absl::IsNotFound(records.status())) return absl::OkStatus();
  if (!records.ok()) {
    const Status& failed = records.status();
    if (absl::IsUnimplemented(failed)) {
      return VersionMismatch({.message = std::string(failed.message()),
                              .where = path_,
                              .remedy = ErrorRemedy(failed)});
    }
    if (!absl::IsInvalidArgument(failed)) return failed;
    return DataLoss({.message = absl::StrCat("the list of tokens is damaged: ",
                                             std::string(records.status().message())),
                     .where = path_,
                     .remedy = "Restore the file from a backup, or move it away and create new "
                               "tokens: dl-submit cluster token create"});
  }
  Records loaded;
  for (TokenRecord& record : *records) loaded[record.id] = std::move(record);
  MutexLock lock(mutex_);
  Use(std::move(loaded));
  return absl::OkStatus();
}

void TokenStore::Use(Records records) {
  records_ = std::move(records);
  reserved_.clear();
  for (const auto& [id, record] : records_) {
    if (!record.executor.empty()) reserved_.insert(record.executor);
  }
}

Status TokenStore::Store(const Records& records) const {
  if (path_.empty()) return absl::OkStatus();
  std::vector<TokenRecord> list;
  for (const auto& [id, record] : records) list.push_back(record);
  return AtomicWriteSecret(path_, JsonText(ToJson(list)) + "\n");
}

StatusOr<Token> TokenStore::Create(const NewToken& wanted) {
  if (!IsOwnerName(wanted.owner)) {
    return InvalidArgument(
        {.message = absl::StrCat("\"", absl::CHexEscape(wanted.owner.substr(0, 80)),
                                 "\" cannot own a token"),
         .remedy = absl::StrCat("Use ", kOwnerNameRule)});
  }
  if (wanted.lifetime < Duration(0)) {
    return InvalidArgument({.message = "a token cannot have expired when it is made"});
  }
  if (!wanted.executor.empty() && wanted.role != Role::kExecute) {
    return InvalidArgument(
        {.message = absl::StrCat("a token of the role ", std::string(RoleName(wanted.role)),
                                 " cannot be limited to an executor"),
         .remedy = "Use the role execute, or name no executor"});
  }
  DL_ASSIGN_OR_RETURN(Token token, MakeToken(wanted.ca));
  const int64_t now = wall_.UnixMs();
  MutexLock lock(mutex_);
  // Expired tokens stay listed until the space is needed. A token that reserves a name stays until
  // an admin revokes it.
  Records records = records_;
  if (static_cast<int64_t>(records.size()) >= limits::kMaxTokens) {
    std::erase_if(records, [now](const auto& entry) {
      return entry.second.executor.empty() && entry.second.ExpiredAt(now);
    });
  }
  if (static_cast<int64_t>(records.size()) >= limits::kMaxTokens) {
    return ResourceExhausted({.message = absl::StrCat("there are ", limits::kMaxTokens, " tokens"),
                              .remedy =
                                  "Revoke tokens that are not needed: dl-submit cluster token "
                                  "list, dl-submit cluster token revoke ID"});
  }
  TokenRecord record{.id = token.id,
                     .owner = wanted.owner,
                     .role = wanted.role,
                     .created_unix_ms = now,
                     .secret_sha256 = HashOfSecret(token.secret),
                     .executor = wanted.executor};
  if (wanted.lifetime > Duration(0)) {
    record.expires_unix_ms =
        now + std::chrono::ceil<std::chrono::milliseconds>(wanted.lifetime).count();
  }
  records[record.id] = std::move(record);
  DL_RETURN_IF_ERROR(Store(records));
  Use(std::move(records));
  return token;
}

Status TokenStore::Revoke(const std::string& id) {
  {
    MutexLock lock(mutex_);
    Records records = records_;
    if (records.erase(id) == 0) {
      return NotFound(
          {.message = absl::StrCat("there is no token ", absl::CHexEscape(id.substr(0, 40))),
           .remedy = "dl-submit cluster token list names them"});
    }
    DL_RETURN_IF_ERROR(Store(records));
    Use(std::move(records));
  }
  MutexLock lock(callback_mutex_);
  if (callback_) callback_(id);
  return absl::OkStatus();
}

void TokenStore::SetRevocationCallback(RevocationCallback callback) {
  MutexLock lock(callback_mutex_);
  callback_ = std::move(callback);
}

std::vector<TokenRecord> TokenStore::List() const {
  std::vector<TokenRecord> list;
  {
    MutexLock lock(mutex_);
    for (const auto& [id, record] : records_) list.push_back(record);
  }
  std::stable_sort(list.begin(), list.end(), [](const TokenRecord& a, const TokenRecord& b) {
    return a.created_unix_ms < b.created_unix_ms;
  });
  return list;
}

std::optional<Identity> TokenStore::Authenticate(std::string_view text) const {
  const Credential credential = ParseCredential(text);
  const std::string hash = HashOfSecret(credential.secret);
  TokenRecord record{.secret_sha256 = std::string(kHashDigits, '-')};  // matches no secret
  {
    MutexLock lock(mutex_);
    if (auto found = records_.find(credential.id); found != records_.end()) record = found->second;
  }
  const bool right = CRYPTO_memcmp(hash.data(), record.secret_sha256.data(), kHashDigits) == 0;
  if (!right || record.ExpiredAt(wall_.UnixMs())) return std::nullopt;
  return Identity{
      .owner = record.owner, .role = record.role, .token = record.id, .executor = record.executor};
}

bool TokenStore::IsReserved(std::string_view executor) const {
  MutexLock lock(mutex_);
  return reserved_.contains(executor);
}

bool TokenStore::IsValid(const std::string& id) const {
  MutexLock lock(mutex_);
  const auto found = records_.find(id);
  return found != records_.end() && !found->second.ExpiredAt(wall_.UnixMs());
}

Instant TokenStore::ValidUntil(const std::string& id) const {
  const Instant now = clock_.Now();
  MutexLock lock(mutex_);
  const auto found = records_.find(id);
  if (found == records_.end()) return now;
  if (found->second.expires_unix_ms == 0) return Instant::Max();
  constexpr int64_t kYearMs = int64_t{365} * 24 * 3600 * 1000;  // callers ask again by then
  const int64_t left = found->second.expires_unix_ms - wall_.UnixMs();
  return now + std::chrono::milliseconds(std::clamp<int64_t>(left, 0, kYearMs));
}

}  // namespace dl::security
