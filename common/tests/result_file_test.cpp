#include "core/result_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "core/error.h"
#include "core/experiment.h"
#include "fake_device.h"

namespace bench {
namespace {

using testing::HasSubstr;

std::string read(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

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
            {"status", "failed"},
            {"block", 256},
            {"elements", 1024},
            {"cache", "warm"},
            {"reason", "a, \"quoted\"\nreason"},
            {"seed", 1},
            {"gpu_uuid", "aaaa"},
            {"git_rev", "cafe"},
            {"started_at", "2026-01-31T23:59:59Z"}};
  }
  static Values sample(const std::string& variant, int position, const std::string& api = "cuda") {
    return {{"schema", kCsvSchema}, {"experiment", "exp99"}, {"variant", variant}, {"api", api},          {"block", 256},
            {"elements", 1024},     {"cache", "warm"},       {"batch", 1},         {"position", position}};
  }
  std::vector<CsvRow> rows() const { return parse_csv(read(path_)); }
  std::vector<CsvRow> samples() const { return parse_csv(read(samples_path(path_))); }
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
  std::string resume_refusal(const Values& must_match) const {
    return message_of<UsageError>([&] { ResultFile::resume(path_, schema_, must_match); });
  }

  TempDir folder_;
  std::string path_ = folder_.file("exp99.csv");
  Schema schema_{Experiment{.name = "exp99",
                            .question = "?",
                            .params = {Column::integer("block", "threads", "of a block")},
                            .model = {Column::integer("sectors", "", "of a warp").optional()},
                            .measured = {Column::integer("weak", "", "outcomes").optional()},
                            .variants = {},
                            .cases = {}}};
  Values matching_ = {{"seed", 1}, {"gpu_uuid", "aaaa"}, {"git_rev", "cafe"}};
};

TEST_F(ResultFileTest, ItsCompanionsLieBesideIt) {
  EXPECT_EQ(samples_path("results/x/exp01.csv"), "results/x/exp01.samples.csv");
  EXPECT_EQ(schema_path("results/x/exp01.csv"), "results/x/exp01.schema.json");
}

TEST_F(ResultFileTest, CreateWritesTheHeadersAtOnce) {
  const ResultFile file = ResultFile::create(path_, schema_);
  EXPECT_EQ(rows(), with_header({}));
  EXPECT_EQ(samples(), samples_with_header({}));
  EXPECT_EQ(read(schema_path(path_)), schema_.json());
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
  for (const std::string& rest : {record.substr(0, record.size() - 1), record.substr(0, record.size() / 2), std::string("1,"),
                                  std::string("1,exp99,copy\n")}) {
    add_text(path_, rest);
    add_text(samples_path(path_), csv_record(schema_.samples.row(sample("copy", 1))).substr(0, 9));
    EXPECT_FALSE(ResultFile::resume(path_, schema_, matching_).has(row("copy")));
    EXPECT_EQ(rows(), with_header({row("add")}));
    EXPECT_EQ(samples(), samples_with_header({sample("add", 0)}));
  }
}

TEST_F(ResultFileTest, ResumeRefusesAnotherRunAndNamesBoth) {
  ResultFile::create(path_, schema_).append({sample("add", 0)}, {row("add")});
  const std::string before = read(path_);
  const std::string samples_before = read(samples_path(path_));
  for (const auto& [column, ours, theirs] :
       {std::tuple{"seed", "1", "2"}, std::tuple{"gpu_uuid", "aaaa", "bbbb"}, std::tuple{"git_rev", "cafe", "beef"}}) {
    EXPECT_THAT(resume_refusal({{column, theirs}}),
                testing::AllOf(HasSubstr(path_), HasSubstr(fmt::format("{} {}", column, ours)), HasSubstr(theirs)));
  }
  EXPECT_EQ(read(path_), before);
  EXPECT_EQ(read(samples_path(path_)), samples_before);
}

TEST_F(ResultFileTest, ResumeRefusesOtherColumns) {
  for (const char* text : {"", "id,verdict\n1,REPRODUCED\n", "no line end"}) {
    std::ofstream(path_) << text;
    EXPECT_THAT(resume_refusal({}), testing::AllOf(HasSubstr(path_), HasSubstr("columns")));
    EXPECT_EQ(read(path_), text);
  }
}

TEST_F(ResultFileTest, AFolderThatCannotBeWritten) {
  add_text(folder_.file("file"), "not a folder");
  path_ = folder_.file("file/exp99.csv");
  EXPECT_THAT(message_of<UsageError>([&] { ResultFile::create(path_, schema_); }), HasSubstr(path_));
  EXPECT_THAT(resume_refusal({}), HasSubstr(path_));
  EXPECT_EQ(read(folder_.file("file")), "not a folder");
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
