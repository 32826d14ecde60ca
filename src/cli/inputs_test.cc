// What commands make of the files that they read: none is written over, none is read as if it were
// another, and one that cannot be read is not called invalid.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "kernel/files/files.h"
#include "kernel/files/testing/temporary_folder.h"

namespace jettison {
namespace {

namespace fs = std::filesystem;

using ::testing::HasSubstr;

constexpr const char* kPolicy =
    "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n";

// A server that is not asked.
constexpr const char* kUrl = "http://127.0.0.1:1";

// A command line with one output that is also an input; %X is the file X of the test.
struct Row {
  std::vector<std::string> arguments;
  std::string option;
  std::string file;
};

class Inputs : public testing::Test {
 protected:
  Inputs() {
    fs::create_directory(PathOf("folder"));
    Put("o.ndjson", "{}\n");
    Put("folder/f.ndjson", "{}\n");
    Put("q.yaml", kPolicy);
    fs::create_symlink("o.ndjson", PathOf("link"));
  }
  [[nodiscard]] std::string PathOf(const std::string& name) const {
    return folder_.path() + "/" + name;
  }
  void Put(const std::string& name, const std::string& text) const {
    ASSERT_TRUE(kernel::WriteFile(PathOf(name), text));
  }
  // The exit status; what it complained of is in `complaint_`.
  int Run(const std::vector<std::string>& arguments) {
    std::vector<std::string> words = {"jettison"};
    for (const std::string& word : arguments) {
      words.push_back(word.starts_with('%') ? PathOf(word.substr(1)) : word);
    }
    std::vector<const char*> pointers;
    for (const std::string& word : words) pointers.push_back(word.c_str());
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    const int status = RunProgram("1.2.3", static_cast<int>(pointers.size()), pointers.data());
    complaint_ = testing::internal::GetCapturedStderr();
    (void)testing::internal::GetCapturedStdout();
    return status;
  }

  kernel::TemporaryFolder folder_;
  std::string complaint_;
};

TEST_F(Inputs, AreNeverOutputs) {
  const std::vector<Row> rows = {
      {{"simulate", "%o.ndjson", "--html", "%o.ndjson"}, "--html", "o.ndjson"},
      {{"simulate", "%o.ndjson", "--html", "%link"}, "--html", "o.ndjson"},
      {{"simulate", "%o.ndjson", "--policy", "%q.yaml", "--html", "%q.yaml"}, "--html", "q.yaml"},
      {{"simulate", "%o.ndjson", "--shard", "0/1", "--out", "%o.ndjson"}, "--out", "o.ndjson"},
      {{"simulate", "%folder", "--shard", "0/1", "--out", "%folder/f.ndjson"},
       "--out",
       "folder/f.ndjson"},
      {{"simulate", "%o.ndjson", "--policy", "%q.yaml", "--shard", "0/1", "--out", "%q.yaml"},
       "--out",
       "q.yaml"},
      {{"recommend", "%o.ndjson", "--out", "%o.ndjson"}, "--out", "o.ndjson"},
      {{"recommend", "%o.ndjson", "--html", "%o.ndjson"}, "--html", "o.ndjson"},
      {{"recommend", "%folder", "--out", "%folder/f.ndjson"}, "--out", "folder/f.ndjson"},
      {{"recommend", "%o.ndjson", "--policy", "%q.yaml", "--out", "%q.yaml"}, "--out", "q.yaml"},
      {{"simulate", "--sum", "%o.ndjson", "--out", "%o.ndjson"}, "--out", "o.ndjson"},
      {{"simulate", "--sum", "%folder", "--out", "%folder/f.ndjson"}, "--out", "folder/f.ndjson"},
      {{"import", "prometheus", kUrl, "--node", "a", "--from", "1h", "--config", "%q.yaml", "--out",
        "%q.yaml"},
       "--out",
       "q.yaml"},
  };
  for (const Row& row : rows) {
    const auto before = kernel::ReadFile(PathOf(row.file));
    EXPECT_EQ(Run(row.arguments), 2) << complaint_;
    EXPECT_THAT(complaint_, HasSubstr("jettison: " + row.option + " "));
    EXPECT_THAT(complaint_, HasSubstr(": is the same file as the input " + PathOf(row.file) +
                                      "; name another file\n"));
    EXPECT_EQ(kernel::ReadFile(PathOf(row.file)), before);
  }
}

// `run` waits for a second that an empty one is written (config_files_test), and is in
// program_test.
TEST_F(Inputs, AConfigurationThatIsMissingFailsAndAnEmptyOneIsInvalid) {
  Put("empty.yaml", "# nothing but a comment\n");
  const std::vector<std::vector<std::string>> commands = {
      {"doctor", "--config"},
      {"simulate", "%o.ndjson", "--policy"},
      {"simulate", "%o.ndjson", "--shard", "0/1", "--out", "%new", "--policy"},
      {"recommend", "%o.ndjson", "--policy"},
      {"simulate", "%o.ndjson", "--against"},
      {"import", "prometheus", kUrl, "--node", "a", "--from", "1h", "--out", "%new", "--config"},
      {"check-config"},
  };
  for (std::vector<std::string> words : commands) {
    words.emplace_back("%missing.yaml");
    EXPECT_EQ(Run(words), 1) << words.front() << ": " << complaint_;
    words.back() = "%empty.yaml";
    EXPECT_EQ(Run(words), 2) << words.front() << ": " << complaint_;
  }
}

}  // namespace
}  // namespace jettison
