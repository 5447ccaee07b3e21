// The files of a source: one or several files of the same kind, which are read one after the other.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_fwd.h"
#include "base/limits.h"
#include "nn/conf/field.h"
#include "nn/conf/key_row.h"
#include "nn/conf/mistakes.h"

namespace dl::job {

// Paths and patterns ("data/part-*.csv"), in this order. A pattern stands for the matching files at
// the time of reading, sorted by the bytes of their paths (dataset/readers/source_paths.h). In JSON
// a string or a list of strings; a single name is written as a string. 1 to limits::kMaxSourceFiles
// names of at most limits::kMaxPath bytes.
struct Files {
  std::vector<std::string> names;

  Files() = default;
  Files(const char* name) : names{name} {}                        // NOLINT: implicit on purpose
  Files(std::string name) : names{std::move(name)} {}             // NOLINT: implicit on purpose
  Files(std::vector<std::string> all) : names(std::move(all)) {}  // NOLINT: implicit on purpose
  Files(std::initializer_list<std::string> all) : names(all) {}
  bool operator==(const Files&) const = default;
};

// Like Files, but always written as a list in JSON, so that older readers can read it.
struct FileList : Files {
  using Files::Files;
  bool operator==(const FileList&) const = default;
};

// Functions that nn/conf/field.h requires for a member type. ReadValue accepts a string and a list
// for both types.
void ReadValue(JsonObjectReader& reader, std::string_view key, Files& out);
Json ToJson(const Files& files);
Json ToJson(const FileList& files);
void CheckValue(const nn::Field& field, const Files& files, nn::Mistakes& mistakes);
void DescribeValue(const nn::Field& field, const Files& files, std::vector<nn::KeyRow>& rows);
void DescribeValue(const nn::Field& field, const FileList& files, std::vector<nn::KeyRow>& rows);

// Keys that several formats share, with the same meaning in each.
inline constexpr nn::Field kPathField{
    .key = "path",
    .what = "path",
    .max = limits::kMaxPath,
    .presence = nn::Field::Presence::kRequired,
    .meaning =
        "File or files, read in order: a path, a pattern such as `part-*.csv`, or a list of these. "
        "Plain, gzip or zstd; npz files must be plain. `paths` is an alias"};
inline constexpr nn::Field kPathsField{
    .key = "paths",
    .what = "paths",
    .max = limits::kMaxPath,
    .presence = nn::Field::Presence::kRequired,
    .meaning =
        "Batch files, read in order: paths and patterns such as `data_batch_*.bin`. Plain, gzip or "
        "zstd. `path` is an alias"};
inline constexpr nn::Field kFeaturesField{.key = "features",
                                          .what = "features",
                                          .max = limits::kMaxPath,
                                          .presence = nn::Field::Presence::kRequired,
                                          .meaning =
                                              "File or files with the images or rows: a path, a "
                                              "pattern, or a list of these. Plain, gzip or zstd"};
inline constexpr nn::Field kLabelsField{.key = "labels",
                                        .what = "labels",
                                        .max = limits::kMaxPath,
                                        .meaning =
                                            "File or files with the labels, one file for each of "
                                            "`features`; null = none, requires `label_type` none"};

}  // namespace dl::job
