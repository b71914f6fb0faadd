#include "core/base/csv.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace bench {
namespace {

TEST(Csv, QuotesOnlyWhatNeedsIt) {
  EXPECT_EQ(csv_field("plain text"), "plain text");
  EXPECT_EQ(csv_field(""), "");
  EXPECT_EQ(csv_field("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_field("say \"hi\""), "\"say \"\"hi\"\"\"");
  EXPECT_EQ(csv_field("two\nlines"), "\"two\nlines\"");
  EXPECT_EQ(csv_field("carriage\rreturn"), "\"carriage\rreturn\"");
  EXPECT_EQ(csv_record({"a", "", "c,d"}), "a,,\"c,d\"\n");
}

TEST(Csv, ReadsBackWhatItWrote) {
  const std::vector<CsvRow> rows = {{"plain", "a,b", "say \"hi\"", "two\nlines", "\r\n", ""},
                                    {"", "", "", "", "", "\""},
                                    {"only one"},
                                    {""},
                                    {",", ",\",", "µs ±1 %", "\"\"", "\n", "x"}};
  std::string text;
  for (const CsvRow& row : rows) text += csv_record(row);
  EXPECT_EQ(parse_csv(text), rows);
}

TEST(Csv, AcceptsCrLf) { EXPECT_EQ(parse_csv("a,b\r\n\"c\",d\r\n"), (std::vector<CsvRow>{{"a", "b"}, {"c", "d"}})); }

TEST(Csv, DropsARecordThatWasCutShort) {
  const std::vector<CsvRow> whole = {{"a", "b"}};
  EXPECT_EQ(parse_csv("a,b\n"), whole);
  EXPECT_EQ(parse_csv("a,b\nc,"), whole);
  EXPECT_EQ(parse_csv("a,b\nc,d"), whole);
  EXPECT_EQ(parse_csv("a,b\n\"c\n"), whole) << "the line end belongs to an open quotation";
  EXPECT_TRUE(parse_csv("").empty());
}

TEST(Csv, NumbersHaveSixDigitsAndMissingOnesAreEmpty) {
  EXPECT_EQ(csv_number(1234567.8), "1.23457e+06");
  EXPECT_EQ(csv_number(99074.251), "99074.3");
  EXPECT_EQ(csv_number(0.1), "0.1");
  EXPECT_EQ(csv_number(3), "3");
  EXPECT_EQ(csv_number(0), "0");
  EXPECT_EQ(csv_number(std::nan("")), "");
  EXPECT_EQ(csv_number(std::numeric_limits<double>::infinity()), "");
  EXPECT_EQ(csv_number(-std::numeric_limits<double>::infinity()), "");
}

}  // namespace
}  // namespace bench
