#pragma once

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/mark.h>

#include <cstddef>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "codec/documents/documents.h"
#include "codec/documents/room.h"
#include "core/model/value.h"
#include "core/units/result.h"

namespace jettison::documents {

// What a plain (unquoted, untagged) YAML scalar means to Kubernetes, as sigs.k8s.io/yaml resolves
// it: null, a boolean, a number or a string. A number is given in JSON's syntax; digits beyond 64
// bits are kept. Fails for .inf and .nan, which JSON cannot hold.
[[nodiscard]] Result<Value> ResolvePlainScalar(std::string_view text, int line);

// A fault of a document that is found while the parser runs. It leaves the parser as an exception,
// which yaml.cc catches.
struct YamlRefusal : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Builds one document's tree from the parser's events. Used inside this room only: it sees
// yaml-cpp.
class YamlBuilder final : public YAML::EventHandler {
 public:
  // `lines_before` is how many lines of the file stand above this document.
  // Values take their memory out of `room`, which must outlive this.
  YamlBuilder(int lines_before, Room& room, Keys keys)
      : lines_before_(lines_before), room_(room), keys_(keys) {}

  // The finished document.
  [[nodiscard]] Value TakeRoot() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override;
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) override;
  void OnSequenceEnd() override;
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override;
  void OnMapEnd() override;

 private:
  // A list or map whose end has not come yet.
  struct Open {
    bool is_map = false;
    int line = 0;
    YAML::anchor_t anchor = 0;
    Value::List items;
    Value::Map members;
    std::vector<Value> merged;  // what `<<` named, in order
    bool has_key = false;       // a key was read, its value comes next
    bool key_is_merge = false;
    std::string key;
  };

  [[nodiscard]] int LineOf(const YAML::Mark& mark) const { return lines_before_ + mark.line + 1; }
  void Begin(const YAML::Mark& mark, YAML::anchor_t anchor, bool is_map);
  // Stores a finished value in its list or map, and under its anchor.
  void Finish(Value value, YAML::anchor_t anchor, bool plain_merge_key);
  void TakeKey(Open& open, const Value& value, bool plain_merge_key);
  // Adds the members of merged maps that the map does not name itself.
  void Merge(Open& open);
  // Counts what an alias or a merge copies, and refuses documents that explode.
  void Charge(const Value& copied, int line);
  void Take(std::size_t bytes, int line);

  int lines_before_;
  Room& room_;
  const Keys keys_;
  Value root_;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, Value> anchors_;
  std::size_t copied_bytes_ = 0;
};

}  // namespace jettison::documents
