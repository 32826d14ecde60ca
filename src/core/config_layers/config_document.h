#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/fault.h"
#include "core/model/value.h"

namespace jettison {

// A member of a document that a drop-in said, and no later one.
struct Override {
  std::vector<std::string> path;  // the keys that lead to it: {"evictionHard", "pid.available"}
  std::string file;
};

// One document of a configuration file.
struct ConfigDocument {
  std::string file;  // as the user named it; relative paths inside count from its directory
  Value document;
  bool drop_in = false;                  // it is put over what was said before it
  std::vector<Override> overrides = {};  // what drop-ins have put over it (PutOver)
};

// Puts what a drop-in says over a document of the same kind, as the kubelet does with its own
// --config-dir (RFC 7386): maps are merged member by member, at any depth; a list or a scalar
// replaces what was there; null takes back what was said before, so that the default holds. Both
// are maps. `document` remembers what comes from which file.
void PutOver(const ConfigDocument& drop_in, ConfigDocument& document);

// The file in which the member stands that a fault's key names ("evictionHard[pid.available]",
// "http.address", "hooks[1].url"). Of a map that several files made it is the last of them.
[[nodiscard]] const std::string& FileOf(const ConfigDocument& document, std::string_view key);

// Faults that have the name of the document's file get that of the file which their key stands in.
void NameFiles(const ConfigDocument& document, std::span<Fault> faults);

// The members that hold from a file, as faults name them, in the order in which they were read.
[[nodiscard]] std::vector<std::string> FieldsFrom(const ConfigDocument& document,
                                                  const std::string& file);

}  // namespace jettison
