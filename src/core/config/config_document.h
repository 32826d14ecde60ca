#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/fault.h"
#include "core/model/value.h"

namespace jettison {

// A member of a document that a drop-in has set and no later drop-in has replaced.
struct Override {
  std::string key;  // as faults name it: "evictionHard[pid.available]"
  std::string file;
};

// One document of a configuration file.
struct ConfigDocument {
  std::string file;  // as the user named it; relative paths inside count from its directory
  Value document;
  bool drop_in = false;                  // it is put over what was said before it
  std::vector<Override> overrides = {};  // what drop-ins have put over it (PutOver)
};

// Merges a drop-in over a document of the same kind, as the kubelet does with its --config-dir
// (RFC 7386): maps are merged member by member, at any depth; a list or a scalar replaces the
// earlier value; null removes it, so that the default applies. Both documents must be maps.
// `document` records which members come from which file.
void PutOver(const ConfigDocument& drop_in, ConfigDocument& document);

// The file that sets the member which a fault's key names ("evictionHard[pid.available]",
// "http.address", "hooks[1].url"). For a map that is merged from several files, it is the last one.
[[nodiscard]] const std::string& FileOf(const ConfigDocument& document, std::string_view key);

// Replaces the document's file name in faults by the file that sets the member of the fault's key.
void NameFiles(const ConfigDocument& document, std::span<Fault> faults);

// The members that hold from a file, as faults name them, in the order in which they were read.
[[nodiscard]] std::vector<std::string> FieldsFrom(const ConfigDocument& document,
                                                  const std::string& file);

// The documents of a configuration by kind, with the drop-ins merged over them.
struct SortedDocuments {
  std::optional<ConfigDocument> kubelet;   // absent: there is no such document
  std::optional<ConfigDocument> jettison;  // the same
};

// `documents` are in order of precedence, the drop-ins last. A kind may occur once outside of
// drop-ins, and once in each drop-in. A document of an unknown kind, or a second one of a kind, is
// a fault and is left out. Another version is a fault.
//
// If evictionHard is absent and a drop-in sets thresholds, only these change: the others keep their
// defaults, as in the kubelet (mergeDefaultEvictionSettings is set for that).
[[nodiscard]] SortedDocuments Sorted(const std::vector<ConfigDocument>& documents, Faults& faults);

}  // namespace jettison
