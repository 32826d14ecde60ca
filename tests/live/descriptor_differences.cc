#include "tests/live/descriptor_differences.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <fstream>
#include <sstream>

namespace jettison {
namespace {

namespace pb = google::protobuf;
using Differences = std::vector<std::string>;

// The element of that name, or nullptr with a note.
template <typename Elements>
const auto* Named(const Elements& elements, const std::string& name, const std::string& what,
                  Differences& differences) {
  for (const auto& element : elements) {
    if (element.name() == name) return &element;
  }
  differences.push_back(fmt::format("there is no {} {}", what, name));
  return static_cast<decltype(&*elements.begin())>(nullptr);
}

std::string Text(const pb::FieldDescriptorProto& field) {
  return fmt::format("{} {} {} = {}", pb::FieldDescriptorProto::Label_Name(field.label()),
                     field.type_name().empty() ? pb::FieldDescriptorProto::Type_Name(field.type())
                                               : field.type_name(),
                     field.name(), field.number());
}

std::string Text(const pb::MethodDescriptorProto& method) {
  return fmt::format("{}({}{}) returns ({}{})", method.name(),
                     method.client_streaming() ? "stream " : "", method.input_type(),
                     method.server_streaming() ? "stream " : "", method.output_type());
}

template <typename Element>
void Compare(const std::string& place, const Element& own, const Element* theirs,
             Differences& differences) {
  if (theirs == nullptr || Text(own) == Text(*theirs)) return;
  differences.push_back(fmt::format("{}: {} here, {} there", place, Text(own), Text(*theirs)));
}

void CompareEnum(const std::string& place, const pb::EnumDescriptorProto& own,
                 const pb::EnumDescriptorProto& theirs, Differences& differences) {
  for (const auto& value : own.value()) {
    const auto* other = Named(theirs.value(), value.name(), "value " + place, differences);
    if (other != nullptr && other->number() != value.number()) {
      differences.push_back(fmt::format("{}: {} is {} here, {} there", place, value.name(),
                                        value.number(), other->number()));
    }
  }
  if (own.value_size() < theirs.value_size()) {
    differences.push_back(
        fmt::format("{}: {} values of {}", place, own.value_size(), theirs.value_size()));
  }
}

void CompareMessage(const std::string& place, const pb::DescriptorProto& own,
                    const pb::DescriptorProto& theirs, Differences& differences) {
  if (own.options().map_entry() != theirs.options().map_entry()) {
    differences.push_back(place + ": a map on one side only");
  }
  for (const auto& field : own.field()) {
    Compare(place, field, Named(theirs.field(), field.name(), "field " + place, differences),
            differences);
  }
  for (const auto& nested : own.nested_type()) {
    const auto* other = Named(theirs.nested_type(), nested.name(), "message " + place, differences);
    if (other != nullptr) CompareMessage(place + "." + nested.name(), nested, *other, differences);
  }
  for (const auto& nested : own.enum_type()) {
    const auto* other = Named(theirs.enum_type(), nested.name(), "enum " + place, differences);
    if (other != nullptr) CompareEnum(place + "." + nested.name(), nested, *other, differences);
  }
}

// What a gzip stream at the start of some bytes holds; nullopt: it is none, or a large one.
std::optional<std::string> Inflate(const std::string& bytes, std::size_t at) {
  constexpr std::size_t kLargest = 1 << 20;
  constexpr int kGzip = 16;
  z_stream stream{};
  if (::inflateInit2(&stream, kGzip + MAX_WBITS) != Z_OK) return std::nullopt;
  std::string out(kLargest, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data() + at));
  stream.avail_in = static_cast<uInt>(std::min(bytes.size() - at, kLargest));
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int result = ::inflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  ::inflateEnd(&stream);
  return result == Z_STREAM_END ? std::optional(std::move(out)) : std::nullopt;
}

}  // namespace

std::vector<std::string> DescriptorDifferences(const pb::FileDescriptorProto& subset,
                                               const pb::FileDescriptorProto& whole) {
  Differences differences;
  if (subset.package() != whole.package()) differences.push_back("another package");
  for (const auto& message : subset.message_type()) {
    const auto* other = Named(whole.message_type(), message.name(), "message", differences);
    if (other != nullptr) CompareMessage(message.name(), message, *other, differences);
  }
  for (const auto& own : subset.enum_type()) {
    const auto* other = Named(whole.enum_type(), own.name(), "enum", differences);
    if (other != nullptr) CompareEnum(own.name(), own, *other, differences);
  }
  for (const auto& service : subset.service()) {
    const auto* other = Named(whole.service(), service.name(), "service", differences);
    if (other == nullptr) continue;
    for (const auto& method : service.method()) {
      Compare(service.name(), method,
              Named(other->method(), method.name(), "method " + service.name(), differences),
              differences);
    }
  }
  return differences;
}

std::optional<pb::FileDescriptorProto> DescriptorInProgram(const std::string& path,
                                                           const std::string& package) {
  static const std::string kMagic = "\x1f\x8b\x08";
  std::ostringstream content;
  content << std::ifstream(path, std::ios::binary).rdbuf();
  const std::string bytes = std::move(content).str();
  bool found = false;
  pb::FileDescriptorProto whole;  // a package may have several files
  for (std::size_t at = bytes.find(kMagic); at != std::string::npos;
       at = bytes.find(kMagic, at + 1)) {
    const auto inflated = Inflate(bytes, at);
    pb::FileDescriptorProto file;
    if (!inflated || !file.ParseFromString(*inflated) || file.package() != package) continue;
    found = true;
    whole.MergeFrom(file);
  }
  return found ? std::optional(std::move(whole)) : std::nullopt;
}

}  // namespace jettison
