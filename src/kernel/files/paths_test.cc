#include "kernel/files/paths.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace jettison::kernel {
namespace {

Pod SamplePod() {
  Pod pod;
  pod.namespace_ = "ns";
  pod.name = "web";
  pod.uid = "u1";
  pod.init_containers.resize(1);
  pod.init_containers[0].name = "init";
  pod.containers.resize(1);
  pod.containers[0].name = "main";
  return pod;
}

TEST(DiskOf, NamesEmptyDirsAndContainersButNoVolumeOfTheHost) {
  Pod pod = SamplePod();
  pod.volumes = {{"disk", EmptyDirSource{}},
                 {"mem", EmptyDirSource{.medium = "Memory", .size_limit = std::nullopt}},
                 {"host", HostPathSource{.path = "/", .type = ""}}};
  const PodDisk disk = DiskOf(Paths("/r"), pod);
  ASSERT_EQ(disk.empty_dirs.size(), 2U);
  EXPECT_EQ(disk.empty_dirs[0].path, "/r/pods/u1/volumes/disk");
  EXPECT_FALSE(disk.empty_dirs[0].memory);
  EXPECT_TRUE(disk.empty_dirs[1].memory);
  ASSERT_EQ(disk.containers.size(), 2U);
  EXPECT_EQ(disk.containers[0].name, "init");
  EXPECT_EQ(disk.containers[1].logs, "/r/logs/ns_web_u1/main");
  EXPECT_THAT(disk.containers[0].layer, testing::IsEmpty()) << "the runtime knows it";
}

TEST(CheckNames, RefusesEveryNameThatWouldLeadElsewhere) {
  EXPECT_TRUE(CheckNames(SamplePod()));
  const std::string hostile[] = {
      "", ".", "..", "a/b", "../x", std::string("a\0b", 3), "a\nb", std::string(256, 'x')};
  for (const std::string& name : hostile) {
    Pod by_uid = SamplePod();
    by_uid.uid = name;
    EXPECT_FALSE(CheckNames(by_uid)) << name;
    Pod by_namespace = SamplePod();
    by_namespace.namespace_ = name;
    EXPECT_FALSE(CheckNames(by_namespace)) << name;
    Pod by_container = SamplePod();
    by_container.init_containers[0].name = name;
    EXPECT_FALSE(CheckNames(by_container)) << name;
    Pod by_volume = SamplePod();
    by_volume.volumes = {{name, EmptyDirSource{}}};
    EXPECT_FALSE(CheckNames(by_volume)) << name;
  }
}

TEST(IsLogsOf, TakesNoOtherPodWhoseUidEndsTheSame) {
  EXPECT_TRUE(IsLogsOf("ns_name_b", "b"));
  EXPECT_TRUE(IsLogsOf("ns_name_a_b", "a_b"));
  EXPECT_FALSE(IsLogsOf("ns_name_a_b", "b"));
  EXPECT_FALSE(IsLogsOf("ns_name_ab", "b"));
  EXPECT_FALSE(IsLogsOf("b", "b"));
  EXPECT_FALSE(IsLogsOf("_b", "b"));
}

}  // namespace
}  // namespace jettison::kernel
