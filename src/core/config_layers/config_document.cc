#include "core/config_layers/config_document.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace jettison {
namespace {

using Path = std::vector<std::string>;

bool BeginsWith(const Path& path, const Path& begin) {
  return path.size() >= begin.size() && std::equal(begin.begin(), begin.end(), path.begin());
}

void Forget(const Path& path, std::vector<Override>& overrides) {
  std::erase_if(overrides, [&path](const Override& one) { return BeginsWith(one.path, path); });
}

// Records the file of a member; a later drop-in replaces an earlier one.
void Note(const Path& path, const std::string& file, std::vector<Override>& overrides) {
  Forget(path, overrides);
  overrides.push_back({path, file});
}

// The members that identify the kind, which are the same in both documents.
bool NamesTheKind(const Path& path) {
  return path.size() == 1 && (path[0] == "apiVersion" || path[0] == "kind");
}

class Merging {
 public:
  Merging(const std::string& file, std::vector<Override>& overrides)
      : file_(file), overrides_(overrides) {}

  // `base` is null if the member was absent before.
  Value Of(const Value* base, const Value& patch) {
    const Value::Map* const said = base == nullptr ? nullptr : base->AsMap();
    const Value::Map* const members = patch.AsMap();
    if (members == nullptr || (members->empty() && said == nullptr)) {
      Note(path_, file_, overrides_);
      return patch;
    }
    if (said == nullptr) Forget(path_, overrides_);
    Value::Map merged = said == nullptr ? Value::Map{} : *said;
    for (const auto& [key, value] : *members) Put(key, value, merged);
    return Value(std::move(merged), (said == nullptr ? patch : *base).line());
  }

 private:
  void Put(const std::string& key, const Value& value, Value::Map& merged) {
    path_.push_back(key);
    const auto at = std::ranges::find(merged, key, &Value::Member::first);
    if (NamesTheKind(path_)) {
      if (at == merged.end()) merged.emplace_back(key, value);
    } else if (value.IsNull()) {
      if (at != merged.end()) merged.erase(at);
      Note(path_, file_, overrides_);
    } else if (at == merged.end()) {
      merged.emplace_back(key, Of(nullptr, value));
    } else {
      at->second = Of(&at->second, value);
    }
    path_.pop_back();
  }

  const std::string& file_;
  std::vector<Override>& overrides_;
  Path path_;  // of what is merged at present
};

// The same text for "evictionHard[pid.available]" and for its path: "evictionHard.pid.available".
std::string Plain(std::string_view key) {
  std::string plain;
  for (const char c : key) {
    if (c != ']') plain += c == '[' ? '.' : c;
  }
  return plain;
}

std::string Plain(const Path& path) {
  std::string plain;
  for (const std::string& key : path) {
    if (!plain.empty()) plain += '.';
    plain += Plain(key);
  }
  return plain;
}

bool LiesIn(std::string_view key, std::string_view outer) {
  return key.starts_with(outer) && (key.size() == outer.size() || key[outer.size()] == '.');
}

std::string Shown(const Path& path) {
  std::string shown;
  for (const std::string& key : path) {
    const bool dotted = key.find('.') != std::string::npos;
    shown += shown.empty() ? key : dotted ? "[" + key + "]" : "." + key;
  }
  return shown;
}

}  // namespace

void PutOver(const ConfigDocument& drop_in, ConfigDocument& document) {
  document.document =
      Merging(drop_in.file, document.overrides).Of(&document.document, drop_in.document);
}

const std::string& FileOf(const ConfigDocument& document, std::string_view key) {
  const std::string wanted = Plain(key);
  const std::string* file = &document.file;
  std::size_t closest = 0;
  for (const Override& one : document.overrides) {
    const std::string said = Plain(one.path);
    if (LiesIn(said, wanted)) {
      closest = wanted.size();
      file = &one.file;
    } else if (LiesIn(wanted, said) && said.size() > closest) {
      closest = said.size();
      file = &one.file;
    }
  }
  return *file;
}

void NameFiles(const ConfigDocument& document, std::span<Fault> faults) {
  for (Fault& fault : faults) {
    if (fault.file == document.file && !fault.key.empty()) {
      fault.file = FileOf(document, fault.key);
    }
  }
}

std::vector<std::string> FieldsFrom(const ConfigDocument& document, const std::string& file) {
  std::vector<std::string> fields;
  for (const Override& one : document.overrides) {
    if (one.file == file) fields.push_back(Shown(one.path));
  }
  return fields;
}

}  // namespace jettison
