#include "cli/terminal/options.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "core/model/signal.h"
#include "kernel/files/testing/temporary_folder.h"

namespace jettison {
namespace {

namespace fs = std::filesystem;

class OutputPaths : public ::testing::Test {
 protected:
  std::string FileNamed(const std::string& name) {
    const std::string path = folder_.path() + "/" + name;
    std::ofstream(path) << "a recording\n";
    return path;
  }

  [[nodiscard]] std::string New(const std::string& name) const {
    return folder_.path() + "/" + name;
  }

  kernel::TemporaryFolder folder_;
  const std::string input_ = FileNamed("node.jtr");
};

TEST_F(OutputPaths, AnInputIsNoOutputUnderAnyName) {
  const std::string link = folder_.path() + "/link";
  const std::string hard = folder_.path() + "/hard";
  fs::create_symlink("node.jtr", link);
  fs::create_hard_link(input_, hard);
  for (const std::string& name : {input_, link, hard, folder_.path() + "/./node.jtr"}) {
    EXPECT_EQ(
        WhyInputWouldBeLost({{"--out", ""}, {"--html", name}}, {"missing", input_}),
        "--html " + name + ": is the same file as the input " + input_ + "; name another file");
  }
}

TEST_F(OutputPaths, NoOutputIsWrittenOverAnotherUnderAnyName) {
  fs::create_directory(New("folder"));
  fs::create_symlink("new", New("dangling"));
  fs::create_symlink("folder", New("elsewhere"));
  const std::vector<std::pair<std::string, std::string>> rows = {
      {input_, input_},
      {New("new"), New("new")},
      {New("new"), New("./folder/../new")},
      {New("new"), New("dangling")},
      {New("new"), New("new/")},
      {New("folder/new"), New("elsewhere/new")},
      {"new", "./new"},
      {"new", fs::current_path().string() + "/new"},
  };
  for (const auto& [one, other] : rows) {
    EXPECT_EQ(WhyOutputWouldBeLost({{"--out", one}, {"--other", ""}, {"--html", other}}),
              "--html " + other + ": is the same path as that of --out; name another one");
  }
}

}  // namespace
}  // namespace jettison
