#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/value.h"
#include "core/units/result.h"

// What the parts of this room share.
namespace jettison::documents {

inline constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
// What stands between values, in JSON and in YAML alike.
inline constexpr std::string_view kBlanks = " \t\r\n";

// The digits at the front of `rest`, which moves on behind them.
[[nodiscard]] std::string_view TakeDigits(std::string_view& rest);

// The memory that the values of a text may still use. It keeps a small text of millions of empty
// lists from becoming a large tree.
class Room {
 public:
  // `repeated`: as ParseDocuments has it.
  explicit Room(std::size_t bytes, std::vector<std::string>* repeated = nullptr)
      : left_(bytes), repeated_(repeated) {}

  // A key that the map, which begins on that line, has twice and must not; null: there is none.
  [[nodiscard]] const std::string* RepeatedKey(Value::Map& map, int line);

  // Takes so many bytes. Returns false where fewer are left; then nothing is left for later calls.
  [[nodiscard]] bool Take(std::size_t bytes) {
    const bool fits = bytes <= left_;
    left_ = fits ? left_ - bytes : 0;
    return fits;
  }
  [[nodiscard]] std::size_t left() const { return left_; }
  // What an allocation of its own costs beside what it holds.
  static constexpr std::size_t kAllocation = 16;
  // A value, and a member of a map, without their texts.
  static constexpr std::size_t kValue = sizeof(Value) + kAllocation;
  static constexpr std::size_t kMember = sizeof(Value::Member) - sizeof(Value);
  // A text; short ones stand in the value itself.
  [[nodiscard]] static std::size_t OfText(std::string_view text) {
    return text.size() < 16 ? 0 : text.size() + kAllocation;
  }

 private:
  std::size_t left_;
  std::vector<std::string>* repeated_;
};

// Reads the YAML documents of a file, with the meaning that Kubernetes gives to plain scalars
// (sigs.k8s.io/yaml: YAML 1.1). Empty documents are left out. Lines count from the start of
// `text`.
//
// Fails with kInvalidArgument and "line N: ..." on syntax errors, text that is not UTF-8, control
// characters, a key that stands twice in a map, more than kMaxDocumentDepth levels, more than 16
// MiB of text, aliases that expand to more than 16 MiB, and scalars that JSON has no form for.
// Values of all documents, and what is copied of them, take their memory out of `room`, in which
// there must also be room for what the parser needs for lists and maps written in brackets, of
// which it holds every word until they end.
[[nodiscard]] Result<std::vector<Value>> ParseYaml(std::string_view text, Room& room);

// Reads JSON texts that follow one another: NDJSON, or `cat a.json b.json`. Lines count from the
// start of `text`.
[[nodiscard]] Result<std::vector<Value>> ParseJsonInARow(std::string_view text, Room& room);

// What a plain (unquoted, untagged) YAML scalar means to Kubernetes, as sigs.k8s.io/yaml resolves
// it: null, a boolean, a number or a string. A number is given in JSON's syntax; digits beyond 64
// bits are kept. Fails for .inf and .nan, which JSON cannot hold.
[[nodiscard]] Result<Value> ResolvePlainScalar(std::string_view text, int line);

}  // namespace jettison::documents
