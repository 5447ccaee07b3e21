// What a user says about the files of one split, whatever their format.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "dataset/block_cutting.h"
#include "dataset/example_table.h"

namespace dl::dataset {

// Stored by name.
enum class SourceFormat : uint8_t { kIdx = 1, kCifar10 = 2, kCsv = 3 };

struct Source {
  SourceFormat format = SourceFormat::kIdx;
  std::vector<std::string> features;     // files: one for idx and csv, any number for cifar10
  std::string labels;                    // idx only
  std::vector<std::string> class_names;  // idx only, optional
  // csv only; see readers/csv.h
  char separator = ',';
  bool header = true;
  std::string label_column;
  int64_t label_index = -1;
  LabelKind label_kind = LabelKind::kClass;
};

// `training`: for a test split, the training split's schema, which this one must fit and whose
// class names it maps to.
StatusOr<ExampleTable> ReadSource(const Source& source, const Schema* training = nullptr,
                                  const RowMemory& memory = {});

// SHA-256 over the files' absolute paths, sizes and modification times, and everything that decides
// what an import makes of them: the key under which an earlier import may be used again. Errors: a
// file is not there.
StatusOr<std::string> SourceFingerprint(const Source& source, const CutOptions& options,
                                        const Schema* training = nullptr);

}  // namespace dl::dataset
