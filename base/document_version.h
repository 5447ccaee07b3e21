// Versions of documents. A document that is stored or written by a user names the version of its
// kind; a document without a version always has version 1. Readers know only the current version:
// earlier versions from DocumentKind's `oldest` on are upgraded first, all others are refused.
// docs/formats.md has the rules, docs/adding.md explains how to add a version.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/document_kind.h"
#include "base/json.h"
#include "base/status.h"

namespace dl {

// A document while it is being upgraded.
class DocumentUpgrade {
 public:
  // Copies `written`. The original must outlive the object, because Move() looks up paths in it.
  explicit DocumentUpgrade(const Json& written) : written_(&written), json_(written) {}

  Json& json() { return json_; }
  // Moves the value at `from` to `to`, and records the move for error messages. Both are paths from
  // the document's root, such as "layers[2].size". Missing objects on the path to `to` are created.
  // Does nothing if `from` does not exist. Does nothing if `to` exists already or its path is
  // blocked; the reader then reports the key at `from` as unknown. A value blocks a path if it is
  // neither an object nor a list with the index of the path.
  void Move(std::string_view from, std::string_view to);

  struct Moved {
    std::string written, now;  // the path in the document as written, and the path after all moves
  };
  const std::vector<Moved>& moved() const { return moved_; }

 private:
  const Json* written_;
  Json json_;
  std::vector<Moved> moved_;
};

// A document in the current version of its kind.
class CurrentDocument {
 public:
  const Json& json() const { return own_ ? *own_ : *written_; }
  // Returns a reader of the document. The reader already knows the key of the version.
  JsonObjectReader Reader() const;
  // Adds the old names of moved keys to the remedy of an error of the reader. The error itself
  // names keys as in the current version, but the user sees the document as it was written. Returns
  // the status unchanged if it is OK or no key was moved.
  Status Explain(const Status& status) const;

  // Upgrades the document under the key `member` of this document. Does nothing if this document is
  // not an object or lacks the key. Returns the errors of UpgradeToCurrent.
  Status UpgradeMember(const DocumentKind& kind, std::string_view member);

 private:
  friend StatusOr<CurrentDocument> UpgradeToCurrent(const DocumentKind&, const Json&,
                                                    std::string_view);
  CurrentDocument(const DocumentKind& kind, const Json& written, std::string_view path)
      : written_(&written), key_(kind.key()), path_(path) {}

  const Json* written_;
  std::optional<Json> own_;  // set if the document differs from `written`
  std::string_view key_;
  std::string path_;
  std::vector<std::string> notes_;  // the names of moved keys in the document as written
};

// Returns `json` in the current version of its kind. A value that is not an object is returned
// unchanged; the reader reports it. `json` must outlive the result. `path` is the path of `json`
// for messages ("model"; "" for the root). Returns InvalidArgument if the version is not a positive
// integer or is too old, and VersionMismatch if it is too new. Both errors name the path.
StatusOr<CurrentDocument> UpgradeToCurrent(const DocumentKind& kind, const Json& json,
                                           std::string_view path);

}  // namespace dl
