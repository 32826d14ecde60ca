#include "core/pods/admission.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <vector>

namespace jettison {
namespace {

constexpr auto kMemory = NodeConditionType::kMemoryPressure;
constexpr auto kDisk = NodeConditionType::kDiskPressure;
constexpr auto kPid = NodeConditionType::kPidPressure;
constexpr auto kContention = NodeConditionType::kSystemDiskContentionPressure;

NodeConditions Of(std::initializer_list<NodeConditionType> types) {
  NodeConditions conditions;
  for (NodeConditionType type : types) conditions.Set(type);
  return conditions;
}

Pod BestEffort() {
  return {};
}
Pod Burstable() {
  Pod pod;
  pod.status_qos_class = QosClass::kBurstable;
  return pod;
}
Pod Tolerant() {
  Pod pod;
  pod.tolerations = {{.key = "node.kubernetes.io/memory-pressure", .op = "Exists"}};
  return pod;
}
Pod Static() {
  Pod pod;
  pod.annotations["kubernetes.io/config.source"] = "file";
  return pod;
}
Pod HighPriority() {
  Pod pod;
  pod.priority = 2'000'000'000;
  return pod;
}

TEST(Admit, FollowsConditionsAndPod) {
  struct Row {
    const char* rule;
    Pod pod;
    NodeConditions conditions;
    bool admitted;
  };
  const Row rows[] = {
      {"without conditions everybody may", BestEffort(), {}, true},
      {"memory pressure keeps BestEffort away", BestEffort(), Of({kMemory}), false},
      {"but nobody else", Burstable(), Of({kMemory}), true},
      {"nor those who tolerate it", Tolerant(), Of({kMemory}), true},
      {"other pressure keeps everybody away", Burstable(), Of({kDisk}), false},
      {"whatever is tolerated", Tolerant(), Of({kPid}), false},
      {"stalls on I/O, too", Burstable(), Of({kContention}), false},
      {"also beside memory pressure", Burstable(), Of({kMemory, kPid}), false},
      {"critical pods always may", HighPriority(), Of({kMemory, kDisk, kPid}), true},
      {"static ones are critical", Static(), Of({kDisk}), true},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(Admit(row.pod, row.conditions, Profile::kKubelet).admit, row.admitted) << row.rule;
  }
}

TEST(Admit, RefusesAStaticPodOfOrdinaryPriorityInTheStandaloneProfile) {
  EXPECT_FALSE(Admit(Static(), Of({kDisk}), Profile::kStandalone).admit);
  EXPECT_TRUE(Admit(HighPriority(), Of({kDisk}), Profile::kStandalone).admit);
}

TEST(Admit, NamesTheConditionsInAlphabeticalOrder) {
  const AdmissionAnswer refused = {
      .admit = false,
      .reason = "Evicted",
      .message = "The node had condition: [DiskPressure MemoryPressure PIDPressure]. ",
      .refused_for = "DiskPressure, MemoryPressure, PIDPressure"};
  EXPECT_EQ(Admit(Burstable(), Of({kPid, kMemory, kDisk}), Profile::kKubelet), refused);
  EXPECT_EQ(Admit(BestEffort(), Of({kMemory}), Profile::kKubelet).message,
            "The node had condition: [MemoryPressure]. ");
  EXPECT_EQ(Admit(BestEffort(), Of({kContention, kPid}), Profile::kKubelet).message,
            "The node had condition: [PIDPressure SystemDiskContentionPressure]. ");
}

const std::string kKey = "node.kubernetes.io/memory-pressure";

TEST(Toleration, ComparesEffectKeyAndValue) {
  struct Row {
    const char* rule;
    Toleration toleration;
    bool tolerates;
  };
  const Row rows[] = {
      {"the very taint", {.key = kKey, .op = "Exists", .effect = "NoSchedule"}, true},
      {"no effect means every effect", {.key = kKey, .op = "Exists"}, true},
      {"another effect", {.key = kKey, .op = "Exists", .effect = "NoExecute"}, false},
      {"no key means every key", {.op = "Exists"}, true},
      {"another key", {.key = "node.kubernetes.io/disk-pressure", .op = "Exists"}, false},
      {"Equal compares values", {.key = kKey, .op = "Equal"}, true},
      {"and so does no operator", {.key = kKey, .value = "true"}, false},
      {"Exists does not", {.key = kKey, .op = "Exists", .value = "true"}, true},
      {"numbers need a value to compare with", {.key = kKey, .op = "Gt", .value = "1"}, false},
      {"an unknown operator", {.key = kKey, .op = "In"}, false},
  };
  for (const Row& row : rows) {
    Pod pod;
    pod.tolerations = {row.toleration};
    EXPECT_EQ(ToleratesMemoryPressure(pod), row.tolerates) << row.rule;
  }
}

using std::chrono::seconds;

constexpr Instant At(int second) {
  return Instant(seconds(second));
}

struct Row {
  const char* rule;
  std::vector<WaitingPod> waiting;
  std::optional<std::size_t> next;
};

TEST(ComeBack, OneOfTheHighestPriorityThatIsDueAndAdmitted) {
  const Row rows[] = {
      {"nobody waits", {}, std::nullopt},
      {"due and admitted", {{"a", 0, At(10), true}}, 0},
      {"still in its back-off", {{"a", 0, At(11), true}}, std::nullopt},
      {"refused", {{"a", 0, At(10), false}}, std::nullopt},
      {"higher priority first", {{"a", 0, At(1), true}, {"b", 5, At(10), true}}, 1},
      {"lower gives way to a back-off", {{"a", 0, At(1), true}, {"b", 5, At(11), true}}, {}},
      {"lower gives way to a refusal", {{"a", 0, At(1), true}, {"b", 5, At(1), false}}, {}},
      {"equals do not wait for each other", {{"a", 5, At(11), true}, {"b", 5, At(9), true}}, 1},
      {"the one due the longest", {{"a", 5, At(9), true}, {"b", 5, At(8), true}}, 1},
      {"then by name", {{"b", 5, At(9), true}, {"a", 5, At(9), true}}, 1},
  };
  for (const Row& row : rows) {
    const auto next = NextToComeBack(row.waiting);
    const bool is_due = next && row.waiting[*next].due <= At(10);
    EXPECT_EQ(is_due ? next : std::nullopt, row.next) << row.rule;
  }
}

}  // namespace
}  // namespace jettison
