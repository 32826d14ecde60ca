#include "cli/terminal/options.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "core/model/signal.h"
#include "kernel/files/temporary_folder.h"

namespace jettison {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;

TEST(NumberOption, AWholeNumberWithinTheRangeIsTaken) {
  const auto check = WholeNumber(1, 20);
  for (const char* text : {"1", "7", "20"}) EXPECT_EQ(check(text), "") << text;
  for (const char* text : {"", "-1", "0", "21", "1.5", "7x", "18446744073709551616"}) {
    EXPECT_EQ(check(text), std::string(text) + ": must be a whole number from 1 to 20");
  }
}

TEST(NumberOption, ANumberWithinTheRangeIsTakenAndNanIsNone) {
  const auto check = Number(0.1, 3600);
  for (const char* text : {"0.1", "1e2", "3600"}) EXPECT_EQ(check(text), "") << text;
  for (const char* text : {"", "-1", "0", "nan", "inf", "3601", "1s", "1e999"}) {
    EXPECT_EQ(check(text), std::string(text) + ": must be a number from 0.1 to 3600");
  }
}

TEST(SignalOption, TheNameOfEachSignalIsTaken) {
  for (const Signal signal : kAllSignals) {
    EXPECT_EQ(KnownSignal()(std::string(NameOf(signal))), "") << NameOf(signal);
  }
}

TEST(SignalOption, AnotherNameIsRefusedWithTheNearestAndWithAllThatAreAllowed) {
  EXPECT_THAT(KnownSignal()("memroy.available"),
              AllOf(HasSubstr("memroy.available: there is no such signal (did you mean "
                              "\"memory.available\"?); allowed: memory.available, "),
                    EndsWith(" or io.pressure.some.avg60")));
  EXPECT_THAT(KnownSignal()("x"), HasSubstr("x: there is no such signal; allowed: "));
}

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
