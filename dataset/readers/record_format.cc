#include "dataset/readers/record_format.h"

#include <algorithm>
#include <initializer_list>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_split.h"
#include "dataset/readers/format_remedies.h"

namespace dl::dataset {
namespace {

// Returns the first lines of the text without the last one, which may be incomplete.
std::vector<std::string> Lines(std::string_view text) {
  std::vector<std::string> lines = absl::StrSplit(std::string(text), '\n');
  lines.pop_back();
  for (std::string& line : lines) {
    if (line.ends_with('\r')) line.pop_back();
  }
  return lines;
}

// Returns whether the line is a part of a sequence of bases or amino acids.
bool IsSequence(const std::string& line) {
  return std::ranges::all_of(line, [](char c) {
    return absl::ascii_isalpha(static_cast<unsigned char>(c)) || c == '*' || c == '-';
  });
}

// A line of ">" and a name, then lines of letters.
bool IsFasta(std::string_view text) {
  if (!text.starts_with(">")) return false;
  const std::vector<std::string> lines = Lines(text);
  return lines.size() > 1 && !lines[1].empty() && IsSequence(lines[1]) &&
         std::ranges::all_of(lines, [](const std::string& line) {
           return line.starts_with(">") || line.starts_with(";") || IsSequence(line);
         });
}

// "@" and a name, a sequence, "+", and as many signs of quality as the sequence has letters.
bool IsFastq(std::string_view text) {
  if (!text.starts_with("@")) return false;
  const std::vector<std::string> lines = Lines(text);
  constexpr size_t kRecord = 4;
  return lines.size() >= kRecord && !lines[1].empty() && IsSequence(lines[1]) &&
         lines[2].starts_with("+") && lines[3].size() == lines[1].size();
}

bool IsVcf(std::string_view text) { return text.starts_with("##fileformat=VCF"); }

// Returns whether the text is "---" or "- name: value" with more lines of "name: value".
bool IsYaml(std::string_view text) {
  const std::vector<std::string> lines = Lines(text);
  const auto is_entry = [](std::string_view line) {
    const size_t begin = line.find_first_not_of(" -"), colon = line.find(':');
    if (begin == std::string_view::npos || colon == std::string_view::npos || colon <= begin)
      return false;
    const std::string_view name = line.substr(begin, colon - begin);
    return (colon + 1 == line.size() || line[colon + 1] == ' ') &&
           std::ranges::all_of(name, [](char c) {
             return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-';
           });
  };
  if (lines.size() < 2 || !is_entry(lines[1])) return text.starts_with("%YAML");
  return lines[0] == "---" ||
         (lines[0].starts_with("- ") && is_entry(lines[0]) && lines[1].starts_with("  "));
}

// Returns whether the text is "[name]" with lines of "name = value" below it, as of INI and TOML.
bool IsSettings(std::string_view text) {
  const std::vector<std::string> lines = Lines(text);
  return lines.size() > 1 && lines[0].starts_with("[") && lines[0].ends_with("]") &&
         lines[0].find(',') == std::string::npos && lines[1].find('=') != std::string::npos &&
         lines[1].find(',') == std::string::npos;
}

bool IsIndex(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// Returns whether all lines of the text are alike.
bool AllLines(std::string_view text, bool (*is)(const std::string& line)) {
  const std::vector<std::string> lines = Lines(text);
  return lines.size() > 1 && std::ranges::all_of(lines, is);
}

// A label, then "|" and the name of a group of features: "-1 |f a:0.5 b:2".
bool IsVowpalWabbit(std::string_view text) {
  return AllLines(text, [](const std::string& line) {
    const size_t bar = line.find(" |");
    return bar != std::string::npos && bar + 2 < line.size() &&
           absl::ascii_isalpha(static_cast<unsigned char>(line[bar + 2])) &&
           line.find_first_not_of("0123456789.+-' ") == bar + 1;
  });
}

// A label, then entries of a field, a feature and a value: "1 0:3:0.5 1:7:1".
bool IsLibffm(std::string_view text) {
  return AllLines(text, [](const std::string& line) {
    const std::vector<std::string> words = absl::StrSplit(line, ' ', absl::SkipEmpty());
    return words.size() > 1 && std::all_of(words.begin() + 1, words.end(), [](const auto& word) {
             const std::vector<std::string> parts = absl::StrSplit(word, ':');
             return parts.size() == 3 && IsIndex(parts[0]) && IsIndex(parts[1]);
           });
  });
}

// Texts after labels: "__label__pos a good film".
bool IsFastText(std::string_view text) {
  return AllLines(text, [](const std::string& line) { return line.starts_with("__label__"); });
}

// The names of the columns stand in the last line that begins with "#".
constexpr std::string_view kRemoveComments =
    "Remove the lines that begin with ##, and the # before CHROM: grep -v '^##' FILE | sed "
    "'s/^#//' > table.tsv";

// Returns whether the text begins with one of the others.
bool BeginsWith(std::string_view text, std::initializer_list<std::string_view> begins) {
  return std::ranges::any_of(begins, [&](auto begin) { return text.starts_with(begin); });
}

bool Has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// A graph or a tree as text: Graphviz, GML, Newick.
bool IsGraph(std::string_view text) {
  const bool is_graph = BeginsWith(text, {"digraph ", "strict ", "graph {", "graph [", "graph G"});
  const std::string_view line = text.substr(0, text.find('\n'));
  const bool is_newick = text.starts_with("(") && Has(line, ":") && Has(line, ");") &&
                         line.find_first_of("\"'") == std::string_view::npos;
  return (is_graph && text.find_first_of("{[") != std::string_view::npos) || is_newick;
}

// Points of a mesh: OBJ, PLY, OFF, STL.
bool IsMesh(std::string_view text) {
  const std::vector<std::string> lines = Lines(text);
  const auto begin = [&](std::string_view sign) {
    return std::ranges::count_if(lines, [&](const auto& line) { return line.starts_with(sign); });
  };
  const bool is_obj = begin("v ") > 2 && begin("v ") + begin("f ") + begin("#") + begin("vn ") +
                                                 begin("vt ") + begin("o ") + begin("g ") +
                                                 begin("s ") + begin("mtllib") + begin("usemtl") ==
                                             std::ssize(lines);
  return is_obj || (text.starts_with("ply") && Has(text, "\nend_header")) ||
         BeginsWith(text, {"OFF\n", "OFF\r\n", "COFF\n", "NOFF\n"}) ||
         (text.starts_with("solid") && Has(text, "facet normal"));
}

// "P1", "P2" or "P3", comments, then the numbers of columns and of rows.
bool IsPlainImage(std::string_view text) {
  std::vector<std::string> words;
  for (const std::string& line : Lines(text)) {
    if (line.starts_with("#")) continue;
    const std::vector<std::string> of_line = absl::StrSplit(line, ' ', absl::SkipEmpty());
    words.insert(words.end(), of_line.begin(), of_line.end());
  }
  return words.size() > 3 && (words[0] == "P1" || words[0] == "P2" || words[0] == "P3") &&
         IsIndex(words[1]) && IsIndex(words[2]);
}

// saveRDS(ascii = TRUE) of R: "A", the version of the format, the version of R.
bool IsTextOfR(std::string_view text) {
  const std::vector<std::string> lines = Lines(text);
  constexpr size_t kDigitsOfVersion = 5;
  const bool is_rds = lines.size() > 3 && lines[0] == "A" && (lines[1] == "2" || lines[1] == "3") &&
                      IsIndex(lines[2]) && lines[2].size() > kDigitsOfVersion;
  return is_rds || text.starts_with("structure(list(");
}

// A description of a data set: .names of UCI and of C4.5.
bool IsDescription(std::string_view text) {
  const bool has_numbers = Has(text, "Number of Instances") || Has(text, "Number of Attributes");
  return (has_numbers && (BeginsWith(text, {"1. Title", "Title"}) || Has(text, ". Number of "))) ||
         (Has(text, ": continuous.") && Has(text, ".\n"));
}

// Returns whether the line is "Name: value", as of mail.
bool IsField(const std::string& line) {
  const size_t colon = line.find(": ");
  return colon != std::string::npos && colon > 0 &&
         std::all_of(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(colon),
                     [](unsigned char c) { return absl::ascii_isalpha(c) || c == '-'; });
}

bool IsMail(std::string_view text) {
  const std::vector<std::string> lines = Lines(text);
  const size_t first = text.starts_with("From ") ? 1 : 0;
  int64_t fields = 0, of_mail = 0;
  for (size_t i = first; i < lines.size() && !lines[i].empty(); ++i) {
    if (i > first && absl::ascii_isspace(static_cast<unsigned char>(lines[i].front()))) continue;
    if (!IsField(lines[i])) return false;
    ++fields;
    of_mail += BeginsWith(lines[i], {"From:", "To:", "Subject:", "Date:", "Received:",
                                     "Message-ID:", "Return-Path:", "MIME-Version:"});
  }
  return fields > 1 && of_mail > 1;
}

// Words with tags, a line each, and sentences between empty lines: CoNLL, CoNLL-U.
bool IsTaggedWords(std::string_view text) {
  if (BeginsWith(text, {"-DOCSTART-", "# sent_id", "# newdoc", "# global.columns"})) return true;
  int64_t words = 0, names = 0, gaps = 0;
  for (const std::string& line : Lines(text)) {
    if (line.empty()) {
      ++gaps;
      continue;
    }
    const std::vector<std::string> columns =
        absl::StrSplit(line, absl::ByAnyChar(" \t"), absl::SkipEmpty());
    const std::string& tag = columns.back();
    const bool is_name = tag.starts_with("B-") || tag.starts_with("I-");
    if (columns.size() < 2 || (!is_name && tag != "O")) return false;
    ++words;
    names += is_name;
  }
  constexpr int64_t kFew = 3;
  return words > kFew && names > 0 && gaps > 0;
}

bool IsAtoms(std::string_view text) {
  const bool has_atoms =
      Has(text, "\nATOM  ") || Has(text, "\nHETATM") || text.starts_with("ATOM  ");
  return (has_atoms && BeginsWith(text, {"HEADER ", "TITLE ", "REMARK ", "CRYST1", "MODEL ",
                                         "ATOM  ", "COMPND", "EXPDTA"})) ||
         (text.starts_with("data_") && Has(text, "\nloop_")) || Has(text, "\nM  END") ||
         Has(text, " V2000\n");
}

bool IsAlignment(std::string_view text) {
  return BeginsWith(text, {"##gff-version", "@HD\tVN:", "@SQ\tSN:", "track name=",
                           "browser position", "#NEXUS", "CLUSTAL W"});
}

bool IsSubtitles(std::string_view text) {
  const std::vector<std::string> lines = Lines(text);
  return text.starts_with("WEBVTT") ||
         (lines.size() > 2 && IsIndex(lines[0]) && Has(lines[1], " --> "));
}

bool IsCard(std::string_view text) {
  return BeginsWith(text, {"BEGIN:VCALENDAR", "BEGIN:VCARD", "BEGIN:VEVENT"});
}

bool IsBibliography(std::string_view text) {
  const size_t bracket = text.find('{');
  return text.starts_with("@") && bracket != std::string_view::npos && bracket > 1 &&
         std::ranges::all_of(text.substr(1, bracket - 1),
                             [](unsigned char c) { return absl::ascii_isalpha(c); });
}

bool IsPatch(std::string_view text) {
  return text.starts_with("diff --git ") || (text.starts_with("--- ") && Has(text, "\n+++ "));
}

bool IsKey(std::string_view text) { return text.starts_with("-----BEGIN "); }

// Requests of a web server, in its common format.
bool IsWebLog(std::string_view text) {
  return AllLines(text,
                  [](const std::string& line) { return Has(line, "] \"") && Has(line, " HTTP/"); });
}

// Measurements of InfluxDB, "name,tag=a value=1 TIME", or of Prometheus.
bool IsMetrics(std::string_view text) {
  if (BeginsWith(text, {"# HELP ", "# TYPE "})) return Has(text, "# TYPE ");
  return AllLines(text, [](const std::string& line) {
    const std::vector<std::string> words = absl::StrSplit(line, ' ');
    constexpr size_t kWords = 3, kDigitsOfTime = 10;
    return words.size() == kWords && words[0].find_first_of(",=") != std::string::npos &&
           Has(words[1], "=") && IsIndex(words[2]) && words[2].size() >= kDigitsOfTime;
  });
}

bool IsMatrixMarket(std::string_view text) { return text.starts_with("%%MatrixMarket"); }

bool IsOctave(std::string_view text) {
  return text.starts_with("# Created by Octave") ||
         (text.starts_with("# name: ") && Has(text, "\n# type: "));
}

bool IsRowsOfLatex(std::string_view text) {
  return AllLines(text, [](const std::string& line) { return line.ends_with("\\\\"); });
}

// Sentences of a receiver of positions.
bool IsNmea(std::string_view text) {
  return AllLines(text,
                  [](const std::string& line) { return line.starts_with("$G") && Has(line, ","); });
}

// Texts without markup, which a model of texts may learn.
struct Records {
  bool (*is)(std::string_view text);
  std::string_view what, remedy;
};
constexpr Records kRecords[] = {
    {IsFasta, "a FASTA file", kEncodeSequences},
    {IsFastq, "a FASTQ file", kEncodeSequences},
    {IsVcf, "a VCF file, whose names of columns stand below other lines", kRemoveComments},
    {IsYaml, "YAML, which is no table of text", kWriteRecords},
    {IsSettings, "a file of settings, no table", kNotData},
    {IsVowpalWabbit, "in the format of Vowpal Wabbit",
     "Write its features as CSV, or as libsvm: label index:value ..."},
    {IsLibffm, "in the format of libffm", "Write it as libsvm: label index:value ..."},
    {IsFastText, "in the format of fastText, texts after labels",
     "Turn the texts into numbers first, for example with TfidfVectorizer of scikit-learn, and "
     "save them as CSV or with numpy.savez"},
    {IsGraph, "a graph or a tree as text", kNotData},
    {IsMesh, "a mesh of points (OBJ, PLY, OFF or STL)",
     "Sample as many points of each mesh, and save arrays [examples, points, 3] with numpy.savez"},
    {IsPlainImage, "an image as text (PBM, PGM or PPM)", kConvertImage},
    {IsTextOfR, "an R data file", kWriteCsv},
    {IsDescription, "the description of a data set, as .names of UCI",
     "Name the file of the data, which is beside it, for example with the ending .data"},
    {IsMail, "mail", "Write the texts of the mails into a file of their own, or numbers for them"},
    {IsTaggedWords, "words with tags, as CoNLL has them",
     "Number the words and the tags, and save arrays [sentences, words] with numpy.savez"},
    {IsAtoms, "a list of atoms (PDB, CIF or MOL)", kWriteRecords},
    {IsAlignment, "a file of sequences or of their places (GFF, SAM, BED, NEXUS)",
     kEncodeSequences},
    {IsSubtitles, "subtitles", "Write their texts into a file of their own"},
    {IsCard, "a calendar or a list of contacts", kNotData},
    {IsBibliography, "a bibliography of BibTeX", kNotData},
    {IsPatch, "a patch of changes, no table", kNotData},
    {IsKey, "a key or a certificate", kNotData},
    {IsWebLog, "a log of a web server", kWriteRecords},
    {IsMetrics, "measurements of InfluxDB or Prometheus", "Export the query's result as CSV"},
    {IsMatrixMarket, "a matrix in the Matrix Market format",
     "Write it as libsvm: sklearn.datasets.dump_svmlight_file(scipy.io.mmread(...).tocsr(), "
     "labels, ...)"},
    {IsOctave, "a text file of Octave", "Save its arrays as CSV: csvwrite"},
    {IsRowsOfLatex, "rows of a LaTeX table", "Write them as CSV, with commas instead of &"},
    {IsNmea, "positions in the format NMEA 0183", kWriteRecords},
};

}  // namespace

std::optional<OtherFormat> RecognizeRecords(std::string_view text, const std::string& path) {
  for (const Records& records : kRecords) {
    if (records.is(text)) return FormatOf(records.what, records.remedy, path);
  }
  return std::nullopt;
}

}  // namespace dl::dataset
