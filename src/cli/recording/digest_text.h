#pragma once

#include <string>

#include "cli/recording/recording_digest.h"
#include "codec/flight/recording_reader.h"

namespace jettison {

// What is in a recording, for people, a line each. `found` is what was found of its bytes; null: it
// is no binary one.
[[nodiscard]] std::string DigestText(const RecordingDigest& digest, const RecordingFound* found);
// The same for programs, one JSON object. Its members are described in docs/recording.md.
[[nodiscard]] std::string DigestJson(const RecordingDigest& digest, const RecordingFound* found);

}  // namespace jettison
