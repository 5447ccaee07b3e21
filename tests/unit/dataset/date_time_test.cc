#include "dataset/readers/table/date_time.h"

#include "base/json.h"
#include "dataset/readers/table/csv_reader.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/dataset/dataset_fixtures.h"
#include "tests/unit/dataset/guessed_table.h"

namespace dl::dataset {
namespace {

using test::IsError;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(DateTime, FormsOfOneDateReadAlike) {
  const DateTime date{.year = 2020, .month = 1, .day = 31};
  for (const char* text : {"2020-01-31", "2020/1/31", "31.01.2020", "31-Jan-2020", "Jan 31, 2020",
                           "31 January 2020"}) {
    EXPECT_EQ(ParseDateTime(text), date) << text;
  }
  DateTime with_time = date;
  with_time.hour = 15;
  with_time.minute = 30;
  for (const char* text : {"2020-01-31T15:30", "31.01.2020 15:30", "2020-01-31 03:30 PM"}) {
    EXPECT_EQ(ParseDateTime(text), with_time) << text;
  }
  EXPECT_EQ(ParseDateTime("12:30:05.5"), (DateTime{.hour = 12, .minute = 30, .second = 5.5}));
  EXPECT_EQ(ParseDateTime("20200131"), date);
  EXPECT_EQ(ParseDateTime("Fri, 31 Jan 2020"), date);
  EXPECT_EQ(ParseDateTime("2020-01"), (DateTime{.year = 2020}));
  EXPECT_EQ(ParseDateTime("Fri Jan 31 15:30:00 2020"), with_time);
  for (const char* text : {"2020-Q1", "2020Q1", "Q1 2020", "Jan 2020", "January-2020"})
    EXPECT_EQ(ParseDateTime(text), (DateTime{.year = 2020})) << text;
  EXPECT_EQ(ParseDateTime("2021Q4"), (DateTime{.year = 2021, .month = 10}));
  EXPECT_EQ(ParseDateTime("2020-W05"), (DateTime{.year = 2020, .month = 1, .day = 27}));
  EXPECT_EQ(ParseDateTime("2021W01"), (DateTime{.year = 2021, .month = 1, .day = 4}));
  EXPECT_EQ(ParseDateTime("2020-W01"), (DateTime{.year = 2019, .month = 12, .day = 30}));
  for (const char* text : {"", "01/02/2020", "2020-13-01", "2020-02-30", "2019-02-29", "1.2.3",
                           "abc", "2020", "25:00", "12:60", "2020-01-31 x", "99999999999-01-01",
                           "2020/001", "2020-012", "2020-001-02", "2020-01-002"}) {
    EXPECT_EQ(ParseDateTime(text), std::nullopt) << text;
  }
}

TEST(DateTime, ZonesAreNotedAndConverted) {
  const auto zone = [](const char* text) {
    const auto time = ParseDateTime(text);
    return time ? absl::StrCat(time->hour, ":", time->minute, " ", time->zone) : "nothing";
  };
  EXPECT_EQ(zone("2020-01-31T15:30"), "15:30 ");
  for (const char* text : {"2020-01-31T15:30Z", "2020-01-31 15:30 UTC", "15:30 GMT",
                           "Fri, 31 Jan 2020 15:30:00 GMT", "2020-01-31T15:30+00:00"}) {
    EXPECT_EQ(zone(text), "15:30 +00:00") << text;
  }
  for (const char* text : {"2020-01-31T15:30+02:00", "2020-01-31 15:30:00+0200",
                           "2020-01-31 15:30 +02", "2020-01-31 15:30 GMT+0200"}) {
    EXPECT_EQ(zone(text), "15:30 +02:00") << text;
  }
  EXPECT_EQ(zone("2020-01-31T15:30-05:30"), "15:30 -05:30");
  EXPECT_EQ(zone("Fri Jan 31 15:30:00 CET 2020"), "15:30 CET");
  EXPECT_EQ(zone("2020-01-31T15:30+99:00"), "nothing");
  EXPECT_EQ(OffsetOfZone("-05:30"), -330);
  EXPECT_EQ(OffsetOfZone("CET"), std::nullopt);
  EXPECT_EQ(OffsetOfZone(""), std::nullopt);
  const auto moved = [](const char* text, const char* zone_name) {
    return InZone(*ParseDateTime(text), zone_name);
  };
  EXPECT_EQ(
      moved("2020-02-29T23:30-02:00", "+00:00"),
      (DateTime{.year = 2020, .month = 3, .day = 1, .hour = 1, .minute = 30, .zone = "+00:00"}));
  EXPECT_EQ(moved("2020-01-01T00:30:05+01:00", "-05:00"), (DateTime{.year = 2019,
                                                                    .month = 12,
                                                                    .day = 31,
                                                                    .hour = 18,
                                                                    .minute = 30,
                                                                    .second = 5,
                                                                    .zone = "-05:00"}));
}

TEST_F(TableGuess, TimesOfDifferentZonesBecomeUtcOrAreRefused) {
  const auto rows = [](std::initializer_list<const char*> times) {
    std::string text = "t,a,y\n";
    for (const char* time : times) absl::StrAppend(&text, time, ",1,A\n", time, ",2,B\n");
    return text;
  };
  const TableGuessOptions parts = {.hints = {.date_parts = {"t"}}};
  const TableGuessOptions days = {.hints = {.dates = {"t"}}};
  // If all times have the same offset, they are read as they are written.
  EXPECT_THAT(Guess(rows({"2020-01-31T15:00+02:00", "2020-01-31T16:00+02:00"}), parts),
              HasSubstr("its times have zones, as \"2020-01-31T15:00+02:00\""));
  EXPECT_EQ(features_[4], 15);
  EXPECT_EQ(schema_.columns()[0].zone, "+02:00");
  const Schema schema = schema_;
  const auto again = SchemaFromJson(SchemaToJson(schema), "schema");
  DL_ASSERT_OK(again);
  EXPECT_EQ(*again, schema);
  // A later table is converted to the offset of the model.
  EXPECT_THAT(Guess("t,a\n2020-01-31T13:00Z,1\n", {.known = &schema}), HasSubstr("without labels"));
  EXPECT_EQ(features_[4], 15);
  const auto refused = [&](const std::string& text, const ReadOptions& options) {
    job::CsvSource source = job::CsvSource().Dates({"t"});
    if (options.training != nullptr) source = job::CsvSource();
    source.path = folder_.Write("refused.csv", text);
    return Error(ReadCsv(source, options).status());
  };
  EXPECT_THAT(
      refused("t,a\n2020-01-31T13:00,1\n", {.training = &schema, .labels = LabelColumns::kNone}),
      HasSubstr("\"2020-01-31T13:00\" has no zone, but the times of the training set have "
                "the zone +02:00"));
  Guess(rows({"2020-01-31T15:00+02:00", "2020-01-31T13:00Z", "2020-01-31T08:00-05:00"}), parts);
  for (const size_t row : {0, 2, 4}) EXPECT_EQ(features_[row * 7 + 4], 13) << row;
  Guess(rows({"2020-01-31T15:00+02:00", "2020-01-31T13:00Z"}), days);
  EXPECT_EQ(features_[0], features_[4]);
  EXPECT_THAT(refused(rows({"2020-01-31T15:00", "2020-01-31T13:00Z"}), {}),
              HasSubstr("row 4, column 1 (\"t\"): \"2020-01-31T13:00Z\" has the zone +00:00, but "
                        "\"2020-01-31T15:00\" has no zone"));
  EXPECT_THAT(refused(rows({"2020-01-31 15:00 CET", "2020-07-31 15:00 CEST"}), {}),
              HasSubstr("has the zone CEST, but \"2020-01-31 15:00 CET\" has the zone CET"));
  EXPECT_THAT(Guess(rows({"2020-01-31 15:00 CET", "2020-01-31 16:00 CET"}), days),
              HasSubstr("t dates feature"));
}

TEST(DateTime, StatedOrderReadsDaysAndMonths) {
  const DateTime second_of_january{.year = 2020, .month = 1, .day = 2};
  const DateTime first_of_february{.year = 2020, .month = 2, .day = 1};
  for (const char* text : {"01/02/2020", "1/2/20", "01-02-2020", "01/02/2020 00:00"}) {
    EXPECT_EQ(ParseDateTime(text, job::DateOrder::kMonthFirst), second_of_january) << text;
    EXPECT_EQ(ParseDateTime(text, job::DateOrder::kDayFirst), first_of_february) << text;
    EXPECT_EQ(ParseDateTime(text), std::nullopt) << text;
  }
  EXPECT_EQ(ParseDateTime("31/01/2020", job::DateOrder::kMonthFirst), std::nullopt);
  EXPECT_EQ(ParseDateTime("01.02.2020", job::DateOrder::kMonthFirst), first_of_february);
  EXPECT_EQ(ParseDateTime("1/2/69", job::DateOrder::kDayFirst)->year, 1969);
  EXPECT_EQ(ParseDateTime("1/2/68", job::DateOrder::kDayFirst)->year, 2068);
}

TEST(DateTime, DaysAndWeekdaysFollowTheCalendar) {
  const auto days = [](const char* text) { return DaysSince1970(*ParseDateTime(text)); };
  EXPECT_EQ(days("1970-01-01"), 0);
  EXPECT_EQ(days("1969-12-31"), -1);
  EXPECT_EQ(days("2000-03-01"), 11017);
  EXPECT_EQ(days("2020-01-31 12:00"), 18292.5);
  EXPECT_EQ(WeekdayOf(*ParseDateTime("2024-02-29")), 3);
  EXPECT_EQ(WeekdayOf(*ParseDateTime("1969-12-28")), 6);
}

TEST(DateTime, MissingDateIsReplacedByTheRuleOfMissingNumbers) {
  const test::TempFolder folder;
  const auto filled = [&](job::MissingNumber rule, const std::string& dates) {
    job::CsvSource source = job::CsvSource().Dates({"t"}).OnMissing(rule, {});
    source.path = folder.Write("t.csv", "t,k\n" + dates + ",x\n");
    const auto table = ReadCsv(source, {});
    EXPECT_TRUE(table.ok()) << table.status();
    return table.ok() ? WithoutMissing(*table).back() : -1.0f;
  };
  const std::string days = "1970-01-02,x\n1970-01-02,x\n1970-01-06,x\n";
  EXPECT_EQ(filled(job::MissingNumber::kMean, days), 7.0f / 3);
  EXPECT_EQ(filled(job::MissingNumber::kMostFrequent, days), 1);
  // Dates in a zone keep its time of day.
  const std::string zone =
      "1970-01-02T12:00+06:00,x\n1970-01-02T12:00+06:00,x\n1970-01-06T00:00+06:00,x\n";
  EXPECT_EQ(filled(job::MissingNumber::kMostFrequent, zone), 1.5f);
}

TEST(DateTime, ColumnsOfDatesBecomeDaysOrParts) {
  const test::TempFolder folder;
  const auto read = [&](const std::string& text, job::CsvSource source, const Schema* training) {
    source.path = folder.Write("t.csv", text);
    return ReadCsv(source, {.training = training});
  };
  const std::string rows = "t,u,k\n1970-01-02 12:00,2024-02-29T01:30,x\n1970-01-03,2023-01-01,y\n";
  const auto source = job::CsvSource().Dates({"t"}).DateParts({"u"});
  const auto table = read(rows, source, nullptr);
  DL_ASSERT_OK(table);
  EXPECT_THAT(table->f32, ElementsAre(1.5f, 2024, 2, 29, 3, 1, 30, 2, 2023, 1, 1, 6, 0, 0));
  EXPECT_THAT(table->schema.feature_names(),
              ElementsAre("t", "u.year", "u.month", "u.day", "u.weekday", "u.hour", "u.minute"));
  const auto again = SchemaFromJson(SchemaToJson(table->schema), "schema");
  DL_ASSERT_OK(again);
  EXPECT_EQ(*again, table->schema);
  // A test set is read as the training set was.
  const auto test = read("u,t,k\n2024-02-29,1970-01-01,x\n", {}, &table->schema);
  DL_ASSERT_OK(test);
  EXPECT_THAT(test->f32, ElementsAre(0, 2024, 2, 29, 3, 0, 0));
  EXPECT_THAT(read("t,u,k\n01/02/2020,2020-01-01,x\n", source, nullptr).status(),
              IsError(absl::StatusCode::kInvalidArgument,
                      "row 2, column 1 (\"t\"): the order of day and month in \"01/02/2020\""));
  EXPECT_THAT(read(rows, job::CsvSource(source).Categorical({"t"}), nullptr).status(),
              IsError(absl::StatusCode::kInvalidArgument, "and is also a category"));
}

TEST_F(TableGuess, RowsOrAFlagDecideTheOrderOfDayAndMonth) {
  const auto rows = [](std::initializer_list<const char*> dates) {
    std::string text = "t,a,y\n";
    for (const char* date : dates) absl::StrAppend(&text, date, ",1,A\n", date, ",2,B\n");
    return text;
  };
  const TableGuessOptions days = {.hints = {.dates = {"t"}}};
  EXPECT_THAT(Guess(rows({"01/02/2020", "31/01/2020"}), days),
              HasSubstr("dates are read with the day first, as \"31/01/2020\" shows"));
  EXPECT_EQ(features_[0], 18293);
  EXPECT_EQ(schema_.columns()[0].date_order, job::DateOrder::kDayFirst);
  // A table for a model is read as the model's training set was.
  const Schema schema = schema_;
  EXPECT_THAT(Guess("t,a\n03/02/2020,1\n", {.known = &schema}), HasSubstr("without labels"));
  EXPECT_EQ(features_[0], 18295);
  EXPECT_THAT(Guess(rows({"01/02/2020", "01/31/2020"}), days), HasSubstr("with the month first"));
  EXPECT_EQ(features_[0], 18263);
  EXPECT_THAT(Guess(rows({"31/01/2020", "01/31/2020"}), days),
              HasSubstr("the day comes first in \"31/01/2020\", and the month in \"01/31/2020\""));
  EXPECT_THAT(Guess(rows({"01/02/2020", "03/04/2020"}), days),
              HasSubstr("is not sure | Say it: --date-order day-first"));
  EXPECT_THAT(Guess(rows({"01/02/2020"}),
                    {.hints = {.date_parts = {"t"}, .date_order = job::DateOrder::kMonthFirst}}),
              HasSubstr("t dates 6 features"));
  EXPECT_THAT(Guess(rows({"01/02/2020"}), {.hints = {.date_order = job::DateOrder::kDayFirst}}),
              HasSubstr("no column becomes dates"));
}

TEST_F(TableGuess, DatesBecomeFeaturesByRequest) {
  const std::string text = "t,a,y\n2020-01-01,1,A\n2020-01-02,2,B\nNone,3,A\n2020-01-04,4,B\n";
  EXPECT_THAT(Guess(text), HasSubstr("--date-parts t"));
  EXPECT_THAT(Guess(text, {.hints = {.dates = {"t"}}}), HasSubstr("t dates feature"));
  EXPECT_EQ(source_.date_columns, (job::Columns{"t"}));
  EXPECT_THAT(Guess("t,a,y\n2020-01-01,1,A\n2020-01-02,2,B\n", {.hints = {.date_parts = {"t"}}}),
              HasSubstr("t dates 6 features"));
}

}  // namespace
}  // namespace dl::dataset
