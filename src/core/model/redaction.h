#pragma once

#include <string>
#include <string_view>

#include "core/model/pod.h"

namespace jettison {

// The text that replaces a secret.
inline constexpr std::string_view kRedacted = "<redacted>";

// A text that is meant to be a URL, without its user and password, query and fragment:
// "https://<redacted>@host/path?<redacted>".
[[nodiscard]] std::string RedactedUrl(std::string_view url);

// A text with every URL ("scheme://...") in it redacted so; the rest stays.
[[nodiscard]] std::string WithRedactedUrls(std::string_view text);

// A copy of the pod that may be shown to onlookers: without the values of environment variables,
// and without the annotation in which kubectl keeps the manifest, because it has the values, too.
// URLs in commands, arguments and annotations are redacted. The copy is ranked like the pod itself.
[[nodiscard]] Pod RedactedPod(Pod pod);

}  // namespace jettison
