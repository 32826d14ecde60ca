#include "cli/shadow/shadow.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/shadow/shadow_book.h"
#include "core/shadow/shadow_pairing.h"

namespace jettison {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kMemory = "The node was low on resource: memory. ";

Instant At(int second) {
  return Instant(seconds(1'700'000'000 + second));
}
ShadowPod Pod(const char* name) {
  return {.uid = name, .namespace_ = "default", .name = name};
}

ShadowBook ABook() {
  ShadowBook book;
  book.NoteOurs({At(0), Pod("a"), Signal::kMemoryAvailable, "low"});
  book.NoteKubelets({At(5) + milliseconds(500), Pod("a"), {}, kMemory});
  book.NoteOurs({At(10), Pod("b"), Signal::kMemoryAvailable, "low"});
  book.NoteKubelets({At(12), Pod("c"), {}, kMemory});
  book.NoteKubelets(
      {At(20), Pod("d"), {}, "Usage of EmptyDir volume \"x\" exceeds the limit \"1\". "});
  book.NoteOurs({At(22), Pod("d"), {}, "over"});
  book.NoteOurs({At(30), Pod("e"), Signal::kPidAvailable, "low"});
  book.NoteGone("e", At(31));
  book.NoteOurs({At(40), Pod("f"), Signal::kNodeFsAvailable, "low"});
  return book;
}

TEST(ShadowText, SaysHowFarTheTwoAgreeAndWhatEachDid) {
  EXPECT_EQ(ShadowText(ABook().View(At(41)), 120, false),
            "Agreement 25.00%  agreed 1  too late 1  other victim 1  ours alone 1  kubelet alone "
            "0\n"
            "The agent was earlier by 5.5 s on average, from 5.5 s to 5.5 s\n"
            "\n"
            "AT        VERDICT         EARLIER     FOR                POD\n"
            "22:14:00  ours, still open            nodefs.available   default/f\n"
            "22:13:50  ours alone      -           pid.available      default/e, which ended "
            "for another reason\n"
            "22:13:42  too late        2.0 s late  a limit of the pod default/d\n"
            "22:13:30  other victim    2.0 s       memory.available   default/b, the kubelet "
            "default/c\n"
            "22:13:20  agreed          5.5 s       memory.available   default/a\n");
}

TEST(ShadowText, WhatTheAgentSendsIsReadBack) {
  const ShadowView view = ABook().View(At(41));
  const auto read = ReadShadow(ShadowJson(view));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(ShadowText(*read, 120, false), ShadowText(view, 120, false));
  EXPECT_EQ(ShadowJson(*read), ShadowJson(view));
}

TEST(ShadowText, AnEmptyBookIsSaidAndNothingElse) {
  EXPECT_EQ(ShadowText(ShadowBook().View(At(0)), 80, false),
            "Nothing to compare yet: neither the agent nor the kubelet has evicted a pod.\n");
}

TEST(ShadowText, WhatAnotherVersionSendsDoesNoHarm) {
  for (const char* text :
       {"", "[]", "{}", R"({"at":"2023-11-14T22:13:24Z"})", "{\"counters\":1}"}) {
    EXPECT_FALSE(ReadShadow(text)) << text;
  }
  const auto read = ReadShadow(
      R"({"at":"2023-11-14T22:13:24Z","agreementPercent":"x","counters":{"agreed":3,"new":1},)"
      R"("pairings":[{"verdict":"none"},{"verdict":"oursAlone","ours":{"name":"a\u001b[2J"}}]})");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->counters.Of(ShadowVerdict::kAgreed), 3U);
  EXPECT_THAT(ShadowText(*read, 80, false), Not(HasSubstr("\x1b")));
}

}  // namespace
}  // namespace jettison
