#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/command_bed.h"
#include "core/shadow/shadow_book.h"
#include "http/server/testing/test_server.h"

namespace jettison {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kMemory = "The node was low on resource: memory. ";

Instant At(int second) {
  return Instant(seconds(1'700'000'000 + second));
}
PodIdentity PodNamed(const char* name) {
  return {.namespace_ = "default", .name = name, .uid = name};
}

ShadowBook ABook() {
  ShadowBook book;
  book.NoteOurs({At(0), PodNamed("a"), Signal::kMemoryAvailable, "low"});
  book.NoteKubelets({At(5) + milliseconds(500), PodNamed("a"), {}, kMemory});
  book.NoteOurs({At(10), PodNamed("b"), Signal::kMemoryAvailable, "low"});
  book.NoteKubelets({At(12), PodNamed("c"), {}, kMemory});
  book.NoteKubelets(
      {At(20), PodNamed("d"), {}, "Usage of EmptyDir volume \"x\" exceeds the limit \"1\". "});
  book.NoteOurs({At(22), PodNamed("d"), {}, "over"});
  book.NoteOurs({At(30), PodNamed("e"), Signal::kPidAvailable, "low"});
  book.NoteGone("e", At(31));
  book.NoteOurs({At(40), PodNamed("f"), Signal::kNodeFsAvailable, "low"});
  return book;
}

// What `jettison shadow` prints where an agent answers this; `output` is that of --output.
CommandRun Shadow(const std::string& json, const std::string& output = "text") {
  http::TestServer agent;
  EXPECT_TRUE(agent.Start([&json](const HttpRequest&) { return HttpResponse{.body = json}; }));
  return RunCommand({"shadow", "--server", agent.endpoint(), "--output", output});
}

TEST(Shadow, SaysHowFarTheTwoAgreeAndWhatEachDid) {
  const std::string json = ShadowJson(ABook().View(At(41)));
  EXPECT_EQ(Shadow(json).out,
            "Agreement 25.00%  agreed 1  too late 1  other victim 1  ours alone 1  kubelet alone "
            "0\n"
            "The agent was earlier by 5.5 s on average, from 5.5 s to 5.5 s\n"
            "\n"
            "AT        VERDICT           EARLIER     FOR                 POD\n"
            "22:14:00  ours, still open              nodefs.available    default/f\n"
            "22:13:50  ours alone        -           pid.available       default/e, which ended "
            "for another reason\n"
            "22:13:42  too late          2.0 s late  a limit of the pod  default/d\n"
            "22:13:30  other victim      2.0 s       memory.available    default/b, the kubelet "
            "default/c\n"
            "22:13:20  agreed            5.5 s       memory.available    default/a\n");
  EXPECT_EQ(Shadow(json, "json").out, json);
}

TEST(Shadow, AnEmptyBookIsSaidAndNothingElse) {
  EXPECT_EQ(Shadow(ShadowJson(ShadowBook().View(At(0)))).out,
            "Nothing to compare yet: neither the agent nor the kubelet has evicted a pod.\n");
}

TEST(Shadow, WhatAnotherVersionSendsDoesNoHarm) {
  for (const char* text :
       {"", "[]", "{}", R"({"at":"2023-11-14T22:13:24Z"})", "{\"counters\":1}"}) {
    EXPECT_EQ(Shadow(text).status, 1) << text;
  }
  const CommandRun run = Shadow(
      R"({"at":"2023-11-14T22:13:24Z","agreementPercent":25,"counters":{"agreed":3,"new":1},)"
      R"("pairings":[{"verdict":"none"},{"verdict":"oursAlone","ours":{"name":"a\u001b[2J"}}]})");
  EXPECT_THAT(run.out, AllOf(HasSubstr("agreed 3"), HasSubstr("ours alone  -")));
  EXPECT_THAT(run.out, Not(HasSubstr("\x1b")));
}

}  // namespace
}  // namespace jettison
