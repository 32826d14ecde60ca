#include "core/shadow/shadow_book.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace jettison {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::SizeIs;

constexpr const char* kMemory = "The node was low on resource: memory. Threshold quantity: 100Mi. ";
constexpr const char* kDisk = "The node was low on resource: ephemeral-storage. ";
constexpr const char* kLimit = "Usage of EmptyDir volume \"x\" exceeds the limit \"1Gi\". ";
constexpr const char* kRejected = "Pod was rejected: The node had condition: [MemoryPressure]. ";

Instant At(int second) {
  return Instant(seconds(1'000'000 + second));
}

// "agreed a+5", "otherVictim a/b+3", "oursAlone a", "kubeletsAlone -/b".
std::string Shown(const ShadowPairing& pairing) {
  std::string text(NameOf(pairing.verdict));
  text += " " + (pairing.ours ? pairing.ours->pod.uid : std::string("-"));
  if (pairing.kubelets && !(pairing.ours && pairing.ours->pod.uid == pairing.kubelets->pod.uid)) {
    text += "/" + pairing.kubelets->pod.uid;
  }
  if (pairing.lead) {
    const auto lead = std::chrono::duration_cast<seconds>(*pairing.lead).count();
    text += (lead < 0 ? "" : "+") + std::to_string(lead);
  }
  if (pairing.same_reason == false) text += " other reason";
  if (pairing.pod_ended) text += " ended";
  return text;
}

// A step of a course of events.
struct Step {
  char who;  // 'o' ours, 'k' the kubelet's, 'g' the pod is gone, 't' only the time
  int second;
  const char* uid = "";
  const char* message = kMemory;  // of the kubelet's
  std::optional<Signal> signal = Signal::kMemoryAvailable;
};

ShadowBook BookOf(const std::vector<Step>& steps) {
  ShadowBook book;
  for (const Step& step : steps) {
    const PodIdentity pod{.namespace_ = "default", .name = step.uid, .uid = step.uid};
    switch (step.who) {
      case 'o': book.NoteOurs({At(step.second), pod, step.signal, "ours"}); break;
      case 'k': book.NoteKubelets({At(step.second), pod, {}, step.message}); break;
      case 'g': book.NoteGone(step.uid, At(step.second)); break;
      default: book.Advance(At(step.second));
    }
  }
  return book;
}
std::vector<std::string> Pairings(const ShadowBook& book) {
  std::vector<std::string> lines;
  for (const ShadowPairing& pairing : book.View(At(0)).pairings) lines.push_back(Shown(pairing));
  return lines;
}

TEST(ShadowBook, WhatWeWouldHaveDoneIsPairedWithWhatTheKubeletDoes) {
  struct Row {
    const char* rule;
    std::vector<Step> steps;
    std::vector<std::string> pairings;
  };
  for (const Row& row : {
           Row{"the same pod, and we were first", {{'o', 0, "a"}, {'k', 5, "a"}}, {"agreed a+5"}},
           Row{"in the same moment", {{'o', 0, "a"}, {'k', 0, "a"}}, {"agreed a+0"}},
           Row{"the first note counts, however often we name the pod",
               {{'o', 0, "a"}, {'o', 10, "a"}, {'o', 20, "a"}, {'k', 25, "a"}},
               {"agreed a+25"}},
           Row{"the same pod, and the kubelet was first",
               {{'k', 0, "a"}, {'o', 2, "a"}, {'o', 3, "a"}, {'t', 500}},
               {"late a-2"}},
           Row{"the kubelet's own time tells that it was first",
               {{'o', 5, "a"}, {'k', 3, "a"}},
               {"late a-2"}},
           Row{"another pod for the same resource",
               {{'o', 0, "a"}, {'k', 5, "b"}, {'t', 500}},
               {"otherVictim a/b+5"}},
           Row{"another pod, and the kubelet was first",
               {{'k', 0, "b"}, {'o', 4, "a"}, {'t', 500}},
               {"otherVictim a/b-4"}},
           Row{"of several of ours the one that was named first",
               {{'o', 0, "a"}, {'o', 1, "c"}, {'k', 5, "b"}, {'k', 6, "c"}},
               {"otherVictim a/b+5", "agreed c+5"}},
           Row{"a pod that we named comes before one that we named earlier",
               {{'o', 0, "a"}, {'o', 1, "b"}, {'k', 5, "b"}, {'t', 500}},
               {"agreed b+4", "oursAlone a"}},
           Row{"the kubelet does nothing within the window",
               {{'o', 0, "a"}, {'t', 60}, {'t', 61}},
               {"oursAlone a"}},
           Row{"the window begins with the last note",
               {{'o', 0, "a"}, {'o', 50, "a"}, {'o', 100, "a"}, {'k', 155, "a"}},
               {"agreed a+155"}},
           Row{"it is named again after that, and counts again",
               {{'o', 0, "a"}, {'t', 100}, {'o', 200, "a"}, {'t', 300}},
               {"oursAlone a", "oursAlone a"}},
           Row{"at the end of the window it is not over",
               {{'o', 0, "a"}, {'k', 60, "a"}, {'k', 61, "b"}, {'o', 121, "b"}},
               {"agreed a+60", "late b-60"}},
           Row{"the kubelet's comes too late for it",
               {{'o', 0, "a"}, {'k', 61, "a"}, {'t', 200}},
               {"oursAlone a", "kubeletsAlone -/a"}},
           Row{"the pod ends otherwise",
               {{'o', 0, "a"}, {'g', 5, "a"}, {'t', 500}},
               {"oursAlone a ended"}},
           Row{"the pod is deleted after the kubelet has evicted it",
               {{'o', 0, "a"}, {'k', 5, "a"}, {'g', 6, "a"}, {'t', 500}},
               {"agreed a+5"}},
           Row{"we have nothing within the window",
               {{'k', 0, "a"}, {'t', 60}, {'t', 61}},
               {"kubeletsAlone -/a"}},
           Row{"another resource is no other victim",
               {{'o', 0, "a"}, {'k', 5, "b", kDisk}, {'t', 500}},
               {"oursAlone a", "kubeletsAlone -/b"}},
           Row{"the same pod for another resource is the same pod",
               {{'o', 0, "a"}, {'k', 5, "a", kDisk}},
               {"agreed a+5 other reason"}},
           Row{"of two intents for a pod that for the same resource counts",
               {{'o', 0, "a"},
                {'o', 2, "a", "", Signal::kNodeFsAvailable},
                {'k', 5, "a", kDisk},
                {'t', 500}},
               {"agreed a+3"}},
           Row{"pressure on memory is about memory, too",
               {{'o', 0, "a", "", Signal::kMemoryPressureFullAvg10}, {'k', 5, "b"}},
               {"otherVictim a/b+5"}},
           Row{"a limit of its own storage concerns one pod alone",
               {{'o', 0, "a", "", {}}, {'k', 3, "b", kLimit}, {'k', 5, "a", kLimit}, {'t', 500}},
               {"agreed a+5", "kubeletsAlone -/b"}},
           Row{"words that are not known are no resource",
               {{'o', 0, "a"}, {'k', 5, "b", "gone"}, {'k', 6, "a", "gone"}, {'t', 500}},
               {"agreed a+6", "kubeletsAlone -/b"}},
           Row{"a pod that was only rejected was not evicted",
               {{'o', 0, "a"}, {'k', 5, "b", kRejected}, {'t', 500}},
               {"oursAlone a"}},
           Row{"a pod that is gone and still named is not named anew",
               {{'o', 0, "a"}, {'k', 5, "a"}, {'o', 6, "a"}, {'t', 500}},
               {"agreed a+5"}},
           Row{"nor is it another choice for the kubelet's next one",
               {{'o', 0, "a"}, {'k', 5, "a"}, {'k', 6, "b"}, {'o', 7, "a"}, {'t', 500}},
               {"agreed a+5", "kubeletsAlone -/b"}},
           Row{"what has been another victim is no intent anew while it is named",
               {{'o', 0, "a"}, {'k', 5, "b"}, {'o', 10, "a"}, {'o', 50, "a"}, {'t', 500}},
               {"otherVictim a/b+5"}},
           Row{"and agrees when the kubelet comes round to it",
               {{'o', 0, "a"}, {'k', 5, "b"}, {'o', 10, "a"}, {'k', 30, "a"}, {'t', 500}},
               {"otherVictim a/b+5", "agreed a+30"}},
       }) {
    EXPECT_EQ(Pairings(BookOf(row.steps)), row.pairings) << row.rule;
  }
}

TEST(ShadowBook, WhatWaitsIsShownWithHowOftenItWasNamed) {
  const ShadowBook book =
      BookOf({{'o', 0, "a"}, {'o', 10, "a"}, {'k', 12, "b", kDisk}, {'o', 13, "c"}});
  const ShadowView view = book.View(At(14));
  ASSERT_THAT(view.open, SizeIs(2));
  EXPECT_EQ(view.open[0].pod.uid, "a");
  EXPECT_EQ(view.open[0].at, At(0));
  EXPECT_EQ(view.open[0].notes, 2);
  EXPECT_EQ(view.open[1].pod.uid, "c");
  ASSERT_THAT(view.kubelets_open, SizeIs(1));
  EXPECT_EQ(view.kubelets_open[0].resource, Resource::kEphemeralStorage);
  EXPECT_FALSE(view.agreement);
}

TEST(ShadowBook, ItIsDueWhenTheFirstWindowIsOver) {
  EXPECT_FALSE(ShadowBook().NextDeadline());
  ShadowBook book = BookOf({{'o', 0, "a"}, {'k', 1, "b", kDisk}, {'o', 20, "a"}});
  EXPECT_EQ(book.NextDeadline(), At(61) + Duration(1)) << "the kubelet's";
  book.Advance(*book.NextDeadline());
  EXPECT_THAT(Pairings(book), ElementsAre("kubeletsAlone -/b"));
  EXPECT_EQ(book.NextDeadline(), At(80) + Duration(1));
  book.Advance(*book.NextDeadline());
  EXPECT_THAT(Pairings(book), ElementsAre("kubeletsAlone -/b", "oursAlone a"));
  EXPECT_FALSE(book.NextDeadline());
}

TEST(ShadowBook, LeadsAreCountedOfAgreementsAlone) {
  const ShadowBook book = BookOf({{'o', 0, "a"},
                                  {'k', 5, "a"},
                                  {'o', 10, "b"},
                                  {'k', 30, "b"},
                                  {'k', 40, "c"},
                                  {'o', 42, "c"},
                                  {'o', 50, "d", "", Signal::kPidAvailable},
                                  {'t', 500}});
  const ShadowCounters& counters = book.counters();
  EXPECT_EQ(counters.Of(ShadowVerdict::kAgreed), 2U);
  EXPECT_EQ(counters.Of(ShadowVerdict::kLate), 1U);
  EXPECT_EQ(counters.Of(ShadowVerdict::kOursAlone), 1U);
  EXPECT_EQ(counters.lead_sum, seconds(25));
  EXPECT_EQ(counters.shortest_lead, seconds(5));
  EXPECT_EQ(counters.longest_lead, seconds(20));
  std::uint64_t classes = 0;
  for (const std::uint64_t some : counters.lead_classes) classes += some;
  EXPECT_EQ(classes, 2U);
  EXPECT_EQ(counters.lead_classes[4], 1U) << "up to 5 s";
  EXPECT_EQ(counters.lead_classes[6], 1U) << "up to 20 s";
  EXPECT_EQ(book.View(At(500)).agreement, 5000) << "two of four";
}

TEST(ShadowBook, ItIsOfBoundedSizeAndWhatDoesNotFitIsJudgedEarly) {
  ShadowBook book;
  const auto pod = [](std::size_t i) {
    const std::string name = std::to_string(i);
    return PodIdentity{.namespace_ = "default", .name = name, .uid = name};
  };
  const std::size_t most = ShadowBook::kMostOpen;
  for (std::size_t i = 0; i < most + 2; ++i) {
    book.NoteOurs({At(0), pod(i), Signal::kMemoryAvailable, std::string(5000, 'x')});
    book.NoteKubelets({At(0), pod(1000 + i), {}, kDisk});
  }
  const ShadowView view = book.View(At(0));
  EXPECT_THAT(view.open, SizeIs(most));
  EXPECT_THAT(view.kubelets_open, SizeIs(most));
  EXPECT_EQ(view.open[0].pod.uid, "2") << "the oldest went";
  EXPECT_LE(view.open[0].message.size(), ShadowBook::kMessageBytes + 3);
  EXPECT_EQ(book.counters().Of(ShadowVerdict::kOursAlone), 2U);
  book.Advance(At(500));
  EXPECT_THAT(book.View(At(500)).pairings, SizeIs(ShadowBook::kMostPairings))
      << "the oldest pairings are forgotten, not their counts";
  EXPECT_EQ(book.counters().Of(ShadowVerdict::kKubeletsAlone), most + 2);
}

TEST(KubeletMessage, SaysWhatTheNodeWasLowOnOrThatThePodWasNeverAdmitted) {
  struct Row {
    const char* message;
    bool is_rejection;
    std::optional<Resource> resource;
  };
  for (const Row& row : {
           Row{"The node was low on resource: memory. Threshold quantity: 22300Mi, available: "
               "22019080Ki. Container c was using 1436884Ki, request is 0, has larger consumption "
               "of memory. ",
               false, Resource::kMemory},
           Row{"The node was low on resource: ephemeral-storage. ", false,
               Resource::kEphemeralStorage},
           Row{"The node was low on resource: patience. ", false, {}},
           Row{"The node was low on resource: ", false, {}},
           Row{"The node was low on resource: memory", false, Resource::kMemory},
           Row{"Pod was rejected: The node had condition: [MemoryPressure]. ", true, {}},
           Row{"Pod The node had condition: [DiskPressure]. ", true, {}},
           Row{"Usage of EmptyDir volume \"cache\" exceeds the limit \"1Gi\". ", false, {}},
           Row{"", false, {}},
       }) {
    const KubeletCause cause = KubeletCauseOf(row.message);
    EXPECT_EQ(cause.is_rejection, row.is_rejection) << row.message;
    EXPECT_EQ(cause.resource, row.resource) << row.message;
  }
}

using std::chrono::milliseconds;

TEST(ShadowJson, HasEveryFieldAndLeavesOutWhatIsNotKnown) {
  const Instant start(seconds(1'700'000'000));
  ShadowBook book;
  book.NoteOurs({start,
                 {.namespace_ = "default", .name = "a", .uid = "u1"},
                 Signal::kMemoryAvailable,
                 "low"});
  book.NoteKubelets({start + milliseconds(2500),
                     {.namespace_ = "default", .name = "a", .uid = "u1"},
                     {},
                     "The node was low on resource: memory. "});
  book.NoteKubelets({start + seconds(3),
                     {.namespace_ = "default", .name = "b", .uid = "u2"},
                     {},
                     "Usage of EmptyDir volume \"x\" exceeds the limit \"1\". "});
  EXPECT_EQ(
      ShadowJson(book.View(start + seconds(4))),
      R"({"at":"2023-11-14T22:13:24Z","agreementPercent":100,)"
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

}  // namespace
}  // namespace jettison
