// Tests files that are not tables of text because of their format, encoding or layout. Each gives
// an error with the name of the format and a remedy.
#include "tests/unit/dataset/guessed_table.h"

namespace dl::dataset {
namespace {

using ::testing::HasSubstr;

struct FormatCase {
  const char* name;
  std::string text;
  std::vector<std::string> says;
};

// Returns the first bytes of a zip archive with one entry.
std::string ZipBegin(const std::string& entry) {
  return std::string("PK\3\4\x14\0\6\0\x08\0", 10) + std::string(16, '\0') +
         static_cast<char>(entry.size()) + std::string(3, '\0') + entry;
}

std::string Bytes(std::initializer_list<int> bytes) {
  std::string text;
  for (const int byte : bytes) text.push_back(static_cast<char>(byte));
  return text;
}

std::string Zeros(size_t count) { return std::string(count, '\0'); }

// A DBF table of a column NAME with one row.
std::string Dbase() {
  return Bytes({3, 120, 1, 31, 1, 0, 0, 0, 65, 0, 11, 0}) + Zeros(20) + "NAME" + Zeros(7) + "C" +
         Zeros(4) + "\x0a" + Zeros(15) + "\r aaaaaaaaaa";
}

std::vector<FormatCase> BinaryCases() {
  return {
      {"dBase", Dbase(), {"the file is a DBF table (dBase)", "CSV in UTF-8"}},
      {"SAS",
       Zeros(12) + "\xc2\xea\x81\x60\xb3\x14\x11\xcf\xbd\x92\x08" + Zeros(80),
       {"the file is a SAS data file", "pandas.read_sas"}},
      {"an old Stata file", Bytes({115, 2, 1, 0, 3}) + Zeros(80), {"a Stata file", "read_stata"}},
      {"a compressed SPSS file", "$FL3@(#) SPSS DATA FILE", {"an SPSS file"}},
      {"a portable SPSS file", "ASCII SPSS PORT FILE   \nA B C\n", {"an SPSS file"}},
      {"an old MATLAB file",
       Bytes({0, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 'x', 0}) + Zeros(96),
       {"the file is a MATLAB file", "scipy.io.loadmat"}},
      {"ORC", "ORC\n\x06\x08" + Zeros(9), {"the file is an ORC file", "pandas.read_orc"}},
      {"a column ORC", "ORC,b,y\n1,2,A\n2,3,B\n3,4,A\n", {"by \",\", names"}},
      {"the first Feather", "FEA1" + Zeros(9), {"a Feather file"}},
      {"columns FEA1, FEA2", "FEA1,FEA2,y\n1,2,A\n2,3,B\n3,4,A\n", {"by \",\", names"}},
      {"a stream of Arrow",
       "\xff\xff\xff\xff" + Bytes({120, 0, 0, 0, 16, 0, 0, 0}) + Zeros(40),
       {"a stream of Arrow"}},
      {"TFRecord",
       Bytes({6, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 10, 4, 10, 2, 8, 1}),
       {"the file is a TFRecord file", "TFRecordDataset"}},
      {"safetensors",
       Bytes({30, 0, 0, 0, 0, 0, 0, 0}) + "{\"a\":{\"dtype\":\"F32\"}}",
       {"a safetensors file", "weights of a model"}},
      {"the first pickle", "(dp0\nVa\np1\nI1\ns.", {"a Python pickle"}},
      {"an array in the first pickle", "cnumpy.core.multiarray\n_r\n", {"a Python pickle"}},
      {"zlib of the fastest level", "x\x01\x05\xc1\x81\x02\xff\xfe", {"compressed with zlib"}},
      {"a column x^2", "x^2,b,y\n1,2,A\n2,3,B\n3,4,A\n", {"by \",\", names"}},
      {"DuckDB", Zeros(8) + "DUCK" + Zeros(9), {"a DuckDB database", "duckdb -csv"}},
      {"Access", Bytes({0, 1, 0, 0}) + "Standard ACE DB" + Zeros(9), {"an Access database"}},
      {"a sound", "ID3" + Bytes({3, 0, 0}), {"the file is a sound"}},
      {"a Keras model", ZipBegin("metadata.json") + "PK config.json", {"a Keras model"}},
      {"Apple's Numbers", ZipBegin("Index/Document.iwa"), {"Apple's Numbers"}},
      {"unknown bytes", "\x82\xa1" + Bytes({97, 1, 2}) + "b\n", {"the file is binary"}},
  };
}

std::vector<FormatCase> RecordCases() {
  return {
      {"FASTA",
       ">seq1 desc\nACGTACGTAC\nGTACGT\n>seq2\nGGGTTTAA\n",
       {"the file is a FASTA file", "k-mer counts"}},
      {"a column >50K", ">50K,b,y\n1,2,A\n2,3,B\n3,4,A\n", {"by \",\", names"}},
      {"FASTQ", "@id\nGATT\n+\n!!!!\n@s2\nGATA\n+\n!!!!\n", {"the file is a FASTQ file"}},
      {"VCF",
       "##fileformat=VCFv4.2\n##x\n#CHROM\tPOS\tID\n1\t2\ta\n1\t3\tb\n",
       {"the file is a VCF file", "grep -v"}},
      {"YAML", "- a: 1\n  y: A\n- a: 2\n  y: B\n", {"the file is YAML"}},
      {"YAML with a begin", "---\na: 1\ny: A\n", {"the file is YAML"}},
      {"Vowpal Wabbit",
       "-1 |f a:0.5 b:2\n1 |f a:1 b:3\n-1 |f b:1\n",
       {"in the format of Vowpal Wabbit"}},
      {"libffm", "1 0:3:0.5 1:7:1\n0 0:2:0.5 1:9:1\n", {"in the format of libffm"}},
      {"fastText",
       "__label__pos a good film\n__label__neg a bad film\n",
       {"in the format of fastText", "TfidfVectorizer"}},
      {"settings", "[data]\na = 1\nb = 2\n", {"the file is a file of settings"}},
      {"time series of sktime",
       "# by hand\n@problemName X\n@timeStamps false\n@data\n1,2,3:A\n2,3,4:B\n",
       {"in the format of sktime", "load_from_tsfile"}},
  };
}

std::vector<FormatCase> FormatCases() {
  return {
      {"a picture", std::string("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16), {"the file is a PNG image"}},
      {"a database",
       std::string("SQLite format 3\0abc\ndef\n", 24),
       {"the file is an SQLite database", "sqlite3 -header -csv"}},
      {"bytes of another program",
       std::string("\1\2\0\0\0\3\0\n\0\0\0\1", 12),
       {"the file is binary"}},
      {"a byte 0 in a table",
       std::string("a,b,y\n1,2,A\n3,\0004,B\n", 19),
       {"error: line 3 holds a byte 0", "tr -d"}},
      {"an Excel file",
       ZipBegin("[Content_Types].xml"),
       {"the file is an Office file, as Excel's .xlsx", "save the sheet as CSV in UTF-8"}},
      {"a zip archive", ZipBegin("a.csv"), {"the file is a zip archive with a.csv", "unzip "}},
      {"an old Excel file", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1rest", {"Excel's .xls"}},
      {"a Parquet file", "PAR1\x15\4", {"the file is a Parquet file", "pandas.read_parquet"}},
      {"an Arrow file", std::string("ARROW1\0\0\1", 9), {"the file is an Arrow or Feather file"}},
      {"a pickle", "\x80\4\x95\1\1", {"the file is a Python pickle"}},
      {"a MATLAB file", "MATLAB 5.0 MAT-file, Platform: X", {"the file is a MATLAB file"}},
      {"a new MATLAB file", "MATLAB 7.3 MAT-file, Platform: X", {"the file is a MATLAB file"}},
      {"an old pickle", "\x80\2}q\1", {"the file is a Python pickle"}},
      {"an R object", std::string("X\n\0\0\0\3", 6), {"the file is an R data file"}},
      {"a sheet in SYLK",
       "ID;PWXL;N;E\nC;Y1;X1;K\"a\"\nC;Y1;X2;K\"y\"\nC;Y2;X1;K1\nC;Y2;X2;K2\nE\n",
       {"the file is a sheet in SYLK"}},
      {"a column ID", "ID;Price;Class\n1;2.5;A\n2;3.5;B\n3;1.5;A\n", {"by \";\", names"}},
      {"a WebP image", std::string("RIFF\1\0\0\0WEBPVP8 ", 16), {"the file is a WebP image"}},
      {"a HEIC image",
       std::string("\0\0\0\x18"
                   "ftypheic",
                   12),
       {"the file is a HEIC image"}},
      {"a script", "#!/bin/sh\necho a,b\n", {"the file is a script", "chmod +x"}},
      {"a PDF document", "%PDF-1.4\n%x\n", {"the file is a PDF document"}},
      {"a tar archive",
       "a.csv" + std::string(95, '\0') + "0000644" + std::string(150, '0') + "ustar\n",
       {"the file is a tar archive"}},
      {"a Word document",
       ZipBegin("[Content_Types].xml") + "PK word/document.xml",
       {"the file is a Word document", "plain text in UTF-8"}},
      {"a FITS file", "SIMPLE  =                    T / conforms", {"the file is a FITS file"}},
      {"a DICOM file", std::string(128, '\0') + "DICM\2", {"the file is a DICOM file"}},
      {"statements of SQL",
       "INSERT INTO t VALUES (1,2,'A');\nINSERT INTO t VALUES (2,3,'B');\n",
       {"the file is a dump of SQL", "psql --csv"}},
      {"rows of a statement of SQL", "(1, 2.5, 'A'),\n(2, 1.5, 'B');\n", {"a dump of SQL"}},
      {"a dump of mysqldump",
       "-- MySQL dump 10.13\n--\n/*!40101 SET NAMES utf8 */;\nINSERT INTO t VALUES (1,2);\n",
       {"a dump of SQL"}},
      {"a dump of pg_dump",
       "--\n-- PostgreSQL database dump\n--\n\nCOPY t (a, y) FROM stdin;\n1\tA\n2\tB\n",
       {"a dump of SQL"}},
      {"a copy of PostgreSQL", "COPY t (a, y) FROM stdin;\n1\tA\n2\tB\n", {"a dump of SQL"}},
      {"names in parentheses", "(a),(b),y\n1,2,A\n2,1,B\n3,2,A\n4,1,B\n", {"by \",\", names"}},
      {"RTF", "{\\rtf1\\ansi a,b}\n", {"the file is an RTF document"}},
      {"JSON in one line", "[{\"a\":1,\"y\":\"A\"},{\"a\":2,\"y\":\"B\"}]", {"the file is JSON"}},
      {"JSON of many lines", "[\n  {\"a\": 1,\n   \"y\": \"A\"}\n]\n", {"the file is JSON"}},
      {"a part of a page", "<table>\n<tr><th>a</th></tr>\n</table>\n", {"a page of HTML or XML"}},
      {"a page after a comment", "<!-- saved -->\n<html>\n</html>\n", {"a page of HTML or XML"}},
      {"names of columns in signs",
       "<DATE>;<OPEN>;<CLOSE>\n20200101;1.5;A\n20200102;2.5;B\n20200103;2.5;A\n",
       {"by \";\", names", "<OPEN> numbers feature"}},
      {"placeholders between bars", "a|b|y\n1|2|A\n-|-|B\n3|4|A\n5|6|B\n", {"by \"|\", names"}},
      {"XML", "<data><row a=\"1\" b=\"2\"/></data>\n", {"a page of HTML or XML"}},
      {"Markdown",
       "| a | b | y |\n|---|---:|:--|\n| 1.5 | 2 | A |\n| 2.5 | 1 | B |\n",
       {"error: the file is a table of Markdown, with a line of dashes: line 2", "sed -e"}},
      {"Markdown without bars at the ends",
       "a | b | y\n--- | --- | ---\n1.5 | 2 | A\n2.5 | 1 | B\n",
       {"error: the file is a table of Markdown"}},
      {"what psql prints",
       " a | b | y\n---+---+---\n 1 | 2 | A\n 3 | 4 | B\n(2 rows)\n",
       {"error: the file is a table that is drawn with lines: line 2", "psql --csv"}},
      {"what mysql prints",
       "+---+---+\n| a | y |\n+---+---+\n| 1 | A |\n| 2 | B |\n+---+---+\n",
       {"error: the file is a table that is drawn with lines: line 1"}},
      {"reStructuredText",
       "===  ===  ===\na    b    y\n===  ===  ===\n1    2    A\n3    4    B\n===  ===  ===\n",
       {"error: the file is a table that is drawn with lines"}},
      {"LaTeX",
       "\\begin{tabular}{ll}\na & y \\\\\n1 & A \\\\\n\\end{tabular}\n",
       {"error: the file is a table of LaTeX"}},
      {"columns of a fixed width with fields that are empty",
       "a    b    y\n1    2    A\n3         B\n5    6    A\n",
       {"error: the file is a table of 3 columns of a fixed width; row 3 has 2 texts",
        "pandas.read_fwf"}},
      {"columns of a fixed width with blanks within texts",
       "name       age  y\nJohn Smith 20   A\nMary       30   B\nAl Bo      40   A\n",
       {"of a fixed width"}},
      {"columns without anything between them",
       "0011A\n0022B\n0033A\n",
       {"error: the file is lines of 5 characters each"}},

      {"ARFF",
       "% weather\n@relation w\n@attribute a numeric\n@data\n1,A\n2,B\n",
       {"error: the file is an ARFF file"}},
      {"JSON lines",
       "{\"a\": 1, \"y\": \"A\"}\n{\"a\": 2, \"y\": \"B\"}\n",
       {"error: the file is JSON"}},
      {"a page", "<!DOCTYPE html>\n<html>\n", {"error: the file is a page of HTML"}},
      {"a pointer of Git LFS",
       "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 3\n",
       {"git lfs pull"}},
      {"rows of libsvm",
       "1 1:0.5 2:1\n0 1:1 2:0.25\n1 1:2 2:3\n",
       {"error: the file holds rows of libsvm", ".libsvm"}},
      {"rows of libsvm with queries",
       "1 qid:1 1:0.5 2:1\n0 qid:1 1:1 2:0.25\n1 qid:2 1:2 2:3\n",
       {"error: the file holds rows of libsvm"}},
      {"an empty file", "", {"error: the file is empty"}},
      {"blank lines alone", "\n  \n\n", {"error: the file has blank lines alone"}},
      {"UTF-16",
       std::string("\xff\xfe"
                   "a\0,\0y\0\n\0",
                   10),
       {"error: the file is text in UTF-16", "iconv -f UTF-16 -t UTF-8"}},
      {"UTF-16 without its mark",
       std::string("a\0,\0b\0,\0y\0\n\0001\0,\0002\0,\0A\0\n\0", 24),
       {"error: the file is text in UTF-16", "iconv -f UTF-16LE"}},
      {"UTF-32",
       std::string("\xff\xfe\0\0a\0\0\0,\0\0\0y\0\0\0\n\0\0\0", 20),
       {"error: the file is text in UTF-32", "iconv -f UTF-32 -t UTF-8"}},
      {"UTF-32 without its mark",
       std::string("\0\0\0a\0\0\0,\0\0\0y\0\0\0\n\0\0\0001\0\0\0,\0\0\0A", 28),
       {"error: the file is text in UTF-32", "iconv -f UTF-32BE"}},
  };
}

TEST_F(TableGuess, FilesOfOtherFormatsAreNamed) {
  for (const auto& cases : {FormatCases(), BinaryCases(), RecordCases()}) {
    for (const FormatCase& test : cases) {
      const std::string told = Guess(test.text);
      for (const std::string& says : test.says) EXPECT_THAT(told, HasSubstr(says)) << test.name;
    }
  }
}

}  // namespace
}  // namespace dl::dataset
