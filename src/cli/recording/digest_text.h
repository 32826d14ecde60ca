#pragma once

#include <string>
#include <vector>

#include "cli/recording/recording_digest.h"
#include "codec/flight/recording_reader.h"

namespace jettison {

// What is told of a recording: what is in it, what was found of its bytes (null: it is no binary
// one), and what is wrong with it.
struct DigestParts {
  const RecordingDigest& digest;
  const RecordingFound* found = nullptr;
  const std::vector<std::string>& faults;
};

// For people, a line each.
[[nodiscard]] std::string DigestText(const DigestParts& parts);
// For programs, one JSON object.
[[nodiscard]] std::string DigestJson(const DigestParts& parts);

}  // namespace jettison
