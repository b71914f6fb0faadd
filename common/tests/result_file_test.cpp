#include "core/results/result_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "core/base/error.h"
#include "core/experiment/experiment.h"
#include "fake_device.h"

namespace bench {
namespace {

using testing::HasSubstr;

void add_text(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary | std::ios::app) << text;
}

class ResultFileTest : public testing::Test {
 protected:
  static Values row(const std::string& variant, const std::string& api = "cuda") {
    return {{"schema", kCsvSchema},
            {"experiment", "exp99"},
            {"variant", variant},
            {"api", api},
            {"status", "ok"},
            {"block", 256},
            {"elements", 1024},
            {"cache", "warm"},
            {"reason", "a, \"quoted\"\nreason"},
            {"seed", 1},
            {"input_seed", 1},
            {"case_order", "listed"},
            {"run", "quick"},
            {"gpu_uuid", "aaaa"},
            {"driver", "580"},
            {"git_rev", "cafe"},
            {"started_at", "2026-01-31T23:59:59Z"}};
  }
  static Values sample(const std::string& variant, int position, const std::string& api = "cuda") {
    return {{"schema", kCsvSchema}, {"experiment", "exp99"}, {"variant", variant}, {"api", api},          {"block", 256},
            {"elements", 1024},     {"cache", "warm"},       {"batch", 1},         {"position", position}};
  }
  std::vector<CsvRow> rows() const { return parse_csv(read_file(path_)); }
  std::vector<CsvRow> samples() const { return parse_csv(read_file(samples_path(path_))); }
  // The files' records, headers first.
  std::vector<CsvRow> with_header(const std::vector<Values>& values) const {
    std::vector<CsvRow> records = {schema_.results.header()};
    for (const Values& one : values) records.push_back(schema_.results.row(one));
    return records;
  }
  std::vector<CsvRow> samples_with_header(const std::vector<Values>& values) const {
    std::vector<CsvRow> records = {schema_.samples.header()};
    for (const Values& one : values) records.push_back(schema_.samples.row(one));
    return records;
  }
  // The row with other values in these columns.
  static Values with(const Values& row, const Values& changes) {
    Values changed;
    for (const auto& [column, value] : row) {
      if (changes.find(column) == nullptr) changed.set(column, value);
    }
    return changed.set(changes);
  }
  // Files with these rows, and a sample for each.
  void make(const std::vector<Values>& rows) const {
    std::vector<Values> samples;
    for (const Values& row : rows) samples.push_back(sample(row.text("variant"), 0, row.text("api")));
    ResultFile::create(path_, schema_).append(samples, rows);
  }
  std::string resume_refusal(const RunIdentity& run) const {
    return message_of<UsageError>([&] { ResultFile::resume(path_, schema_, run); });
  }
  std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.file("")))
      found.push_back(entry.path().filename().string());
    return found;
  }

  TempDir folder_;
  std::string path_ = folder_.file("exp99.csv");
  Schema schema_{Schema::Own{.experiment = "exp99",
                             .params = {Column::integer("block", "threads", "of a block")},
                             .model = {Column::integer("sectors", "", "of a warp").optional()},
                             .measured = {Column::integer("weak", "", "outcomes").optional()}}};
  RunIdentity matching_ = {.values = {{"seed", 1}, {"run", "quick"}, {"gpu_uuid", "aaaa"}, {"git_rev", "cafe"}},
                           .drivers = {{"cuda", "580"}},
                           .uuids = {}};
};

TEST_F(ResultFileTest, ItsCompanionsLieBesideIt) {
  EXPECT_EQ(samples_path("results/x/exp01.csv"), "results/x/exp01.samples.csv");
  EXPECT_EQ(schema_path("results/x/exp01.csv"), "results/x/exp01.schema.json");
}

TEST_F(ResultFileTest, CreateWritesTheHeadersAtOnce) {
  const ResultFile file = ResultFile::create(path_, schema_);
  EXPECT_EQ(rows(), with_header({}));
  EXPECT_EQ(samples(), samples_with_header({}));
  EXPECT_EQ(read_file(schema_path(path_)), schema_.json());
}

TEST_F(ResultFileTest, CreateMakesTheFolder) {
  path_ = folder_.file("results/gpu/exp99.csv");
  ResultFile::create(path_, schema_);
  EXPECT_EQ(rows().size(), 1U);
}

TEST_F(ResultFileTest, RowsAreOnDiskBeforeTheFileIsClosed) {
  ResultFile file = ResultFile::create(path_, schema_);
  file.append({sample("add", 0), sample("add", 1)}, {row("add"), row("add", "vulkan")});
  EXPECT_EQ(rows(), with_header({row("add"), row("add", "vulkan")}));
  EXPECT_EQ(samples(), samples_with_header({sample("add", 0), sample("add", 1)}));
}

TEST_F(ResultFileTest, ResumeKeepsFinishedRowsAndAppends) {
  ResultFile::create(path_, schema_).append({sample("add", 0)}, {row("add")});
  ResultFile file = ResultFile::resume(path_, schema_, matching_);
  EXPECT_TRUE(file.has(row("add")));
  EXPECT_FALSE(file.has(row("add", "vulkan")));
  EXPECT_FALSE(file.has(row("copy")));
  file.append({sample("copy", 0)}, {row("copy")});
  EXPECT_EQ(rows(), with_header({row("add"), row("copy")}));
  EXPECT_EQ(samples(), samples_with_header({sample("add", 0), sample("copy", 0)}));
}

TEST_F(ResultFileTest, ResumeWithNothingThereCreates) {
  const ResultFile file = ResultFile::resume(path_, schema_, matching_);
  EXPECT_FALSE(file.has(row("add")));
  EXPECT_EQ(rows(), with_header({}));
}

// Killed after it wrote the samples of `copy` and half of its row.
TEST_F(ResultFileTest, ResumeDropsWhatWasCutShort) {
  ResultFile::create(path_, schema_).append({sample("add", 0), sample("copy", 0)}, {row("add")});
  const std::string record = csv_record(schema_.results.row(row("copy")));
  for (const std::string& rest :
       {record.substr(0, record.size() - 1), record.substr(0, record.size() / 2), std::string("1,")}) {
    add_text(path_, rest);
    add_text(samples_path(path_), csv_record(schema_.samples.row(sample("copy", 1))).substr(0, 9));
    EXPECT_FALSE(ResultFile::resume(path_, schema_, matching_).has(row("copy")));
    EXPECT_EQ(rows(), with_header({row("add")}));
    EXPECT_EQ(samples(), samples_with_header({sample("add", 0)}));
  }
}

TEST_F(ResultFileTest, ResumeRefusesAnotherRunAndNamesBoth) {
  make({row("add"), row("copy")});
  const std::string before = read_file(path_);
  const std::string samples_before = read_file(samples_path(path_));
  for (const auto& [column, ours, theirs] : {std::tuple{"seed", "1", "2"}, std::tuple{"gpu_uuid", "aaaa", "bbbb"},
                                             std::tuple{"git_rev", "cafe", "beef"}, std::tuple{"run", "quick", "smoke"}}) {
    EXPECT_THAT(resume_refusal({.values = {{column, theirs}}, .drivers = {}, .uuids = {}}),
                testing::AllOf(HasSubstr(path_), HasSubstr(fmt::format("{} {}", column, ours)), HasSubstr(theirs)));
  }
  EXPECT_THAT(resume_refusal({.values = {}, .drivers = {{"cuda", "590"}}, .uuids = {}}),
              HasSubstr("driver 580, this run has 590"));
  EXPECT_EQ(read_file(path_), before);
  EXPECT_EQ(read_file(samples_path(path_)), samples_before);
}

TEST_F(ResultFileTest, WhatNoProgramWroteIsRefused) {
  make({with(row("add"), {{"reason", "no line end"}}), with(row("copy"), {{"reason", "no line end"}})});
  const std::string whole = read_file(path_);
  const std::size_t second = whole.find('\n') + 1;
  const std::string record = whole.substr(second, whole.find('\n', second) + 1 - second);
  const auto refused = [&](const std::string& text, const std::string& said) {
    std::ofstream(path_, std::ios::binary) << text;
    EXPECT_THAT(resume_refusal(matching_), testing::AllOf(HasSubstr("is damaged"), HasSubstr(said)));
    EXPECT_EQ(read_file(path_), text);
  };
  refused(whole + record, "the case is there twice");
  std::string other = whole;
  refused(other.replace(whole.find(",ok,"), 4, ",OK,"), "status is 'OK'");
  other = whole;
  refused(other.insert(second, "\""), "a quote is never closed");
}

TEST_F(ResultFileTest, OneResultOfAnotherRunIsRefused) {
  make({row("add"), with(row("copy"), {{"driver", "570"}})});
  const std::string before = read_file(path_);
  EXPECT_THAT(resume_refusal(matching_), HasSubstr("driver 570, this run has 580"));
  EXPECT_EQ(read_file(path_), before);
}

TEST_F(ResultFileTest, RowsOfAnotherRunWithoutAResultAreMeasuredAgain) {
  make({row("add"), with(row("copy"), {{"driver", "570"}, {"status", "failed"}}),
        with(row("read"), {{"run", "smoke"}, {"status", "skipped"}})});
  const ResultFile file = ResultFile::resume(path_, schema_, matching_);
  EXPECT_EQ(rows(), with_header({row("add")}));
  EXPECT_EQ(samples(), samples_with_header({sample("add", 0)}));
  EXPECT_THAT(file.left_out(), testing::UnorderedElementsAre("1 rows were made with driver 570, this run has 580",
                                                             "1 rows were made with run smoke, this run has quick"));
}

TEST_F(ResultFileTest, FailedRowsAreTriedAgain) {
  make({row("add"), with(row("copy"), {{"status", "failed"}})});
  const ResultFile file = ResultFile::resume(path_, schema_, matching_);
  EXPECT_TRUE(file.has(row("add")));
  EXPECT_FALSE(file.has(row("copy")));
  EXPECT_EQ(file.losses(row("copy")), 0U);
  EXPECT_THAT(file.left_out(), testing::ElementsAre("1 failed rows are tried again"));
}

TEST_F(ResultFileTest, ACaseThatLostTheDeviceTwiceIsNotTriedAgain) {
  const Values lost = with(row("copy"), {{"status", "failed"}});
  make({with(lost, {{"device_losses", 1}}), row("add")});
  {
    ResultFile file = ResultFile::resume(path_, schema_, matching_);
    EXPECT_FALSE(file.has(lost));
    EXPECT_EQ(file.losses(lost), 1U);
    EXPECT_EQ(file.given_up(), 0U);
    file.append({}, {with(lost, {{"device_losses", 2}})});
  }
  const ResultFile file = ResultFile::resume(path_, schema_, matching_);
  EXPECT_TRUE(file.has(lost));
  EXPECT_EQ(file.given_up(), 1U);
  EXPECT_THAT(file.left_out(), testing::ElementsAre(HasSubstr("the device was lost there 2 times")));
}

TEST_F(ResultFileTest, SkippedRowsAreTriedAgainWhenTheirApiIsThereNow) {
  const Values lacking = with(row("add"), {{"status", "skipped"}});
  const Values left_out = with(row("add", "vulkan"), {{"status", "skipped"}, {"driver", ""}});
  make({lacking, left_out, row("copy")});
  {
    const ResultFile file = ResultFile::resume(path_, schema_, matching_);  // CUDA alone, as before
    EXPECT_EQ(rows(), with_header({lacking, left_out, row("copy")}));
    EXPECT_THAT(file.left_out(), testing::IsEmpty());
  }
  matching_.drivers["vulkan"] = "580";
  const ResultFile file = ResultFile::resume(path_, schema_, matching_);
  EXPECT_EQ(rows(), with_header({row("copy")})) << "what CUDA's side lacked may have been Vulkan's";
  EXPECT_THAT(file.left_out(), testing::ElementsAre(HasSubstr("2 skipped rows are tried again")));
}

TEST_F(ResultFileTest, DamageInTheMiddleIsAnErrorAndStays) {
  make({row("add")});
  const std::string before = read_file(path_);
  const std::string samples_before = read_file(samples_path(path_));
  add_text(path_, "2,exp99,copy\n");
  EXPECT_THAT(resume_refusal(matching_), testing::AllOf(HasSubstr(path_), HasSubstr("record 3 has 3 fields")));
  EXPECT_EQ(read_file(path_), before + "2,exp99,copy\n");
  std::ofstream(path_) << before;
  for (const std::string& garbage : {std::string("garbage\n"), samples_before + "2,exp99\n", std::string()}) {
    std::ofstream(samples_path(path_)) << garbage;
    EXPECT_THAT(resume_refusal(matching_), HasSubstr(samples_path(path_)));
    EXPECT_EQ(read_file(samples_path(path_)), garbage);
  }
  std::filesystem::remove(samples_path(path_));
  EXPECT_THAT(resume_refusal(matching_), HasSubstr(samples_path(path_)));
  EXPECT_EQ(read_file(path_), before);
}

TEST_F(ResultFileTest, AnotherSchemaIsAnError) {
  make({row("add")});
  std::ofstream(schema_path(path_)) << "{}";
  EXPECT_THAT(resume_refusal(matching_), HasSubstr(schema_path(path_)));
  std::filesystem::remove(schema_path(path_));
  EXPECT_THAT(resume_refusal(matching_), HasSubstr(schema_path(path_)));
  EXPECT_EQ(rows().size(), 2U);
}

TEST_F(ResultFileTest, AFileWithNoRowsYetIsBegunAfresh) {
  for (const std::string& text : {std::string(), csv_record(schema_.results.header())}) {
    std::ofstream(path_) << text;
    EXPECT_EQ(ResultFile::resume(path_, schema_, matching_).left_out().size(), 0U);
    EXPECT_EQ(rows(), with_header({}));
    EXPECT_EQ(read_file(schema_path(path_)), schema_.json());
  }
}

TEST_F(ResultFileTest, ALinkStandsForWhatItLeadsTo) {
  std::filesystem::create_directory(folder_.file("there"));
  std::filesystem::create_symlink("there/real.csv", folder_.file("link.csv"));
  path_ = folder_.file("link.csv");
  make({row("add")});
  EXPECT_TRUE(std::filesystem::is_symlink(path_));
  EXPECT_THAT(names(), testing::UnorderedElementsAre("there", "link.csv"));
  EXPECT_EQ(parse_csv(read_file(folder_.file("there/real.samples.csv"))).size(), 2U);
  EXPECT_TRUE(ResultFile::resume(path_, schema_, matching_).has(row("add")));
  EXPECT_EQ(parse_csv(read_file(folder_.file("there/real.samples.csv"))).size(), 2U) << "the two stay together";
}

// run.v1 and run.v2 would have one run.samples.csv.
TEST_F(ResultFileTest, ANameThatIsNoCsvsIsRefused) {
  for (const char* name : {"run.v1", "run", "run.samples.csv", ".csv", "--resume"}) {
    path_ = folder_.file(name);
    EXPECT_THAT(message_of<UsageError>([&] { ResultFile::create(path_, schema_); }),
                testing::AllOf(HasSubstr(name), HasSubstr("ends in .csv")));
  }
  EXPECT_TRUE(folder_.empty());
}

TEST_F(ResultFileTest, WhatCannotBeWrittenLeavesAllFilesAsTheyWere) {
  make({row("add")});
  const std::string before = read_file(path_);
  std::filesystem::remove(schema_path(path_));
  std::filesystem::create_directory(schema_path(path_));
  EXPECT_THROW(ResultFile::create(path_, schema_), UsageError);
  EXPECT_EQ(read_file(path_), before);
  EXPECT_EQ(names().size(), 3U);
}

TEST_F(ResultFileTest, ARowThatFitsNoColumnLeavesNothingBehind) {
  ResultFile file = ResultFile::create(path_, schema_);
  EXPECT_THROW(file.append({sample("add", 0)}, {with(row("add"), {{"speed", 1}})}), Error);
  EXPECT_EQ(rows(), with_header({}));
  EXPECT_EQ(samples(), samples_with_header({}));
}

TEST_F(ResultFileTest, ResumeRefusesOtherColumns) {
  for (const char* text : {"id,verdict\n1,REPRODUCED\n", "no line end"}) {
    std::ofstream(path_) << text;
    EXPECT_THAT(resume_refusal({}), testing::AllOf(HasSubstr(path_), HasSubstr("columns")));
    EXPECT_EQ(read_file(path_), text);
  }
}

TEST_F(ResultFileTest, AFolderThatCannotBeWritten) {
  add_text(folder_.file("file"), "not a folder");
  path_ = folder_.file("file/exp99.csv");
  EXPECT_THAT(message_of<UsageError>([&] { ResultFile::create(path_, schema_); }), HasSubstr(path_));
  EXPECT_THAT(resume_refusal({}), HasSubstr(path_));
  EXPECT_EQ(read_file(folder_.file("file")), "not a folder");
}

TEST_F(ResultFileTest, APathThatIsAFolder) {
  const TempDir parent;
  path_ = parent.file("results");
  std::filesystem::create_directory(path_);
  EXPECT_THAT(message_of<UsageError>([&] { ResultFile::create(path_, schema_); }), HasSubstr(path_));
  EXPECT_THAT(resume_refusal({}), HasSubstr(path_));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(parent.file("")), {}), 1) << "nothing was written beside it";
}

}  // namespace
}  // namespace bench
