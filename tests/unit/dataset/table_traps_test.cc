// Tests tables whose form suggests a wrong guess, which no error would show.
#include <array>

#include "tests/unit/dataset/guessed_table.h"

namespace dl::dataset {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST_F(TableGuess, TabsSeparateFieldsWithBlanks) {
  const auto times = [](int i) {
    return absl::StrCat("2020-01-0", i % 9 + 1, " 00:00:00\t0.", i % 7, "5\t", ClassOf(i));
  };
  EXPECT_THAT(Guess(TableRows("ts\ta\ty", 60, times)),
              HasSubstr("60 rows by a tab, names; ts dates"));
  EXPECT_THAT(Guess(TableRows("Date Time\tTemp\tState", 60, times)),
              HasSubstr("by a tab, names; Date Time dates"));
  const auto names = [](int i) {
    return absl::StrCat("Ann ", i % 3, "x\t0.", i % 7, "5\ttype ", ClassOf(i));
  };
  EXPECT_THAT(Guess(TableRows("first name\tb\tclass name", 60, names)),
              AllOf(HasSubstr("by a tab, names; first name"), HasSubstr("type A 30 type B 30")));
  EXPECT_THAT(Guess("1,5  2,5  A\n0,5  3,5  B\n2,5  1,5  A\n"), HasSubstr("runs of blanks"));
}

TEST_F(TableGuess, LongNumbersStayDistinctCategories) {
  const auto row = [](int i) {
    return absl::StrCat("8949020000123456789", i % 5, ",", i % 7, ",", ClassOf(i));
  };
  EXPECT_THAT(Guess(TableRows("iccid,a,y", 60, row), {.hints = {.categories = {"iccid"}}}),
              HasSubstr("iccid categories 5 features"));
  EXPECT_EQ(schema_.floats().columns[0].categories.size(), 5);
  Guess(TableRows(
            "a,b,iccid", 60,
            [](int i) { return absl::StrCat(i % 7, ",", i % 3, ",8949020000123456789", i % 5); }),
        {.hints = {.labels_are_classes = true}});
  EXPECT_EQ(schema_.class_names().size(), 5);
  // 2^53 + 1 has no double of its own.
  Guess("a,b,y\n9007199254740993.0,1,A\n9007199254740992,2,B\n+9007199254740993,3,A\n",
        {.hints = {.categories = {"a"}}});
  EXPECT_EQ(schema_.floats().columns[0].categories,
            (std::vector<std::string>{"9007199254740992", "9007199254740993"}));
}

TEST_F(TableGuess, WholeNumbersWithoutNameAreFeaturesUnlessTheyCount) {
  const auto income = [](int i) {
    return absl::StrCat((i * 7919) % 10007, ",0.", i % 8, "5,", ClassOf(i));
  };
  EXPECT_THAT(Guess(TableRows("", 60, income)),
              AllOf(HasSubstr("[0] numbers feature"),
                    HasSubstr("! column 1: nearly all of its whole numbers are distinct")));
  const auto counts = [](int i) { return absl::StrCat(i, ",0.", i % 8, "5,", ClassOf(i)); };
  EXPECT_THAT(Guess(TableRows("", 60, counts)), HasSubstr("[0] numbers left out"));
  const auto repeats = [](int i) { return absl::StrCat(i % 30, ",0.", i % 8, "5,", ClassOf(i)); };
  EXPECT_THAT(
      Guess(TableRows(",a,y", 60, repeats)),
      AllOf(HasSubstr("[0] numbers left out"), HasSubstr("as an index that pandas writes")));
}

TEST_F(TableGuess, RowNumbersAsLabelAreDoubtful) {
  const auto row = [](int i) { return absl::StrCat(i % 7, ",0.", i % 8, "5,", i + 1); };
  for (const char* name : {"row_id", "Unnamed: 0", "Id", "count"}) {
    EXPECT_THAT(Guess(TableRows(absl::StrCat("a,b,", name), 60, row)),
                HasSubstr("! column 3 (\"" + std::string(name) +
                          "\"): it is the label as the last column, and its values look like "
                          "numbers of rows or ids; --label COLUMN takes another one"));
  }
}

TEST_F(TableGuess, SignOfCommentsMayBeginRows) {
  const auto colour = [](int i) {
    return absl::StrCat(i % 2 == 0 ? "#ff0000" : "red", ",0.", i % 7, "5,", ClassOf(i / 2));
  };
  EXPECT_THAT(Guess(TableRows("", 60, colour)),
              AllOf(HasSubstr("60 rows by \",\""), Not(HasSubstr("comment"))));
  for (const char* first : {"#", "% fat", "!id"}) {
    EXPECT_THAT(Guess(absl::StrCat(first, ",a,y\n1.5,2,A\n2.25,3,B\n0.75,2,A\n")),
                HasSubstr("3 rows by \",\", names; " + std::string(first)));
  }
  EXPECT_THAT(Guess(";a;y\n0;1,5;A\n1;2,5;B\n2;0,5;A\n"), HasSubstr("by \";\", names"));
}

TEST_F(TableGuess, CommentsAreCounted) {
  const std::string table = "# logger 3\n# 2020\n" + NumberRows(1500);
  EXPECT_THAT(Guess(table + "# end\n"),
              HasSubstr("! 3 lines that begin with # are left out as comments"));
  EXPECT_THAT(Guess(table + "#1,2,A\n1,2,B\n"),
              HasSubstr("error: the line begins with # as the comments do, and has 3 fields"));
  EXPECT_THAT(Guess("a,b,y\n1,2,A\n# recalibrated\n3,4,B\n5,6,A\n"),
              HasSubstr("row 3: \"# recalibrated\" looks like a comment"));
}

TEST_F(TableGuess, RowsOfNumbersMayHoldTheNumbersOfTheHeader) {
  const auto row = [](int i) {
    return absl::StrCat(i % 3, ",", (i + 1 + i / 3 % 2) % 3, ",", (i + 2 - i / 3 % 2) % 3);
  };
  const std::string text = TableRows("0,1,2", 60, row);
  EXPECT_THAT(Guess(text, {.hints = {.has_header = true}}), HasSubstr("60 rows by \",\", names"));
  EXPECT_THAT(Guess(text), HasSubstr("61 rows"));
}

TEST_F(TableGuess, WholeNumbersMayBeNamesBesideANameOfTheLabel) {
  const auto row = [](int i) {
    return absl::StrCat((i * 37) % 1000, ",", (i * 71) % 1000, ",", (i * 53) % 1000, ",",
                        ClassOf(i));
  };
  for (const char* label : {"label", "species"}) {
    EXPECT_THAT(Guess(TableRows(absl::StrCat("101,205,309,", label), 60, row)),
                AllOf(HasSubstr("60 rows by \",\", names"), HasSubstr("! the first row is taken")));
  }
  EXPECT_THAT(Guess(TableRows("", 60, row)), HasSubstr("60 rows by \",\", no names"));
}

TEST_F(TableGuess, QuotedPairsAreDoubtful) {
  const auto row = [](int i) {
    return absl::StrCat("\"", i % 9, ",", i % 5, "\",", i % 7, ",", ClassOf(i));
  };
  EXPECT_THAT(Guess(TableRows("at,a,y", 60, row)),
              HasSubstr("! numbers are read with a decimal comma; --decimal point refuses them; "
                        "where they are pairs"));
}

TEST_F(TableGuess, SpellingsOfOneTextAreDoubtful) {
  const auto alike = [](const char* one, const char* other) {
    return TableRows("c,a,y", 30, [&](int i) {
      return absl::StrCat(i % 3 == 0   ? one
                          : i % 3 == 1 ? other
                                       : "blue",
                          ",", i % 7, ",", ClassOf(i));
    });
  };
  for (const auto& [one, other, difference] : std::vector<std::array<const char*, 3>>{
           {"Да", "да", "the case of letters"},
           {"ÖL", "öl", "the case of letters"},
           {"Hà Nội", "Ha\u0300 No\u0323\u0302i", "the encoding of accents"},
           {"서울", "\u1109\u1165\u110b\u116e\u11af", "the encoding of syllables"},
           {"が", "か\u3099", "the encoding of accents"},
           {"ＡＢ", "AB", "full-width characters"},
           {"18-25x", "18–25x", "the form of dashes"},
           {"don't", "don’t", "the form of quotes"},
           {"A", "А", "letters of another alphabet that look the same"},
           {"A", "A # checked", "a comment after #"},
           {"R&D", "R&amp;D", "characters that HTML escapes"},
           {"café", "cafÃ©", "the encoding of characters"}}) {
    EXPECT_THAT(Guess(alike(one, other)),
                HasSubstr(absl::StrCat("\" differ in ", difference, " alone")));
  }
  EXPECT_THAT(Guess(alike("мм", "мк")), Not(HasSubstr("differ in")));
  EXPECT_THAT(Guess(alike("é", "è")), Not(HasSubstr("differ in")));
}

TEST_F(TableGuess, NumbersInOtherSignsAreRefused) {
  const auto with = [](auto value) {
    return TableRows("a,b,y", 60,
                     [&](int i) { return absl::StrCat(value(i), ",", i % 7, ",", ClassOf(i)); });
  };
  EXPECT_THAT(Guess(with([](int i) { return absl::StrCat("\u200b", i % 21); })),
              HasSubstr("has characters that cannot be seen, or digits of another script | Write "
                        "it as 0"));
  EXPECT_THAT(Guess(with([](int i) { return absl::StrCat("١٢٣٤٥٦", i % 2 == 0 ? "٠" : "١"); })),
              HasSubstr("Write it as 1234560"));
  EXPECT_THAT(Guess(with([](int i) { return absl::StrCat("１", i % 3 == 0 ? "．５" : "２"); })),
              HasSubstr("Write it as 1.5"));
  const auto keys = [](int most) {
    return TableRows("", 300, [most](int i) {
      return absl::StrCat("temp=", i % most, ",hum=", i % (most + 2), ",y=", ClassOf(i));
    });
  };
  EXPECT_THAT(Guess(keys(30)), HasSubstr("is not a plain number because of temp= | Write the "
                                         "number alone: "));
  EXPECT_THAT(Guess(keys(5)), HasSubstr("! column 1: its values are numbers after a name"));
}

TEST_F(TableGuess, WordForMissingAmongCategoriesIsDoubtful) {
  const auto row = [](int i) {
    return absl::StrCat(i % 3 == 0 ? "Na" : i % 3 == 1 ? "K" : "Li", ",", i % 7, ",", ClassOf(i));
  };
  EXPECT_THAT(Guess(TableRows("c,a,y", 30, row)),
              HasSubstr("! column 1 (\"c\"): \"Na\" is taken for a missing value 10 times"));
}

TEST_F(TableGuess, ConsecutiveYearsAsClassesAreNamed) {
  const auto row = [](int i) { return absl::StrCat(i % 7, ",", i % 5, ",", 2000 + i % 18); };
  EXPECT_THAT(Guess(TableRows("a,b,year", 200, row)),
              HasSubstr("its 18 distinct whole numbers are classes; --regression"));
}

TEST_F(TableGuess, DatesByRequestMustBeDates) {
  const auto with = [](auto value) {
    return TableRows("t,a,y", 30,
                     [&](int i) { return absl::StrCat(value(i), ",", i % 7, ",", ClassOf(i)); });
  };
  const TableGuessOptions dates{.hints = {.dates = {"t"}}};
  const auto mixed = [](int i) { return i % 2 == 0 ? "2020-01-02" : "00:30"; };
  const auto table = ReadCsv(GuessTable(folder_.Write("t.csv", with(mixed)), dates)->source);
  EXPECT_THAT(Error(table.status()), HasSubstr("\"00:30\" is a time without a date"));
  EXPECT_THAT(Guess(with([](int i) { return 1577836800 + i; }), dates),
              HasSubstr("look like seconds since 1970"));
  EXPECT_THAT(Guess(with([](int i) { return 43831 + i; }), dates),
              HasSubstr("look like days of Excel"));
  Guess(with([](int) { return "\"2020-01-01 12:00:00,000\""; }), dates);
  EXPECT_EQ(features_[0], 18262.5f);
  Guess(with([](int) { return "2020-01-01 6:00 p.m."; }), dates);
  EXPECT_EQ(features_[0], 18262.75f);
}

TEST_F(TableGuess, RowsThatAreNoExamplesAreNamed) {
  EXPECT_THAT(Guess("Sales report 2020,,\n,,\na,b,y\n1,2,A\n3,4,B\n"),
              HasSubstr("error: the names of the columns stand in row 3, below \"Sales report"));
  EXPECT_THAT(Guess(NumberRows(20) + ",,\n,,\n1,2,A\n"),
              HasSubstr("error: row 22: the row has no values, as has 1 more"));
  EXPECT_THAT(Guess(NumberRows(20) + ",,\n,,\n"), HasSubstr("20 rows by"));
  EXPECT_THAT(warnings_, ElementsAre("2 rows of empty fields at the end are skipped"));
}

TEST_F(TableGuess, MessagesNameTheTextThatIsWrong) {
  const auto car = [](int i) {
    return absl::StrCat(i % 4 == 3 ? "5more" : absl::StrCat(i % 4 + 2), ",", i % 7, ",",
                        ClassOf(i));
  };
  EXPECT_THAT(Guess(TableRows("doors,a,y", 200, car)), HasSubstr("and \"5more\" is not"));
  const auto review = [](int i) {
    return absl::StrCat("this film number ", i, " was fine,", ClassOf(i));
  };
  EXPECT_THAT(Guess(TableRows("text,label", 30, review)),
              HasSubstr("are not read as features of a table | Turn the texts into columns of"));
}

TEST_F(TableGuess, TablesForAModelNameTheirMistakes) {
  const auto row = [](int i) { return absl::StrCat(i % 7, ",", i % 5, ",", i * 0.5); };
  Guess(TableRows("", 30, row));
  const Schema plain = schema_;
  EXPECT_THAT(Guess("1,2,3\n4,5,6\n", {.known = &plain, .may_lack_labels = true}),
              HasSubstr("error: it has 3 columns without names, the training set has 2"));
  EXPECT_THAT(Guess("1,2,3\n4,5,6\n", {.known = &plain}), HasSubstr("[2] numbers label"));
  EXPECT_THAT(Guess("1\n4\n", {.known = &plain}),
              HasSubstr("error: it has one column, with \"1\""));
  EXPECT_THAT(Guess("1,2,3,x\n4,5,6,x\n", {.hints = {.drop = {"3"}}, .known = &plain}),
              HasSubstr("[2] numbers label"));
  Guess(TableRows("a,b,y", 30, row));
  const Schema named = schema_;
  EXPECT_THAT(Guess("a,b,y\n1,2,3\n", {.hints = {.label = "a"}, .known = &named}),
              HasSubstr("error: --label names \"a\", which is a feature of the model | Its label "
                        "is y"));
}

TEST_F(TableGuess, TextsThatHoldNumbersAreNamed) {
  const auto with = [](auto value) {
    return TableRows("p,b,y", 150,
                     [&](int i) { return absl::StrCat(value(i), ",", i % 11, ",", ClassOf(i)); });
  };
  EXPECT_THAT(Guess(with([](int i) { return absl::StrCat("48°", i % 30, "'N"); })),
              HasSubstr("its values begin with numbers, as \"48°0'N\""));
  EXPECT_THAT(Guess(with([](int i) { return absl::StrCat(i % 4 + 2, " doors"); })),
              Not(HasSubstr("begin with numbers")));
}

TEST_F(TableGuess, WordsThatMeanTheSameAreNamed) {
  const auto with = [](std::vector<const char*> words) {
    return TableRows("p,b,y", 60, [&](int i) {
      return absl::StrCat(words[i % words.size()], ",", i % 11, ",", ClassOf(i));
    });
  };
  EXPECT_THAT(Guess(with({"Y", "N", "Yes"})), HasSubstr("\"Y\" and \"Yes\" mean the same"));
  EXPECT_THAT(Guess(with({"Yes", "No"})), Not(HasSubstr("mean the same")));
  EXPECT_THAT(Guess(with({"T", "Y", "A"})), Not(HasSubstr("mean the same")));
  EXPECT_THAT(Guess(with({"North", "South", "Total"})), HasSubstr("rows with \"Total\" look like"));
}

TEST_F(TableGuess, ClassesThatAreListsAreNamed) {
  const auto tags = [](int i) {
    const char* classes[] = {"\"red, big\"", "red", "\"blue, big\""};
    return absl::StrCat(i % 7, ",", i % 5, ",", classes[i % 3]);
  };
  EXPECT_THAT(Guess(TableRows("a,b,tags", 60, tags)),
              HasSubstr("the class \"blue, big\" looks like a list of labels"));
  const auto places = [](int i) {
    return absl::StrCat(i % 7, ",", i % 5, ",", i % 2 == 0 ? "\"Paris, France\"" : "Berlin");
  };
  EXPECT_THAT(Guess(TableRows("a,b,place", 60, places)), Not(HasSubstr("list of labels")));
}

TEST_F(TableGuess, LabelInTheFirstColumnIsSuggested) {
  const auto row = [](int i) {
    return absl::StrCat(1 + i % 3, ",", i * 0.25, ",", (i * 37 % 101) * 0.5);
  };
  EXPECT_THAT(Guess(TableRows("", 60, row)),
              HasSubstr("perhaps column 0 (counted from 0) with its 3 distinct whole numbers"));
  EXPECT_THAT(Guess(TableRows("Outcome,a,b", 60, row)), HasSubstr("perhaps \"Outcome\""));
  EXPECT_THAT(Guess(TableRows("rooms,a,price", 60, row)), Not(HasSubstr("perhaps")));
}

TEST_F(TableGuess, TimeSeriesWithoutFeaturesNamesWindows) {
  const auto row = [](int i) {
    return absl::StrCat("2021-01-01 ", i / 10, i % 10, ":00:00,", 50 + i * 0.25);
  };
  EXPECT_THAT(Guess(TableRows("time,load", 20, row)),
              AllOf(HasSubstr("column 1 (\"time\") has dates or times"),
                    HasSubstr("--date-parts time"), HasSubstr("describe windows")));
}

TEST_F(TableGuess, FilesWithOtherColumnsAreNamed) {
  folder_.Write("p1.csv", "a,b,y\n1,2,A\n2,3,B\n");
  folder_.Write("p2.csv", "a,b,c,y\n1,2,3,A\n2,3,4,B\n");
  const auto guessed = GuessTable(folder_ / "p*.csv");
  EXPECT_THAT(Error(guessed.status()),
              AllOf(HasSubstr("row 1: has 4 fields, the rows of "), HasSubstr("p1.csv have 3")));
}

}  // namespace
}  // namespace dl::dataset
