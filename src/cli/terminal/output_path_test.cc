#include "cli/terminal/output_path.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "kernel/files/temporary_folder.h"

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
        WhyInputWouldBeLost({{"--svg", ""}, {"--html", name}}, {"missing", input_}),
        "--html " + name + ": is the same file as the input " + input_ + "; name another file");
  }
}

TEST_F(OutputPaths, StandardInputIsAnInputToo) {
  const int kept = ::dup(STDIN_FILENO);
  const int file = ::open(input_.c_str(), O_RDONLY | O_CLOEXEC);
  ::dup2(file, STDIN_FILENO);
  const std::string why = WhyInputWouldBeLost({{"--out", input_}}, {"-"});
  ::dup2(kept, STDIN_FILENO);
  ::close(kept);
  ::close(file);
  EXPECT_EQ(why, "--out " + input_ +
                     ": is the same file as the input on standard input; name another file");
}

TEST_F(OutputPaths, AnythingElseMayBeWritten) {
  const std::string other = FileNamed("other.jtr");
  for (const std::string& name : {other, std::string(), std::string("-"), folder_.path(),
                                  folder_.path() + "/new", std::string("/dev/null")}) {
    EXPECT_EQ(WhyInputWouldBeLost({{"--out", name}}, {input_, folder_.path(), "/dev/null"}), "")
        << name;
  }
}

}  // namespace
}  // namespace jettison
