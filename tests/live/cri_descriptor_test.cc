// The messages that the agent speaks are written by hand; here they are held against those that the
// installed containerd carries.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string_view>

#include "tests/live/descriptor_differences.h"

namespace jettison {
namespace {

namespace pb = google::protobuf;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr const char* kCriPlugin = "/usr/bin/containerd";

pb::FileDescriptorProto OurCriDescriptor() {
  pb::FileDescriptorSet files;
  std::ifstream described(JETTISON_CRI_DESCRIPTOR, std::ios::binary);
  EXPECT_TRUE(files.ParseFromIstream(&described));
  return files.file(0);
}

// Younger than the oldest containerd there is a point in talking to (1.6, of Kubernetes 1.23); such
// a one sends none of them, and that says what is meant.
constexpr std::string_view kYounger[] = {
    // Since 1.29: where writable layers lie, if not beside the images.
    "there is no field ImageFsInfoResponse container_filesystems",
    // Since 1.31: images that are mounted as volumes.
    "there is no field Mount image",
};

bool IsYounger(std::string_view difference) {
  return std::ranges::find(kYounger, difference) != std::end(kYounger);
}

TEST(LiveCriDescriptor, OurSubsetSaysWhatContainerdSays) {
  if (::access(kCriPlugin, R_OK) != 0) GTEST_SKIP() << kCriPlugin << " is not installed";
  const auto theirs = DescriptorInProgram(kCriPlugin, "runtime.v1");
  ASSERT_TRUE(theirs) << "containerd does not carry the description of runtime.v1";
  const pb::FileDescriptorProto ours = OurCriDescriptor();
  EXPECT_EQ(ours.service_size(), 2);
  EXPECT_GT(ours.message_type_size(), 70);
  std::vector<std::string> differences = DescriptorDifferences(ours, *theirs);
  std::erase_if(differences, IsYounger);
  EXPECT_THAT(differences, IsEmpty());
}

TEST(DescriptorDifferences, ASubsetHasNone) {
  const pb::FileDescriptorProto whole = OurCriDescriptor();
  pb::FileDescriptorProto subset = whole;
  subset.mutable_message_type(0)->clear_field();
  subset.mutable_message_type()->DeleteSubrange(1, 3);
  subset.mutable_service(0)->mutable_method()->RemoveLast();
  EXPECT_THAT(DescriptorDifferences(subset, whole), IsEmpty());
}

TEST(DescriptorDifferences, NameWhatIsWrong) {
  const pb::FileDescriptorProto whole = OurCriDescriptor();
  pb::FileDescriptorProto ours = whole;
  for (auto& message : *ours.mutable_message_type()) {
    if (message.name() == "KeyValue") message.mutable_field(0)->set_number(7);
    if (message.name() == "ImageSpec") message.mutable_field(0)->set_name("picture");
    if (message.name() == "Int64Value") {
      message.mutable_field(0)->set_type(pb::FieldDescriptorProto::TYPE_UINT64);
    }
    if (message.name() == "Capability") {
      message.mutable_field(1)->set_label(pb::FieldDescriptorProto::LABEL_OPTIONAL);
    }
  }
  ours.mutable_enum_type(0)->mutable_value(1)->set_number(9);
  ours.mutable_enum_type(1)->mutable_value()->RemoveLast();
  ours.mutable_service(1)->mutable_method(0)->set_server_streaming(true);
  EXPECT_THAT(
      DescriptorDifferences(ours, whole),
      ElementsAre("Int64Value: LABEL_OPTIONAL TYPE_UINT64 value = 1 here, LABEL_OPTIONAL "
                  "TYPE_INT64 value = 1 there",
                  "there is no field ImageSpec picture",
                  "KeyValue: LABEL_OPTIONAL TYPE_STRING key = 7 here, LABEL_OPTIONAL TYPE_STRING "
                  "key = 1 there",
                  "Capability: LABEL_OPTIONAL TYPE_STRING drop_capabilities = 2 here, "
                  "LABEL_REPEATED TYPE_STRING drop_capabilities = 2 there",
                  "NamespaceMode: CONTAINER is 9 here, 1 there", "PodSandboxState: 1 values of 2",
                  "ImageService: ListImages(.runtime.v1.ListImagesRequest) returns (stream "
                  ".runtime.v1.ListImagesResponse) here, ListImages(.runtime.v1.ListImagesRequest) "
                  "returns (.runtime.v1.ListImagesResponse) there"));
}

}  // namespace
}  // namespace jettison
