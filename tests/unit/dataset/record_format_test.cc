// Tests text files whose records are no rows of a table: each is named, and tables that look a
// little like them are read.
#include "dataset/readers/record_format.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace dl::dataset {
namespace {

using ::testing::HasSubstr;

TEST(RecordFormat, EachFormatIsNamed) {
  struct Case {
    const char *text, *what;
  };
  for (const Case& each : std::vector<Case>{
           {"A\n3\n262914\n197888\n5\nUTF-8\n787\n", "an R data file"},
           {"P2\n# made by hand\n3 2\n255\n0 1 2\n", "an image as text"},
           {"P1\n3 3\n0 1 0\n1 0 1\n", "an image as text"},
           {"1. Title: Iris\n\n5. Number of Instances: 150\n", "the description of a data set"},
           {"| names\nA, B.\n\nage: continuous.\n", "the description of a data set"},
           {"EU NNP B-ORG\nrejects VBZ O\n\nGerman JJ B-MISC\ncall NN O\n\n", "words with tags"},
           {"# sent_id = 1\n1\tThe\tthe\tDET\n", "words with tags"},
           {"HEADER    X\nATOM      1  N   ALA A   1      11.104\n", "a list of atoms"},
           {"From a@b.c Mon Jan  1\nFrom: a@b.c\nSubject: hi\n\nhello\n", "mail"},
           {"Return-Path: <a@b.c>\nFrom: a@b.c\nSubject: hi\n\nhello, you\n", "mail"},
           {"v 1 2 3\nv 2 3 4\nv 3 4 5\nf 1 2 3\n", "a mesh of points"},
           {"OFF\n3 1 0\n0 0 0\n", "a mesh of points"},
           {"%%MatrixMarket matrix coordinate real general\n3 3 2\n", "Matrix Market"},
           {"digraph { a -> b; }\n", "a graph"},
           {"(A:0.1,B:0.2,(C:0.3,D:0.4):0.5);\n", "a graph or a tree"},
           {"1\n00:00:01,000 --> 00:00:02,000\nHello, you\n", "subtitles"},
           {"BEGIN:VCALENDAR\nVERSION:2.0\n", "a calendar"},
           {"@article{x,\n title={Y},\n}\n", "a bibliography"},
           {"diff --git a/x b/x\n--- a/x\n+++ b/x\n", "a patch"},
           {"-----BEGIN CERTIFICATE-----\nMII\n", "a key"},
           {"##gff-version 3\nchr1\t.\tgene\n", "a file of sequences"},
           {"@HD\tVN:1.0\n@SQ\tSN:chr1\n", "a file of sequences"},
           {"1.2.3.4 - - [01/Jan/2024:00:00:00 +0000] \"GET / HTTP/1.1\" 200 12\n"
            "1.2.3.5 - - [01/Jan/2024:00:00:01 +0000] \"GET /a HTTP/1.1\" 200 15\n",
            "a log of a web server"},
           {"m,host=a v=1.0 1465839830100400200\nm,host=b v=2.0 1465839830100400201\n",
            "measurements of InfluxDB"},
           {"# HELP x y\n# TYPE x counter\nx{a=\"b\"} 1\n", "measurements of InfluxDB"},
           {"a & b & y \\\\\n1 & 2 & A \\\\\n", "rows of a LaTeX table"},
           {"# name: x\n# type: matrix\n# rows: 2\n 1 2\n", "a text file of Octave"},
           {"$GPGGA,1,2,N\n$GPRMC,1,A,2\n", "NMEA 0183"}}) {
    const auto format = RecognizeRecords(each.text, "t.csv");
    ASSERT_TRUE(format) << each.text;
    EXPECT_THAT(format->what, HasSubstr(each.what));
    EXPECT_NE(format->remedy, "");
  }
}

TEST(RecordFormat, TablesAreNoRecords) {
  for (const char* text :
       {"P1,P2,y\n1,2,A\n3,4,B\n", "A\n3\n4\n5\n6\n", "1,2,O\n2,3,X\n3,4,O\n",
        "x y tag\n1 2 O\n2 3 X\n", "Dataset,Number of Instances,Attributes\niris,150,4\n",
        "From,To,Subject\na,b,c\n", "v x y\nv 1 2\nw 2 3\n", "OFF,b,y\n1,2,A\n",
        "ATOM,x,y\nC,1,2\n", "graph,x,y\na,1,2\n", "1\n2\n3\n", "# a,b,y\n1,2,A\n",
        "ID   name   y\n1    a      A\n", "2024-01-01 \"GET\" 3\n2024-01-02 \"PUT\" 4\n"}) {
    const auto format = RecognizeRecords(text, "t.csv");
    EXPECT_FALSE(format) << text << format->what;
  }
}

}  // namespace
}  // namespace dl::dataset
