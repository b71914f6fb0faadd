#include "core/results/schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <limits>

#include "core/base/csv.h"
#include "core/base/durable_file.h"
#include "core/base/error.h"
#include "core/experiment/experiment.h"
#include "fake_device.h"

namespace bench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const Column kBlock = Column::integer("block", "threads", "of a block");
const Column kCycles = Column::real("cycles", "cycles", "of a step");
const Column kMode = Column::text("mode", "how");

Experiment experiment() {
  return {.name = "exp99_fake",
          .question = "?",
          .params = {kBlock, kMode.optional()},
          .model = {Column::integer("sectors", "", "predicted")},
          .measured = {Column::integer("weak", "", "rare").interval().optional()},
          .variants = {},
          .cases = {}};
}

std::string refusal(const Column& column, const Value& value) {
  return message_of<Error>([&] { value.cells(column); });
}

TEST(Value, IsWrittenAsItsColumnsTypeSays) {
  EXPECT_THAT(Value(256U).cells(kBlock), ElementsAre("256"));
  EXPECT_THAT(Value(~0ULL).cells(kBlock), ElementsAre("18446744073709551615")) << "no figure is rounded";
  EXPECT_THAT(Value(33.25).cells(kCycles), ElementsAre("33.25"));
  EXPECT_THAT(Value(1234567).cells(kCycles), ElementsAre("1.23457e+06")) << "a whole number is a real one";
  EXPECT_THAT(Value("graph").cells(kMode), ElementsAre("graph"));
}

TEST(Value, OfAnotherTypeIsRefused) {
  EXPECT_EQ(refusal(kBlock, "256"), "column block: 256 is no integer");
  EXPECT_EQ(refusal(kBlock, 256.0), "column block: 256 is no integer");
  EXPECT_EQ(refusal(kCycles, "33.25"), "column cycles: 33.25 is no real");
  EXPECT_EQ(refusal(kMode, 1U), "column mode: 1 is no text");
  EXPECT_EQ(refusal(kCycles, Estimate{1, {{1, 2}}}), "column cycles: 1 is no real");
  EXPECT_THROW(Value(-1), Error);
}

TEST(Value, NothingIsAnEmptyCell) {
  for (const Value& nothing : {Value(), Value(""), Value(std::optional<std::uint32_t>()), Value(unless_zero(0U)),
                               Value(std::numeric_limits<double>::quiet_NaN()), Value(1 / 0.0)}) {
    EXPECT_TRUE(nothing.empty());
    EXPECT_THAT(nothing.cells(kCycles), ElementsAre(""));
    EXPECT_THAT(nothing.cells(kCycles.interval()), ElementsAre("", "", ""));
  }
  EXPECT_FALSE(Value(0).empty());
}

TEST(Value, WithAnIntervalIsThreeCells) {
  const Column cycles = kCycles.interval();
  EXPECT_THAT(Value(Estimate{2, {{1.5, 2.5}}}).cells(cycles), ElementsAre("2", "1.5", "2.5"));
  EXPECT_THAT(Value(Estimate{2, {}}).cells(cycles), ElementsAre("2", "", "")) << "too few readings";
  EXPECT_EQ(refusal(cycles, 2.0), "column cycles: 2 is no real with an interval");
  EXPECT_EQ(refusal(cycles, Estimate{3, {{1.5, 2.5}}}), "column cycles: 3 lies outside its interval from 1.5 to 2.5");
  EXPECT_THAT(refusal(cycles, Estimate{2, {{2.5, 1.5}}}), HasSubstr("outside"));
}

TEST(Value, AWholeFigureWithAnIntervalIsNotRounded) {
  const Column wrong = Column::integer("wrong", "words", "").interval();
  EXPECT_THAT(Value(Estimate{1048576, {{1048576, 1048576}}}).cells(wrong), ElementsAre("1048576", "1048576", "1048576"));
  EXPECT_THAT(Value(Estimate{3, {{0.62, 8.77}}}).cells(wrong), ElementsAre("3", "0.62", "8.77"));
  EXPECT_EQ(refusal(wrong, Estimate{0.5, {{0, 1}}}), "column wrong: 0.5 is no integer with an interval");
}

TEST(CheckValues, NamesTheColumn) {
  const std::vector<Column> columns = {kBlock, kMode.optional()};
  const auto refused = [&](const Values& values) { return message_of<Error>([&] { check_values(values, columns); }); };
  EXPECT_NO_THROW(check_values({{"block", 256}}, columns));
  EXPECT_NO_THROW(check_values({{"mode", "graph"}, {"block", 256}}, columns)) << "in any order";
  EXPECT_EQ(refused({}), "column block: not set");
  EXPECT_EQ(refused({{"block", Value()}}), "column block: not set");
  EXPECT_EQ(refused({{"block", 256}, {"blocks", 1}}), "column blocks: there is none of this name");
  EXPECT_EQ(refused({{"block", 256}, {"block", 256}}), "column block: set twice");
  EXPECT_EQ(refused({{"block", "many"}}), "column block: many is no integer");
}

TEST(Schema, ColumnsAreTheDocumentedOnes) {
  const Schema schema = schema_of(experiment());
  EXPECT_EQ(csv_record(schema.results.header()),
            "schema,experiment,variant,api,status,reason,block,mode,sectors,elements,useful_bytes,cache,batch,samples,"
            "device_ns,device_ns_lo,device_ns_hi,device_ns_min,device_ns_p05,device_ns_p95,stamps_ns,fixed_ns,"
            "host_ns,host_ns_lo,host_ns_hi,host_ns_min,host_ns_p05,host_ns_p95,ungated_samples,"
            "throttled_samples,roundtrip_ns,submit_ns,"
            "gbps,peak_pct,weak,weak_lo,weak_hi,sm_mhz,stop,order,run,seed,input_seed,case_order,verified,remade,isa_hash,"
            "gpu,gpu_uuid,device_type,driver,toolkit,sources,git_rev,"
            "device_losses,started_at\n");
  EXPECT_EQ(csv_record(schema.samples.header()),
            "schema,experiment,variant,api,block,mode,elements,cache,batch,position,device_ns,roundtrip_ns,submit_ns,sm_mhz\n");
}

TEST(Schema, TwoColumnsOfOneNameAreAnError) {
  const auto refused = [](const std::vector<Column>& params) {
    Experiment twice = experiment();
    twice.params = params;
    return message_of<Error>([&] { schema_of(twice); });
  };
  EXPECT_EQ(refused({kMode, kMode}), "two columns are named mode");
  EXPECT_EQ(refused({Column::text("order", "also the sampling order's")}), "two columns are named order");
  EXPECT_EQ(refused({Column::real("weak_lo", "", "also the interval's")}), "two columns are named weak_lo");
}

TEST(Schema, SaysWhatEachColumnIs) {
  const auto json = nlohmann::json::parse(schema_of(experiment()).json());
  EXPECT_EQ(json["schema"], 2);
  EXPECT_EQ(json["experiment"], "exp99_fake");
  std::map<std::string, nlohmann::json> columns;
  for (const auto& column : json["columns"]) columns[column["name"]] = column;
  const auto described = [](const char* name, const char* role, const char* type, const char* unit, bool key, bool interval,
                            const char* meaning) {
    return nlohmann::json{{"name", name}, {"role", role},         {"type", type},      {"unit", unit},
                          {"key", key},   {"interval", interval}, {"meaning", meaning}};
  };
  EXPECT_EQ(columns["block"], described("block", "param", "integer", "threads", true, false, "of a block"));
  EXPECT_EQ(columns["sectors"], described("sectors", "model", "integer", "", false, false, "predicted"));
  EXPECT_EQ(columns["weak"], described("weak", "measured", "integer", "", false, true, "rare"));
  EXPECT_EQ(columns["api"], described("api", "identity", "text", "", true, false, "cuda or vulkan"));
  EXPECT_EQ(columns["elements"]["key"], true);
  EXPECT_EQ(columns["cache"]["role"], "case");
  EXPECT_EQ(columns["device_ns"]["interval"], true);
  EXPECT_EQ(columns["device_ns"]["role"], "time");
  EXPECT_EQ(columns["seed"]["role"], "origin");
  EXPECT_FALSE(columns.contains("weak_lo"));
}

class SchemaRow : public testing::Test {
 protected:
  const Schema schema_ = schema_of(experiment());
  const Values values_ = {
      {"schema", kCsvSchema}, {"experiment", "exp99_fake"}, {"variant", "a"},    {"api", "cuda"},       {"status", "ok"},
      {"mode", "x,y"},        {"elements", 1024U},          {"cache", "warm"},   {"run", "full"},       {"seed", 7U},
      {"input_seed", 1U},     {"case_order", "random"},     {"git_rev", "cafe"}, {"started_at", "now"}, {"block", 256}};
};

TEST_F(SchemaRow, PutsEveryValueInItsColumn) {
  Values values = values_;
  values.set("weak", Estimate{1, {{0.5, 2}}});
  const CsvRow row = schema_.results.row(values);
  ASSERT_EQ(row.size(), schema_.results.header().size());
  const auto cell = [&](std::string_view column) { return schema_.results.cell(row, column); };
  EXPECT_EQ(cell("block"), "256");
  EXPECT_EQ(cell("mode"), "x,y");
  EXPECT_EQ(cell("weak_hi"), "2");
  EXPECT_EQ(cell("sm_mhz"), "");
  EXPECT_EQ(cell("seed"), "7");
  EXPECT_THROW(cell("speed"), Error);
}

TEST_F(SchemaRow, LeavesOutOrAddsNothing) {
  Values values = values_;
  EXPECT_EQ(message_of<Error>([&] { schema_.results.row(values.set("speed", 1)); }),
            "column speed: there is none of this name");
  EXPECT_EQ(message_of<Error>([&] { schema_.results.row({{"schema", kCsvSchema}}); }), "column experiment: not set");
}

// The same file is scripts/tests/test_results.py's: what is a cell does not depend on the language.
TEST_F(SchemaRow, CellsAreWhatTheScriptsTakeForCells) {
  const std::vector<CsvRow> cases = parse_csv(read_file(BENCH_TEST_CELLS));
  ASSERT_GT(cases.size(), 20U);
  const auto with = [&](CsvRow row, const std::string& column, const std::string& text) {
    const auto& header = schema_.results.header();
    row.at(static_cast<std::size_t>(std::ranges::find(header, column) - header.begin())) = text;
    return row;
  };
  const CsvRow right = with(schema_.results.row(values_), "started_at", "2026-11-21T09:30:00Z");
  EXPECT_NO_THROW(schema_.results.check(right));
  for (const CsvRow& one : std::span(cases).subspan(1)) {
    const CsvRow row = with(right, one[0], one[1]);
    if (one[2] == "1") {
      EXPECT_NO_THROW(schema_.results.check(row)) << one[0] << ' ' << one[1];
    } else {
      EXPECT_THROW(schema_.results.check(row), Error) << one[0] << ' ' << one[1];
    }
  }
}

TEST_F(SchemaRow, HasTheKeyOfItsValues) {
  EXPECT_EQ(schema_.results.key(values_), "a,cuda,256,\"x,y\",1024,warm\n");
  EXPECT_EQ(schema_.results.key(schema_.results.row(values_)), schema_.results.key(values_));
  EXPECT_EQ(schema_.samples.key(values_), schema_.results.key(values_)) << "a sample's key is its row's";
}

TEST(MedianOf, IsOfRealNumbersThatEveryReadingHas) {
  const std::vector<Values> readings = {{{"cycles", 10.0}, {"count", 3U}, {"seen", "first"}, {"some", 1.0}},
                                        {{"cycles", 30.0}, {"count", 9U}, {"seen", "second"}},
                                        {{"cycles", 20.0}, {"count", 9U}, {"seen", "third"}, {"some", 2.0}}};
  const Values found = median_of(readings);
  EXPECT_EQ(found.text("cycles"), "20");
  EXPECT_EQ(found.text("count"), "3");
  EXPECT_EQ(found.text("seen"), "first");
  EXPECT_EQ(found.text("some"), "1");
  EXPECT_EQ(median_of(std::span(readings).first(1)).text("cycles"), "10");
}

}  // namespace
}  // namespace bench
