// Every record of pods.ndjson: what the kubelet makes of one pod.

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "codec/documents/json.h"
#include "codec/kubernetes/pod_reader.h"
#include "codec/kubernetes/pod_writer.h"
#include "core/model/pod.h"
#include "core/pods/admission.h"
#include "core/pods/pod_kind.h"

namespace jettison {
namespace {

std::string TextIn(const Value& record, std::string_view key) {
  const Value* value = record.Find(key);
  return value == nullptr || value->AsString() == nullptr ? "" : *value->AsString();
}

bool BoolIn(const Value& record, std::string_view key) {
  const Value* value = record.Find(key);
  return value != nullptr && value->AsBool() != nullptr && *value->AsBool();
}

void ExpectScores(const Pod& pod, const Value& record) {
  const std::uint64_t capacity = std::stoull(TextIn(record, "memoryCapacity"));
  const Value& wanted = *record.Find("oomScoreAdj");
  EXPECT_EQ(wanted.AsMap()->size(), pod.containers.size() + pod.init_containers.size());
  for (const auto* containers : {&pod.init_containers, &pod.containers}) {
    for (const Container& container : *containers) {
      const int score = OomScoreAdj(pod, container, capacity);
      EXPECT_EQ(std::to_string(score), wanted.Find(container.name)->AsNumber()->text)
          << container.name;
    }
  }
}

void ExpectAgreement(const Value& record) {
  const PodReading reading =
      ReadPod(*record.Find("pod"), {.file = "", .form = PodForm::kApiObject});
  ASSERT_TRUE(reading.Ok()) << Describe(reading.faults.front());
  const Pod& pod = reading.pod;
  EXPECT_EQ(NameOf(QosClassOf(pod)), TextIn(record, "qosClass"));
  EXPECT_EQ(NameOf(ComputeQosClass(pod)), TextIn(record, "computedQOSClass"));
  EXPECT_EQ(IsCritical(pod, Profile::kKubelet), BoolIn(record, "critical"));
  EXPECT_EQ(IsNodeCritical(pod), BoolIn(record, "nodeCritical"));
  EXPECT_EQ(IsStatic(pod), BoolIn(record, "static"));
  EXPECT_EQ(IsMirror(pod), BoolIn(record, "mirror"));
  EXPECT_EQ(ToleratesMemoryPressure(pod), BoolIn(record, "toleratesMemoryPressure"));
  EXPECT_EQ(EffectiveRequest(pod, kMemoryResource).ToString(), TextIn(record, "memoryRequest"));
  EXPECT_EQ(EffectiveRequest(pod, kEphemeralStorageResource).ToString(),
            TextIn(record, "ephemeralStorageRequest"));
  ExpectScores(pod, record);
}

void ExpectRoundTrip(const Value& record) {
  const PodSource source{.file = "", .form = PodForm::kApiObject};
  const Pod pod = ReadPod(*record.Find("pod"), source).pod;
  const auto written = ParseJson(WritePod(pod));
  ASSERT_TRUE(written) << written.error().message;
  EXPECT_EQ(ReadPod(*written, source).pod, pod);
}

TEST(PodConformance, EveryRecordAgreesWithTheKubelet) {
  std::ifstream file(std::string(JETTISON_VECTORS) + "/pods.ndjson");
  std::size_t records = 0;
  for (std::string line; std::getline(file, line); ++records) {
    SCOPED_TRACE("record " + std::to_string(records + 1));
    const auto record = ParseJson(line);
    ASSERT_TRUE(record) << record.error().message;
    ExpectAgreement(*record);
    ExpectRoundTrip(*record);
  }
  EXPECT_GE(records, 300U);
}

}  // namespace
}  // namespace jettison
