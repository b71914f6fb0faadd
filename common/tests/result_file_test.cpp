#include "core/result_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "core/error.h"
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
  using MustMatch = std::vector<std::pair<std::string, std::string>>;

  // A row with the named cells filled and the others empty.
  static CsvRow fill(const CsvRow& columns, const std::vector<std::pair<std::string, std::string>>& cells) {
    CsvRow row(columns.size());
    for (const auto& [name, value] : cells) {
      row.at(static_cast<std::size_t>(std::find(columns.begin(), columns.end(), name) - columns.begin())) = value;
    }
    return row;
  }
  CsvRow row(const std::string& variant, const std::string& api = "cuda") const {
    return fill(columns_, {{"schema", "1"},
                           {"experiment", "exp99"},
                           {"variant", variant},
                           {"api", api},
                           {"block", "256"},
                           {"elements", "1024"},
                           {"cache", "warm"},
                           {"reason", "a, \"quoted\"\nreason"},
                           {"seed", "1"},
                           {"gpu_uuid", "aaaa"},
                           {"git_rev", "cafe"}});
  }
  CsvRow sample(const std::string& variant, int position, const std::string& api = "cuda") const {
    return fill(sample_columns(format_.params), {{"variant", variant},
                                                 {"api", api},
                                                 {"block", "256"},
                                                 {"elements", "1024"},
                                                 {"cache", "warm"},
                                                 {"position", std::to_string(position)}});
  }
  std::vector<CsvRow> rows() const { return parse_csv(read(format_.path)); }
  std::vector<CsvRow> samples() const { return parse_csv(read(samples_path(format_.path))); }
  std::string resume_refusal(const MustMatch& must_match) const {
    return message_of<UsageError>([&] { ResultFile::resume(format_, must_match); });
  }

  TempDir folder_;
  ResultFile::Format format_{folder_.file("exp99.csv"), {"block"}, {"sectors"}, {"weak"}};
  CsvRow columns_ = result_columns(format_.params, format_.model, format_.measured);
  CsvRow headers_ = sample_columns(format_.params);
  MustMatch matching_ = {{"seed", "1"}, {"gpu_uuid", "aaaa"}, {"git_rev", "cafe"}};
};

TEST_F(ResultFileTest, ColumnsAreTheDocumentedOnes) {
  EXPECT_EQ(
      csv_record(columns_),
      "schema,experiment,variant,api,status,reason,block,sectors,elements,useful_bytes,cache,batch,samples,"
      "device_ns,device_ns_lo,device_ns_hi,device_ns_min,device_ns_p05,device_ns_p95,roundtrip_ns,submit_ns,gbps,peak_pct,"
      "weak,sm_mhz,stop,order,seed,isa_hash,gpu,gpu_uuid,driver,toolkit,git_rev,started_at\n");
  EXPECT_EQ(csv_record(headers_),
            "schema,experiment,variant,api,block,elements,cache,batch,position,device_ns,roundtrip_ns,submit_ns,sm_mhz\n");
  EXPECT_EQ(samples_path("results/x/exp01.csv"), "results/x/exp01.samples.csv");
}

TEST_F(ResultFileTest, TwoColumnsOfOneNameAreAnError) {
  EXPECT_THROW(result_columns({"order"}, {}, {}), Error);  // also the sampling order's
  EXPECT_THROW(result_columns({"block"}, {}, {"block"}), Error);
}

TEST_F(ResultFileTest, KeyIsVariantApiParamsElementsCache) {
  EXPECT_EQ(row_key(row("add"), columns_, format_.params), "add,cuda,256,1024,warm\n");
  EXPECT_EQ(row_key(sample("add", 3), headers_, format_.params), row_key(row("add"), columns_, format_.params));
}

TEST_F(ResultFileTest, CreateWritesTheHeadersAtOnce) {
  const ResultFile file = ResultFile::create(format_);
  EXPECT_EQ(rows(), std::vector<CsvRow>{columns_});
  EXPECT_EQ(samples(), std::vector<CsvRow>{headers_});
}

TEST_F(ResultFileTest, CreateMakesTheFolder) {
  format_.path = folder_.file("results/gpu/exp99.csv");
  ResultFile::create(format_);
  EXPECT_EQ(rows().size(), 1U);
}

TEST_F(ResultFileTest, RowsAreOnDiskBeforeTheFileIsClosed) {
  ResultFile file = ResultFile::create(format_);
  file.append({sample("add", 0), sample("add", 1)}, {row("add"), row("add", "vulkan")});
  EXPECT_EQ(rows(), (std::vector<CsvRow>{columns_, row("add"), row("add", "vulkan")}));
  EXPECT_EQ(samples(), (std::vector<CsvRow>{headers_, sample("add", 0), sample("add", 1)}));
}

TEST_F(ResultFileTest, ResumeKeepsFinishedRowsAndAppends) {
  ResultFile::create(format_).append({sample("add", 0)}, {row("add")});
  ResultFile file = ResultFile::resume(format_, matching_);
  EXPECT_TRUE(file.has(row("add")));
  EXPECT_FALSE(file.has(row("add", "vulkan")));
  EXPECT_FALSE(file.has(row("copy")));
  file.append({sample("copy", 0)}, {row("copy")});
  EXPECT_EQ(rows(), (std::vector<CsvRow>{columns_, row("add"), row("copy")}));
  EXPECT_EQ(samples(), (std::vector<CsvRow>{headers_, sample("add", 0), sample("copy", 0)}));
}

TEST_F(ResultFileTest, ResumeWithNothingThereCreates) {
  const ResultFile file = ResultFile::resume(format_, matching_);
  EXPECT_FALSE(file.has(row("add")));
  EXPECT_EQ(rows(), std::vector<CsvRow>{columns_});
}

// Killed after it wrote the samples of `copy` and half of its row.
TEST_F(ResultFileTest, ResumeDropsWhatWasCutShort) {
  ResultFile::create(format_).append({sample("add", 0), sample("copy", 0)}, {row("add")});
  const std::string record = csv_record(row("copy"));
  for (const std::string& rest : {record.substr(0, record.size() - 1), record.substr(0, record.size() / 2), std::string("1,"),
                                  std::string("1,exp99,copy\n")}) {
    add_text(format_.path, rest);
    add_text(samples_path(format_.path), csv_record(sample("copy", 1)).substr(0, 9));
    EXPECT_FALSE(ResultFile::resume(format_, matching_).has(row("copy")));
    EXPECT_EQ(rows(), (std::vector<CsvRow>{columns_, row("add")}));
    EXPECT_EQ(samples(), (std::vector<CsvRow>{headers_, sample("add", 0)}));
  }
}

TEST_F(ResultFileTest, ResumeRefusesAnotherRunAndNamesBoth) {
  ResultFile::create(format_).append({sample("add", 0)}, {row("add")});
  const std::string before = read(format_.path);
  const std::string samples_before = read(samples_path(format_.path));
  for (const auto& [column, ours, theirs] :
       {std::tuple{"seed", "1", "2"}, std::tuple{"gpu_uuid", "aaaa", "bbbb"}, std::tuple{"git_rev", "cafe", "beef"}}) {
    EXPECT_THAT(resume_refusal({{column, theirs}}),
                testing::AllOf(HasSubstr(format_.path), HasSubstr(fmt::format("{} {}", column, ours)), HasSubstr(theirs)));
  }
  EXPECT_EQ(read(format_.path), before);
  EXPECT_EQ(read(samples_path(format_.path)), samples_before);
}

TEST_F(ResultFileTest, ResumeRefusesOtherColumns) {
  for (const char* text : {"", "id,verdict\n1,REPRODUCED\n", "no line end"}) {
    std::ofstream(format_.path) << text;
    EXPECT_THAT(resume_refusal({}), testing::AllOf(HasSubstr(format_.path), HasSubstr("columns")));
    EXPECT_EQ(read(format_.path), text);
  }
}

TEST_F(ResultFileTest, AFolderThatCannotBeWritten) {
  add_text(folder_.file("file"), "not a folder");
  format_.path = folder_.file("file/exp99.csv");
  EXPECT_THAT(message_of<UsageError>([&] { ResultFile::create(format_); }), HasSubstr(format_.path));
  EXPECT_THAT(resume_refusal({}), HasSubstr(format_.path));
  EXPECT_EQ(read(folder_.file("file")), "not a folder");
}

TEST_F(ResultFileTest, APathThatIsAFolder) {
  const TempDir parent;
  format_.path = parent.file("results");
  std::filesystem::create_directory(format_.path);
  EXPECT_THAT(message_of<UsageError>([&] { ResultFile::create(format_); }), HasSubstr(format_.path));
  EXPECT_THAT(resume_refusal({}), HasSubstr(format_.path));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(parent.file("")), {}), 1) << "nothing was written beside it";
}

}  // namespace
}  // namespace bench
