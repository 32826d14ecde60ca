#include "cli/terminal/output.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>

namespace jettison {
namespace {

// A standard stream leads to a device that is full, or nowhere, while this lives.
class Redirected {
 public:
  Redirected(std::FILE* stream, const char* path) : stream_(stream) {
    std::fflush(stream_);
    ::clearerr(stream_);
    kept_ = ::dup(::fileno(stream_));
    const int device = ::open(path, O_WRONLY | O_CLOEXEC);
    ::dup2(device, ::fileno(stream_));
    ::close(device);
  }
  ~Redirected() {
    std::fflush(stream_);
    ::dup2(kept_, ::fileno(stream_));
    ::close(kept_);
    ::clearerr(stream_);
  }

 private:
  std::FILE* stream_;
  int kept_;
};

TEST(Output, LinesForPeopleHaveNoControlCharacters) {
  EXPECT_EQ(PrintableLines("a\x1b[2Jb\r\tc\nd\x7f\n"), "a [2Jb  c\nd \n");
  EXPECT_EQ(PrintableLines("ä\xc2\x9b\n2\xc2\x85\nx"), "ä \n2 \nx") << "the C1 characters";
  EXPECT_EQ(PrintableLines("\xc2\n\xc2"), "\xc2\n\xc2") << "half a character";
  EXPECT_EQ(PrintableLines(""), "");
}

TEST(Output, TextForPeopleIsMadePrintableAndDataStaysAsItIs) {
  testing::internal::CaptureStdout();
  EXPECT_EQ(PrintText("a\x1b[2J\n"), 0);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "a [2J\n");
  testing::internal::CaptureStdout();
  EXPECT_EQ(PrintData("a\x1b[2J\n"), 0);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "a\x1b[2J\n");
}

TEST(Output, ThatCannotBeWrittenIsToldAndGivesStatusOne) {
  testing::internal::CaptureStderr();
  {
    const Redirected full(stdout, "/dev/full");
    EXPECT_EQ(PrintText("text\n"), 1);
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "jettison: cannot write: No space left on device\n");
}

}  // namespace
}  // namespace jettison
