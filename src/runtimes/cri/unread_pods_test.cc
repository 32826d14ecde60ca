// Pods of an earlier agent whose description is damaged, missing or unreadable.
#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>

#include "runtimes/cri/pod_record.h"
#include "runtimes/cri/test_bed/fake_runtime_bed.h"

namespace jettison::cri {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using namespace testing;

constexpr const char* kUnreadGroup = "kubepods/burstable/podu";

class CriUnread : public CriRuntime {
 protected:
  void SetUp() override {
    bed_.relist_period = milliseconds(5);
    pod_ = SimplePod("u");
    ASSERT_TRUE(bed_.Start(pod_));
    box_ = containerd().boxes.begin()->first;
    ASSERT_TRUE(kernel::MakeFolders(folder() + "/volumes/v"));
    ASSERT_TRUE(kernel::WriteFile(folder() + "/volumes/v/data", "dear"));
    ASSERT_TRUE(kernel::MakeFolders(logs() + "/main"));
    ASSERT_TRUE(kernel::WriteFile(logs() + "/main/0.log", "said"));
  }
  [[nodiscard]] std::string folder() const { return bed_.root() + "/pods/u"; }
  [[nodiscard]] std::string logs() const { return bed_.root() + "/logs/default_pod-u_u"; }
  [[nodiscard]] std::string record() const { return folder() + "/record"; }

  void DamageAnnotation() {
    auto& annotations = *containerd().boxes.at(box_).config.mutable_annotations();
    annotations[std::string(kPodAnnotation)] = "rubb\xff";
  }
  void DamageBoth() {
    DamageAnnotation();
    ASSERT_TRUE(kernel::WriteFile(record(), "sandbox half"));
  }
  // The agent starts again.
  std::vector<RuntimePod> List() {
    bed_.Open();
    auto listed = runtime().List();
    EXPECT_TRUE(listed) << listed.error().message;
    return listed.value_or(std::vector<RuntimePod>{});
  }
  // Waits for some listings.
  void LetItLook() {
    const auto deadline = std::chrono::steady_clock::now() + seconds(10);
    for (int listings = 0; listings < 4;) {
      ASSERT_LT(std::chrono::steady_clock::now(), deadline);
      (void)bed_.Await<PodRemoved>("nobody", milliseconds(2));
      const auto calls = bed_.calls->TakeCalls();
      calls_.insert(calls_.end(), calls.begin(), calls.end());
      listings += static_cast<int>(std::count(calls.begin(), calls.end(), "ListPodSandbox"));
    }
  }
  void ExpectItGoesOn() {
    LetItLook();
    EXPECT_TRUE(containerd().processes.Runs(1000));
    EXPECT_THAT(containerd().signals, IsEmpty());
    EXPECT_THAT(bed_.cgroups.signals(), IsEmpty());
    EXPECT_TRUE(bed_.cgroups.Exists(kUnreadGroup));
    for (const char* call : {"Stop", "Remove", "RunPodSandbox", "CreateContainer"}) {
      EXPECT_THAT(calls_, Not(Contains(StartsWith(call))));
    }
    ExpectFilesStay();
  }
  void ExpectFilesStay() {
    EXPECT_EQ(kernel::ReadFile(folder() + "/volumes/v/data").value_or(""), "dear");
    EXPECT_EQ(kernel::ReadFile(logs() + "/main/0.log").value_or(""), "said");
  }
  // The files, including logs, are where the log line says.
  void ExpectQuarantined() {
    const std::string quarantine = bed_.root() + "/quarantine";
    const auto places = kernel::NamesIn(quarantine).value_or(std::vector<std::string>{});
    ASSERT_THAT(places, ElementsAre(StartsWith("u-")));
    const std::string place = quarantine + "/" + places[0];
    EXPECT_EQ(kernel::ReadFile(place + "/volumes/v/data").value_or(""), "dear");
    EXPECT_EQ(kernel::ReadFile(place + "/logs/default_pod-u_u/main/0.log").value_or(""), "said");
    EXPECT_THAT(bed_.logged, Contains(HasSubstr("all its files are in " + place)));
    EXPECT_FALSE(kernel::Exists(folder() + "/volumes/v/data"));
  }

  Pod pod_;
  std::string box_;
  std::vector<std::string> calls_;
};

TEST_F(CriUnread, TheRecordMakesUpForADamagedAnnotationAndViceVersa) {
  DamageAnnotation();
  for (const bool by_record : {true, false}) {
    SCOPED_TRACE(by_record);
    const auto listed = List();
    ASSERT_THAT(listed, SizeIs(1));
    EXPECT_EQ(listed[0].pod, pod_);
    EXPECT_FALSE(listed[0].foreign);
    ASSERT_THAT(listed[0].containers, SizeIs(1));
    EXPECT_FALSE(listed[0].containers[0].exit);
    ExpectItGoesOn();
    EXPECT_THAT(kernel::ReadFile(record()).value_or(""), StartsWith("sandbox " + box_));
    auto& annotations = *containerd().boxes.at(box_).config.mutable_annotations();
    annotations[std::string(kPodAnnotation)] = "u";
    ASSERT_TRUE(kernel::WriteFile(record(), "sandbox half"));  // it is written again
  }
}

TEST_F(CriUnread, APodThatNothingDescribesGoesOnAndIsMeasured) {
  DamageBoth();
  const auto listed = List();
  ASSERT_THAT(listed, SizeIs(1));
  EXPECT_TRUE(listed[0].foreign && listed[0].spared);
  EXPECT_EQ(FullName(listed[0].pod), "default/pod-u");
  EXPECT_EQ(listed[0].pod.uid, "u");
  ASSERT_THAT(listed[0].containers, SizeIs(1));
  EXPECT_EQ(listed[0].containers[0].name, "main");
  EXPECT_FALSE(listed[0].containers[0].exit);
  EXPECT_THAT(runtime().ForeignGroupsOf("u"), ElementsAre(kUnreadGroup));
  EXPECT_EQ(runtime().GroupOf("u", "main"), std::string(kUnreadGroup) + "/run-2");
  ExpectItGoesOn();
  const auto names_it = [this](const std::string& line) {
    return line.find(box_) != std::string::npos && line.find(folder()) != std::string::npos &&
           line.find("crictl stopp") != std::string::npos;
  };
  EXPECT_EQ(std::count_if(bed_.logged.begin(), bed_.logged.end(), names_it), 1);
}

TEST_F(CriUnread, NoPodOfItsUidIsMadeBesideIt) {
  DamageBoth();
  ASSERT_THAT(List(), SizeIs(1));
  const auto& failed = bed_.CreateFails(pod_);
  EXPECT_THAT(failed.error.message, HasSubstr("crictl stopp " + box_));
  EXPECT_TRUE(failed.by_others) << "an eviction of the other pod would free nothing";
  ExpectItGoesOn();
  // Nor is it ended when the other pod is no longer wanted.
  runtime().RemovePod("u");
  EXPECT_NE(bed_.Await<PodRemoved>("u"), nullptr);
  const auto& found = bed_.Need<PodFound>("u");
  EXPECT_TRUE(found.pod.foreign && found.pod.spared);
  ExpectItGoesOn();
}

TEST_F(CriUnread, WhenTheSandboxIsRemovedThePodStartsAndTheFilesAreSetAside) {
  DamageBoth();
  ASSERT_THAT(List(), SizeIs(1));
  runtime().CreatePod(kernel::PlainPlan(pod_));
  ASSERT_NE(bed_.Await<PodFailed>("u"), nullptr);
  containerd().Exit("main", 137);
  containerd().boxes.clear();
  containerd().runs.clear();
  ASSERT_TRUE(bed_.CreateInTheEnd(pod_));
  ExpectQuarantined();
  EXPECT_TRUE(bed_.Start("u", "main", 0));
  bed_.TakeDown("u");
  ExpectQuarantined();
}

TEST_F(CriUnread, FilesOfOneWhoseSandboxGoesWhileNoAgentRunsStay) {
  for (const bool written : {true, false}) {
    SCOPED_TRACE(written);
    DamageBoth();
    if (!written) ::unlink(record().c_str());
    ASSERT_THAT(List(), SizeIs(1));
    bed_.Close();
    const auto boxes = std::exchange(containerd().boxes, {});
    const auto runs = std::exchange(containerd().runs, {});
    bed_.cgroups.ProcessExited(1000);
    EXPECT_THAT(List(), IsEmpty());
    LetItLook();
    ExpectFilesStay();
    containerd().boxes = boxes;
    containerd().runs = runs;
    ASSERT_TRUE(bed_.cgroups.Join(std::string(kUnreadGroup) + "/run-2", 1000));
  }
}

TEST_F(CriUnread, ARecordThatIsMendedGivesThePodBack) {
  const std::string text = kernel::ReadFile(record()).value_or("");
  DamageBoth();
  ASSERT_THAT(List(), SizeIs(1));
  ASSERT_TRUE(kernel::WriteFile(record(), text));
  LetItLook();
  runtime().CreatePod(kernel::PlainPlan(pod_));
  const auto& found = bed_.Need<PodFound>("u");
  EXPECT_FALSE(found.pod.foreign);
  EXPECT_EQ(found.pod.pod, pod_);
  ASSERT_THAT(found.pod.containers, SizeIs(1));
  EXPECT_FALSE(found.pod.containers[0].exit);
  EXPECT_THAT(runtime().ForeignGroupsOf("u"), IsEmpty());
  EXPECT_EQ(runtime().GroupOf("u", "main"), "run-2");
  ExpectItGoesOn();
  ASSERT_TRUE(bed_.Create(pod_)) << "it exists";
  bed_.TakeDown("u");
}

TEST_F(CriUnread, HowItsContainersEndedIsAskedBeforeItIsTakenOver) {
  const std::string text = kernel::ReadFile(record()).value_or("");
  DamageBoth();
  containerd().Exit("main", 0);
  EXPECT_THAT(List(), IsEmpty());
  ASSERT_TRUE(kernel::WriteFile(record(), text));
  runtime().CreatePod(kernel::PlainPlan(pod_));
  const auto& found = bed_.Need<PodFound>("u");
  ASSERT_THAT(found.pod.containers, SizeIs(1));
  ASSERT_TRUE(found.pod.containers[0].exit);
  EXPECT_EQ(found.pod.containers[0].exit->exit_code, 0);
}

TEST_F(CriUnread, NothingIsJudgedWhileTheRuntimeHangs) {
  DamageBoth();
  ASSERT_THAT(List(), SizeIs(1));
  bed_.calls->Hang();
  runtime().CreatePod(kernel::PlainPlan(pod_));
  ASSERT_NE(bed_.Await<PodFailed>("u"), nullptr);
  (void)bed_.Await<PodRemoved>("nobody", milliseconds(50));
  EXPECT_TRUE(containerd().processes.Runs(1000));
  bed_.calls->Resume();
  bed_.calls->Deliver();
  ExpectItGoesOn();
}

TEST_F(CriUnread, WhatTheRuntimeKeepsToItselfIsAliveWhileTheKernelSaysSo) {
  DamageBoth();
  const auto boxes = std::exchange(containerd().boxes, {});
  (void)List();
  const auto& failed = bed_.CreateFails(pod_);
  EXPECT_THAT(failed.error.message, HasSubstr(kUnreadGroup));
  ExpectItGoesOn();
  containerd().boxes = boxes;
  const auto& found = bed_.Need<PodFound>("u");
  EXPECT_TRUE(found.pod.foreign && found.pod.spared);
  ExpectItGoesOn();
}

// The data of a pod that its manifest identifies is in place when the pod starts again.
TEST_F(CriUnread, TheManifestThatItCameFromGetsTheFilesOfOneWithoutASandbox) {
  pod_.annotations["kubernetes.io/config.hash"] = "u";
  DamageBoth();
  containerd().Exit("main", 1);
  containerd().boxes.clear();
  containerd().runs.clear();
  EXPECT_THAT(List(), IsEmpty());
  ASSERT_TRUE(bed_.CreateInTheEnd(pod_));
  ExpectFilesStay();
}

TEST_F(CriUnread, OneThatTurnsUpLaterIsKeptToo) {
  ASSERT_TRUE(bed_.Remove("u"));
  bed_.Open();
  ASSERT_TRUE(runtime().List());
  ASSERT_TRUE(bed_.Start(SimplePod("v")));
  FakeContainerd::Box box = containerd().boxes.begin()->second;
  box.config.mutable_metadata()->set_uid("u");
  (void)bed_.calls->TakeCalls();  // an earlier listing does not contain it
  containerd().boxes["late"] = box;
  LetItLook();
  EXPECT_TRUE(containerd().boxes.contains("late"));
  EXPECT_THAT(bed_.logged, Contains(HasSubstr("sandbox late")));
}

}  // namespace
}  // namespace jettison::cri
