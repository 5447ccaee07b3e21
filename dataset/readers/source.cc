#include "dataset/readers/source.h"

#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "base/checksum.h"
#include "base/json.h"
#include "dataset/readers/cifar10.h"
#include "dataset/readers/csv.h"
#include "dataset/readers/file_error.h"
#include "dataset/readers/idx.h"

namespace dl::dataset {
namespace {

// Raised when a reader or the import makes something else of the same files.
constexpr int kImportVersion = 1;

std::vector<std::string> PathsOf(const Source& source) {
  std::vector<std::string> paths = source.features;
  if (!source.labels.empty()) paths.push_back(source.labels);
  return paths;
}

std::string_view SourceFormatName(SourceFormat format) {
  switch (format) {
    case SourceFormat::kIdx:
      return "idx";
    case SourceFormat::kCifar10:
      return "cifar10";
    case SourceFormat::kCsv:
      return "csv";
  }
  return "unknown";
}

}  // namespace

StatusOr<ExampleTable> ReadSource(const Source& source, const Schema* training,
                                  const RowMemory& memory) {
  if (source.format == SourceFormat::kCifar10) {
    return ReadCifar10({.paths = source.features, .training = training, .memory = memory});
  }
  if (source.features.size() != 1) {
    return InvalidArgument({.message = absl::StrCat(
                                "a source of format ", std::string(SourceFormatName(source.format)),
                                " has ", source.features.size(), " files of features"),
                            .remedy = "Name one file"});
  }
  if (source.format == SourceFormat::kIdx) {
    return ReadIdx({.features = source.features[0],
                    .labels = source.labels,
                    .class_names = source.class_names,
                    .memory = memory,
                    .training = training});
  }
  return ReadCsv({.path = source.features[0],
                  .separator = source.separator,
                  .header = source.header,
                  .label_column = source.label_column,
                  .label_index = source.label_index,
                  .label_kind = source.label_kind,
                  .training = training,
                  .memory = memory});
}

StatusOr<std::string> SourceFingerprint(const Source& source, const CutOptions& options,
                                        const Schema* training) {
  Sha256 hash;
  const auto add = [&hash](std::string_view text) {
    hash.UpdateU64(text.size());
    hash.Update(text);
  };
  hash.UpdateU32(kImportVersion);
  hash.UpdateU64(source.features.size());
  for (const std::string& path : PathsOf(source)) {
    struct stat file;
    if (::stat(path.c_str(), &file) != 0) {
      if (errno == ENOENT) return NoSuchFile(path);
      return NotFound({.message = absl::StrCat("cannot read the file: ",
                                               std::generic_category().message(errno)),
                       .where = path,
                       .remedy = "Name a file that this user may read"});
    }
    std::error_code unused;  // a file that is there has an absolute path
    add(std::filesystem::absolute(path, unused).string());
    hash.UpdateU64(static_cast<uint64_t>(file.st_size));
    // Not only when its content was written, which copying may preserve: also which file it is, and
    // when anything about it was changed.
    hash.UpdateU64(file.st_ino);
    for (const timespec& time : {file.st_mtim, file.st_ctim}) {
      hash.UpdateU64(static_cast<uint64_t>(time.tv_sec));
      hash.UpdateU64(static_cast<uint64_t>(time.tv_nsec));
    }
  }
  for (const std::string& name : source.class_names) add(name);
  add(SourceFormatName(source.format));
  add(std::string_view(&source.separator, 1));
  add(source.header ? "header" : "");
  add(source.label_column);
  hash.UpdateU64(static_cast<uint64_t>(source.label_index));
  hash.UpdateU64(static_cast<uint64_t>(source.label_kind));
  hash.UpdateU64(static_cast<uint64_t>(options.normalizer));
  add(options.fitted ? NormalizerSha256(*options.fitted) : "");
  hash.UpdateU64(static_cast<uint64_t>(options.order));
  hash.UpdateU64(options.shuffle_key);
  hash.UpdateU64(static_cast<uint64_t>(options.compression));
  hash.UpdateU64(static_cast<uint64_t>(options.block_bytes));
  add(training != nullptr ? SchemaToJson(*training).dump() : "");
  return hash.HexDigest();
}

}  // namespace dl::dataset
