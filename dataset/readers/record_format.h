// Recognizes text files whose records are no rows of a table.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "dataset/readers/foreign_format.h"

namespace dl::dataset {

// Recognizes FASTA, FASTQ, VCF and other files of biology, YAML, settings, mail, subtitles,
// calendars, bibliographies, logs, graphs, meshes, tagged words, images and arrays as text, and
// formats of other learning programs. `text` is the beginning of the file `path` without blanks
// before it. A model of texts may learn such files.
std::optional<OtherFormat> RecognizeRecords(std::string_view text, const std::string& path);

}  // namespace dl::dataset
