// The messages of containerd's own API, held against those that the installed containerd carries.
#include <gmock/gmock.h>
#include <google/protobuf/any.pb.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <optional>
#include <string>

#include "tests/live/descriptor_differences.h"

namespace jettison {
namespace {

namespace pb = google::protobuf;
using ::testing::IsEmpty;

constexpr const char* kContainerd = "/usr/bin/containerd";

pb::FileDescriptorProto OurDescriptor(const std::string& package) {
  pb::FileDescriptorSet files;
  std::ifstream described(JETTISON_CRI_DESCRIPTOR, std::ios::binary);
  EXPECT_TRUE(files.ParseFromIstream(&described));
  for (const pb::FileDescriptorProto& file : files.file()) {
    if (file.package() == package) return file;
  }
  ADD_FAILURE() << "none of our files is of " << package;
  return {};
}

// Takes our own google.protobuf.Any out of a file and puts the real one's name in its place.
std::optional<pb::DescriptorProto> TakeAny(pb::FileDescriptorProto& file) {
  std::optional<pb::DescriptorProto> any;
  pb::FileDescriptorProto rest = file;
  rest.clear_message_type();
  for (pb::DescriptorProto& message : *file.mutable_message_type()) {
    if (message.name() == "Any") {
      any = message;
      continue;
    }
    for (auto& field : *message.mutable_field()) {
      if (field.type_name() == "." + file.package() + ".Any") {
        field.set_type_name(".google.protobuf.Any");
      }
    }
    *rest.add_message_type() = message;
  }
  file = rest;
  return any;
}

TEST(LiveContainerdDescriptor, OurSubsetSaysWhatContainerdSays) {
  if (::access(kContainerd, R_OK) != 0) GTEST_SKIP() << kContainerd << " is not installed";
  for (const char* package :
       {"containerd.services.namespaces.v1", "containerd.services.containers.v1",
        "containerd.services.tasks.v1", "containerd.v1.types"}) {
    const auto theirs = DescriptorInProgram(kContainerd, package);
    ASSERT_TRUE(theirs) << "containerd does not carry the description of " << package;
    pb::FileDescriptorProto ours = OurDescriptor(package);
    (void)TakeAny(ours);
    EXPECT_GT(ours.message_type_size(), 0);
    EXPECT_THAT(DescriptorDifferences(ours, *theirs), IsEmpty()) << package;
  }
}

TEST(ContainerdDescriptor, OurOwnAnyIsTheRealOne) {
  pb::FileDescriptorProto theirs;
  pb::Any::descriptor()->file()->CopyTo(&theirs);
  pb::FileDescriptorProto file = OurDescriptor("containerd.services.containers.v1");
  const auto any = TakeAny(file);
  ASSERT_TRUE(any);
  pb::FileDescriptorProto ours;
  ours.set_package(theirs.package());
  *ours.add_message_type() = *any;
  EXPECT_THAT(DescriptorDifferences(ours, theirs), IsEmpty());
}

}  // namespace
}  // namespace jettison
