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

class WholeProgram : public testing::Test {
 protected:
  // The exit status; what it wrote is in `out_` and `complaint_`.
  int Run(std::vector<const char*> arguments) {
    arguments.insert(arguments.begin(), "jettison");
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    const int status = RunProgram("1.2.3", static_cast<int>(arguments.size()), arguments.data());
    complaint_ = testing::internal::GetCapturedStderr();
    out_ = testing::internal::GetCapturedStdout();
    return status;
  }
  std::string out_;
  std::string complaint_;
};

TEST_F(WholeProgram, SaysItsVersionAndHowItIsUsed) {
  EXPECT_EQ(Run({"--version"}), 0);
  EXPECT_EQ(out_, "jettison 1.2.3\n");
  EXPECT_EQ(Run({"status", "--help"}), 0);
  EXPECT_THAT(out_, HasSubstr("--exit-code"));
  EXPECT_EQ(complaint_, "");
}

TEST_F(WholeProgram, HasHelpAsACommand) {
  EXPECT_EQ(Run({"help"}), 0);
  EXPECT_THAT(out_, HasSubstr("jettison simulate node.jtr"));
  EXPECT_EQ(Run({"simulate", "--help"}), 0);
  const std::string of_simulate = out_;
  EXPECT_EQ(Run({"help", "simulate"}), 0);
  EXPECT_EQ(out_, of_simulate);
}

TEST_F(WholeProgram, NamesWhatItDoesNotKnowAndTheNearest) {
  struct Wrong {
    std::vector<const char*> words;
    const char* complaint;
  };
  for (const Wrong& row : {
           Wrong{{}, "A subcommand is required; see `jettison --help`\n"},
           Wrong{{"simulat", "x"},
                 "unexpected argument \"simulat\" (did you mean \"simulate\"?); "
                 "see `jettison --help`\n"},
           Wrong{{"evict", "--now"}, "unexpected argument \"evict\"; see `jettison --help`\n"},
           Wrong{{"--verison"},
                 "unexpected argument \"--verison\" (did you mean \"--version\"?); "
                 "see `jettison --help`\n"},
           Wrong{{"status", "--nonsense"},
                 "unexpected argument \"--nonsense\"; see `jettison status --help`\n"},
           Wrong{{"check-config", "--ouptut=json", "node.yaml"},
                 "unexpected argument \"--ouptut\" (did you mean \"--output\"?); "
                 "see `jettison check-config --help`\n"},
           Wrong{{"explain", "a", "b", "c"},
                 "unexpected argument \"b\"; see `jettison explain --help`\n"},
       }) {
    EXPECT_EQ(Run(row.words), 2);
    EXPECT_EQ(complaint_, std::string("jettison: ") + row.complaint);
  }
}

TEST_F(WholeProgram, NamesTheSignalThatWasProbablyMeant) {
  for (const char* command : {"rank", "top"}) {
    EXPECT_EQ(Run({command, "--signal", "memory.availabel"}), 2);
    EXPECT_THAT(complaint_,
                HasSubstr("--signal: memory.availabel: there is no such signal (did you "
                          "mean \"memory.available\"?); allowed: memory.available, "))
        << command;
  }
}

TEST_F(WholeProgram, SaysByItsStatusWhetherAConfigurationIsFaultyOrCannotBeRead) {
  const kernel::TemporaryFolder folder;
  const auto write = [&](const std::string& name, const std::string& text) {
    std::string path = folder.path() + "/" + name;
    EXPECT_TRUE(kernel::WriteFile(path, text));
    return path;
  };
  const std::string missing = folder.path() + "/missing.yaml";
  EXPECT_EQ(Run({"run", "--config", missing.c_str()}), 1);
  EXPECT_EQ(complaint_, "jettison: " + missing + ": cannot be read: No such file or directory\n");
  EXPECT_EQ(Run({"run", "--config", folder.path().c_str()}), 1);
  const std::string ours = write("ours.yaml",
                                 "apiVersion: jettison.io/v1alpha1\nkind: JettisonConfiguration\n"
                                 "source: kubernetes\n"
                                 "kubernetes: {kubeletConfiguration: " +
                                     missing + "}\n");
  EXPECT_EQ(Run({"run", "--config", ours.c_str()}), 1);
  EXPECT_THAT(complaint_, HasSubstr(missing + ": cannot be read"));
  const std::string faulty = write(
      "faulty.yaml", "apiVersion: jettison.io/v1alpha1\nkind: JettisonConfiguration\ndryRun: 7\n");
  EXPECT_EQ(Run({"run", "--config", faulty.c_str()}), 2);
}

TEST_F(WholeProgram, CanBeStartedAgainWhereTheKubeletsConfigurationKeepsTheAgentFromStarting) {
  const kernel::TemporaryFolder folder;
  const std::string theirs = folder.path() + "/kubelet.yaml";
  const std::string ours = folder.path() + "/ours.yaml";
  const std::string head =
      "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n";
  ASSERT_TRUE(kernel::WriteFile(
      ours,
      "apiVersion: jettison.io/v1alpha1\nkind: JettisonConfiguration\nsource: kubernetes\n"
      "kubernetes: {kubeletConfiguration: " +
          theirs + "}\n---\n" + head + "evictionHard: {memory.available: 500Mi}\n"));
  for (const std::string& text : {std::string(), head + "evictionHard: {memory",
                                  head + "evictionHard: {memory.available: 1x}\n",
                                  head + "evictionHard: {memory.available: 1Gi}\n"}) {
    ASSERT_TRUE(kernel::WriteFile(theirs, text));
    EXPECT_EQ(Run({"run", "--config", ours.c_str()}), 1) << text;
    EXPECT_THAT(complaint_, HasSubstr("this depends on the kubelet's configuration")) << text;
  }
}

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

// What commands make of the files that they read: none is written over, none is read as if it were
// another, and one that cannot be read is not called invalid.
class Inputs : public WholeProgram {
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
  int Run(const std::vector<std::string>& arguments) {
    std::vector<std::string> words;
    for (const std::string& word : arguments) {
      words.push_back(word.starts_with('%') ? PathOf(word.substr(1)) : word);
    }
    std::vector<const char*> pointers;
    for (const std::string& word : words) pointers.push_back(word.c_str());
    return WholeProgram::Run(pointers);
  }

  kernel::TemporaryFolder folder_;
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
      {{"recommend", "%o.ndjson", "--html", "%o.ndjson"}, "--html", "o.ndjson"},
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
