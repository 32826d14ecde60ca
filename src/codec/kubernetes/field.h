#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/fault.h"
#include "core/model/value.h"
#include "core/units/quantity.h"

namespace jettison::kube_json {

// What a reading complains about: faults spoil the document, warnings tell what has no effect.
struct FaultLog {
  std::string file;      // named in every fault
  bool lenient = false;  // no warnings, and what the agent cannot do is passed over
  Faults faults;
  std::vector<std::string> warnings;
};

// One value of a document together with the path that led to it, so that whoever reads it can
// complain with "spec.containers[0].name". A field that is missing or null is absent: every reader
// below then answers with nothing and says nothing. A value of the wrong type is a fault, said
// once, and then counts as absent.
//
// The path is a chain of fields, each on the stack of the function that reads it; a child refers to
// its parent and must not outlive it.
class Field {
 public:
  // The root of a document; `prefix` starts every path ("items[3]").
  Field(const Value& root, FaultLog& log, std::string_view prefix = {});

  // The member of a map: ".name" in the path.
  [[nodiscard]] Field Member(std::string_view name) const&;
  Field Member(std::string_view name) const&& = delete;

  // The item of a list: "[3]" in the path; absent beyond its end.
  [[nodiscard]] Field Item(std::size_t index) const&;
  Field Item(std::size_t index) const&& = delete;

  [[nodiscard]] bool IsPresent() const { return value_ != nullptr; }
  [[nodiscard]] const Value* value() const { return value_; }
  [[nodiscard]] std::string Path() const;

  // Whether there is a map to look into; anything else that is present is a fault.
  [[nodiscard]] bool IsMap() const;
  // The same without a fault, for a second look.
  [[nodiscard]] bool HoldsMap() const;
  // Whether the field is a text or absent. Otherwise its type is wrong, and "required" would be the
  // wrong fault.
  [[nodiscard]] bool HoldsTextOrNothing() const;
  [[nodiscard]] std::optional<std::string> String() const;
  [[nodiscard]] std::optional<bool> Bool() const;
  [[nodiscard]] std::optional<std::int64_t> Integer(std::int64_t least, std::int64_t most) const;
  // A quantity, written as a string or as a bare number.
  [[nodiscard]] std::optional<Quantity> Amount() const;
  // The same of bytes, of which thousandths are hardly meant: they cause a warning.
  [[nodiscard]] std::optional<Quantity> Bytes() const;
  // A list of strings; an item that is none is a fault and counts as empty.
  [[nodiscard]] std::vector<std::string> Strings() const;
  // Every item of a list, in order, nulls included: "[0]" in the path.
  void ForEachItem(const std::function<void(const Field&)>& visit) const;
  // Every entry of a map whose keys are data: "[memory]" in the path.
  void ForEachEntry(const std::function<void(std::string_view, const Field&)>& visit) const;

  // Complains about this very field.
  void Fault(std::string message) const;
  void Warn(std::string_view message) const;
  // Complains that the agent cannot do this; says nothing in a lenient reading.
  void Unsupported(std::string_view advice) const;
  // Warns of every member whose name is not among `known`, with the known name that was probably
  // meant. A value that says nothing is passed over: an empty map or list, or false.
  void WarnOfOthers(std::span<const std::string_view> known) const;

 private:
  enum class Step : std::uint8_t { kRoot, kMember, kItem, kEntry };
  Field(const Field& parent, const Value* value, Step step, std::string_view name,
        std::size_t index = 0);
  void FaultOfType(std::string_view wanted) const;
  [[nodiscard]] int Line() const;
  // Whether it is the value of an environment variable, which may be secret and appears in no
  // message.
  [[nodiscard]] bool IsSecret() const;

  const Field* parent_ = nullptr;
  const Value* value_ = nullptr;  // null: absent
  FaultLog* log_;
  Step step_ = Step::kRoot;
  std::string_view name_;
  std::size_t index_ = 0;
};

// The text of a scalar as it stood in the document; empty for lists, maps and null.
[[nodiscard]] std::string TextOf(const Value* value);

}  // namespace jettison::kube_json
