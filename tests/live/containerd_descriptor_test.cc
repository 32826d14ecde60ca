// The messages of containerd's own API, held against those that the installed containerd carries.
#include <gmock/gmock.h>
#include <google/protobuf/any.pb.h>
#include <google/protobuf/empty.pb.h>
#include <google/protobuf/timestamp.pb.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
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

// Messages of google.protobuf, which the lite library has no code of, and ours in their place.
struct StandIn {
  const char* own;
  const char* real;
};
constexpr StandIn kStandIns[] = {
    {"Any", "Any"}, {"KillResponse", "Empty"}, {"Timestamp", "Timestamp"}};

// Takes the stand-ins out of a file and puts the real ones' names in their places.
pb::RepeatedPtrField<pb::DescriptorProto> TakeStandIns(pb::FileDescriptorProto& file) {
  const auto replace = [&](std::string& type) {
    for (const auto& [own, real] : kStandIns) {
      if (type == "." + file.package() + "." + own) type = std::string(".google.protobuf.") + real;
    }
  };
  pb::RepeatedPtrField<pb::DescriptorProto> taken;
  pb::FileDescriptorProto rest = file;
  rest.clear_message_type();
  for (pb::DescriptorProto& message : *file.mutable_message_type()) {
    const auto is_it = [&](const StandIn& stand_in) { return message.name() == stand_in.own; };
    const auto* const found = std::find_if(std::begin(kStandIns), std::end(kStandIns), is_it);
    if (found != std::end(kStandIns)) {
      pb::DescriptorProto& stand_in = *taken.Add();
      stand_in = message;
      stand_in.set_name(found->real);
      continue;
    }
    for (auto& field : *message.mutable_field()) replace(*field.mutable_type_name());
    *rest.add_message_type() = message;
  }
  for (auto& service : *rest.mutable_service()) {
    for (auto& method : *service.mutable_method()) replace(*method.mutable_output_type());
  }
  file = rest;
  return taken;
}

TEST(LiveContainerdDescriptor, OurSubsetSaysWhatContainerdSays) {
  if (::access(kContainerd, R_OK) != 0) GTEST_SKIP() << kContainerd << " is not installed";
  for (const char* package :
       {"containerd.services.namespaces.v1", "containerd.services.containers.v1",
        "containerd.services.images.v1", "containerd.services.tasks.v1", "containerd.v1.types"}) {
    const auto theirs = DescriptorInProgram(kContainerd, package);
    ASSERT_TRUE(theirs) << "containerd does not carry the description of " << package;
    pb::FileDescriptorProto ours = OurDescriptor(package);
    (void)TakeStandIns(ours);
    EXPECT_GT(ours.message_type_size(), 0);
    EXPECT_THAT(DescriptorDifferences(ours, *theirs), IsEmpty()) << package;
  }
}

TEST(ContainerdDescriptor, WhatStandsInForGooglesMessagesIsTheSame) {
  const struct {
    const char* package;
    const pb::FileDescriptor* real;
  } rows[] = {{"containerd.services.containers.v1", pb::Any::descriptor()->file()},
              {"containerd.services.images.v1", pb::Timestamp::descriptor()->file()},
              {"containerd.services.tasks.v1", pb::Empty::descriptor()->file()}};
  for (const auto& [package, real] : rows) {
    pb::FileDescriptorProto theirs;
    real->CopyTo(&theirs);
    pb::FileDescriptorProto file = OurDescriptor(package);
    pb::FileDescriptorProto ours;
    ours.set_package(theirs.package());
    *ours.mutable_message_type() = TakeStandIns(file);
    EXPECT_EQ(ours.message_type_size(), 1) << package;
    EXPECT_THAT(DescriptorDifferences(ours, theirs), IsEmpty()) << package;
  }
}

}  // namespace
}  // namespace jettison
