#pragma once

#include <string>
#include <string_view>

#include "core/model/pod.h"

namespace jettison {

// What stands where something secret stood.
inline constexpr std::string_view kRedacted = "<redacted>";

// A text that is meant to be a URL, without its user and password, query and fragment:
// "https://<redacted>@host/path?<redacted>".
[[nodiscard]] std::string RedactedUrl(std::string_view url);

// A text with every URL ("scheme://...") in it redacted so; the rest stays.
[[nodiscard]] std::string WithRedactedUrls(std::string_view text);

// The pod as whoever may look at the node may see it: without the values of environment variables
// and without the manifest that kubectl keeps in an annotation, which has them, too; URLs in
// commands, arguments and annotations are redacted. It decides and ranks like the pod itself.
[[nodiscard]] Pod RedactedPod(Pod pod);

}  // namespace jettison
