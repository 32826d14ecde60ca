#include "cli/terminal/options.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

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
        WhyDataWouldBeLost({{"--out", ""}, {"--html", name}}, {"missing", input_}),
        "--html " + name + ": is the same file as the input " + input_ + "; name another file");
  }
}

TEST_F(OutputPaths, TwoOutputsAreNotOneFile) {
  const std::string out = folder_.path() + "/out";
  EXPECT_EQ(
      WhyDataWouldBeLost({{"--out", out}, {"--html", folder_.path() + "/./out"}}, {}),
      "--html " + folder_.path() + "/./out: is the same file as that of --out; name another file");
  EXPECT_EQ(WhyDataWouldBeLost({{"--out", "-"}, {"--html", "-"}}, {}), "");
  EXPECT_EQ(WhyDataWouldBeLost({{"--out", "/dev/null"}, {"--html", "/dev/null"}}, {}), "");
}

}  // namespace
}  // namespace jettison
