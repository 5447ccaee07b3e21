#include "job/sources/source_files.h"

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/utf8.h"

namespace dl::job {

void ReadValue(JsonObjectReader& reader, std::string_view key, Files& out) {
  const Json* json = reader.Child(key);
  if (json == nullptr) return;
  if (json->is_string()) {
    out = json->get<std::string>();
  } else if (json->is_array()) {
    reader.StringList(key, out.names);
  } else {
    reader.AddError(key, absl::StrCat("must be a path or a list of paths, is ", json->dump()));
  }
}

Json ToJson(const Files& files) {
  return files.names.size() == 1 ? Json(files.names.front()) : Json(files.names);
}
Json ToJson(const FileList& files) { return files.names; }

void CheckValue(const nn::Field& field, const Files& files, nn::Mistakes& mistakes) {
  const std::string what(field.what);
  if (files.names.empty() || static_cast<int64_t>(files.names.size()) > limits::kMaxSourceFiles) {
    mistakes.Add(absl::StrCat(what, " names ", files.names.size(), " files"),
                 absl::StrCat("Name 1 to ", limits::kMaxSourceFiles));
    return;
  }
  for (const std::string& name : files.names) {
    if (name.empty()) {
      mistakes.Add(what + " is empty", "Name a file");
    } else if (static_cast<int64_t>(name.size()) > limits::kMaxPath) {
      mistakes.Add(absl::StrCat(what, " has ", name.size(), " bytes"),
                   absl::StrCat("Use at most ", limits::kMaxPath));
    } else if (!IsUtf8(name) || name.find('\0') != std::string::npos) {
      mistakes.Add(what + " is not valid UTF-8 text", "Rename the file");
    }
  }
}

void DescribeValue(const nn::Field& field, const Files& files, std::vector<nn::KeyRow>& rows) {
  rows.push_back(nn::RowOf(field, nn::KeyType::kStringOrList, ToJson(files)));
}
void DescribeValue(const nn::Field& field, const FileList& files, std::vector<nn::KeyRow>& rows) {
  rows.push_back(nn::RowOf(field, nn::KeyType::kStringList, ToJson(files)));
}

}  // namespace dl::job
