#include "runtimes/cri/pod_record.h"

#include <gtest/gtest.h>

namespace jettison::cri {
namespace {

PodRecord Sample() {
  return {.sandbox = {.id = "box", .attempt = 2, .host_network = true},
          .runs = {{.container = "main",
                    .attempt = 3,
                    .id = "0123abc",
                    .started = Instant(std::chrono::seconds(5)),
                    .stop_signal = 10},
                   {.container = "side", .id = "def"}},
          .written_pod = "{\"a\":\n1}"};
}

TEST(PodRecord, IsReadAsItWasWritten) {
  const auto read = ParsePodRecord(FormatPodRecord(Sample()));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->sandbox.id, "box");
  EXPECT_EQ(read->sandbox.attempt, 2U);
  EXPECT_TRUE(read->sandbox.host_network);
  EXPECT_EQ(read->runs, Sample().runs);
  EXPECT_EQ(read->written_pod, Sample().written_pod);
}

TEST(PodRecord, ATextThatIsCutShortAnywhereIsNone) {
  const std::string whole = FormatPodRecord(Sample());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(ParsePodRecord(whole.substr(0, size))) << size;
  }
  EXPECT_FALSE(ParsePodRecord(whole + "x"));
  const auto padded = ParsePodRecord(whole + "\n\n\n");
  ASSERT_TRUE(padded);
  EXPECT_EQ(padded->written_pod, Sample().written_pod);
}

TEST(PodRecord, NonsenseIsRefused) {
  for (const char* text :
       {"", "\n", "pod 0\n", "sandbox a\npod 0\n", "sandbox a x host\npod 0\n",
        "sandbox a 1 host\nrun c\npod 0\n", "sandbox a 1 host\nrun c 1 i 1 -5 1 0\npod 0\n",
        "sandbox a 1 host more\npod 0\n", "sandbox a 1 host\nwhat 1\npod 0\n",
        "sandbox a 1 host\npod 99999999999999999999\n", "sandbox a 1 host\npod 5\nabc"}) {
    EXPECT_FALSE(ParsePodRecord(text)) << text;
  }
}

}  // namespace
}  // namespace jettison::cri
