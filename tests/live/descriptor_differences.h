#pragma once

#include <google/protobuf/descriptor.pb.h>

#include <optional>
#include <string>
#include <vector>

namespace jettison {

// Where a hand-written subset of a protobuf file does not say what the whole file says: messages,
// fields (name, number, type, label), enums with their values, services with their methods. What
// the subset leaves out is no difference, but for values of enums. One sentence each; empty: none.
[[nodiscard]] std::vector<std::string> DescriptorDifferences(
    const google::protobuf::FileDescriptorProto& subset,
    const google::protobuf::FileDescriptorProto& whole);

// The description of a protobuf package that a Go program carries for reflection: a gzipped
// FileDescriptorProto, all of its files in one; nullopt: there is none.
[[nodiscard]] std::optional<google::protobuf::FileDescriptorProto> DescriptorInProgram(
    const std::string& path, const std::string& package);

}  // namespace jettison
