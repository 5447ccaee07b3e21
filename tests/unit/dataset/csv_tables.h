// Fixture that reads texts as tables, for tests of the CSV reader.
#pragma once

#include <string>

#include "dataset/readers/table/csv_reader.h"
#include "gtest/gtest.h"
#include "tests/support/temp_folder.h"

namespace dl::dataset {

// Two columns of words and one of numbers. Each has a missing value.
inline constexpr char kAnimals[] =
    "animal,weight,home,kind\n"
    "dog,12,garden,a\n"
    "cat,4,house,b\n"
    "dog,?,house,a\n"
    "NA,8,house,b\n"
    "eel,4,,a\n";

class CsvTables : public testing::Test {
 protected:
  StatusOr<ExampleTable> Read(const std::string& text, job::CsvSource source,
                              const Schema* training = nullptr) {
    source.path = folder_.Write("t.csv", text);
    return ReadCsv(source, {.training = training});
  }
  Schema Training(const std::string& text, const job::CsvSource& source) {
    const auto table = Read(text, source);
    EXPECT_TRUE(table.ok()) << table.status();
    return table.ok() ? table->schema : Schema();
  }
  test::TempFolder folder_;
};

}  // namespace dl::dataset
