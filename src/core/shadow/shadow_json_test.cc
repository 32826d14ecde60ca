#include <gtest/gtest.h>

#include "codec/documents/json.h"
#include "core/shadow/shadow_book.h"
#include "core/shadow/shadow_pairing.h"

namespace jettison {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(ShadowJson, HasEveryFieldAndLeavesOutWhatIsNotKnown) {
  const Instant start(seconds(1'700'000'000));
  ShadowBook book;
  book.NoteOurs({start,
                 {.uid = "u1", .namespace_ = "default", .name = "a"},
                 Signal::kMemoryAvailable,
                 "low"});
  book.NoteKubelets({start + milliseconds(2500),
                     {.uid = "u1", .namespace_ = "default", .name = "a"},
                     {},
                     "The node was low on resource: memory. "});
  book.NoteKubelets({start + seconds(3),
                     {.uid = "u2", .namespace_ = "default", .name = "b"},
                     {},
                     "Usage of EmptyDir volume \"x\" exceeds the limit \"1\". "});
  EXPECT_EQ(
      ShadowJson(book.View(start + seconds(4))),
      R"({"at":"2023-11-14T22:13:24Z","agreementPercent":100.00,)"
      R"("counters":{"agreed":1,"late":0,"otherVictim":0,"oursAlone":0,"kubeletsAlone":0,)"
      R"("otherReasons":0,"leadSumSeconds":2.5,"shortestLeadSeconds":2.5,)"
      R"("longestLeadSeconds":2.5},)"
      R"("pairings":[{"decidedAt":"2023-11-14T22:13:22.5Z","verdict":"agreed","leadSeconds":2.5,)"
      R"("sameReason":true,"podEnded":false,)"
      R"("ours":{"at":"2023-11-14T22:13:20Z","namespace":"default","name":"a","uid":"u1",)"
      R"("signal":"memory.available","resource":"memory","message":"low","notes":1},)"
      R"("kubelets":{"at":"2023-11-14T22:13:22.5Z","namespace":"default","name":"a","uid":"u1",)"
      R"("resource":"memory","message":"The node was low on resource: memory. ","notes":1}}],)"
      R"("open":[],)"
      R"("kubeletsOpen":[{"at":"2023-11-14T22:13:23Z","namespace":"default","name":"b",)"
      R"("uid":"u2","message":"Usage of EmptyDir volume \"x\" exceeds the limit \"1\". ",)"
      R"("notes":1}]})");
}

TEST(ShadowJson, AnEmptyBookIsWellFormed) {
  const auto parsed = ParseJson(ShadowJson(ShadowBook().View(Instant{})));
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(parsed->Find("agreementPercent"), nullptr);
  EXPECT_NE(parsed->Find("counters"), nullptr);
}

TEST(ShadowJson, VerdictsHaveNamesThatAreReadBack) {
  for (const ShadowVerdict verdict : kAllShadowVerdicts) {
    EXPECT_EQ(ShadowVerdictNamed(NameOf(verdict)), verdict);
  }
  EXPECT_FALSE(ShadowVerdictNamed("none"));
}

}  // namespace
}  // namespace jettison
