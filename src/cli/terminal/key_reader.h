#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace jettison {

// A key with a name of its own; every other one is told by its character.
enum class Key : std::uint8_t { kCharacter, kUp, kDown, kPageUp, kPageDown, kHome, kEnd };

struct KeyPress {
  Key key = Key::kCharacter;
  char character = 0;  // ASCII; 0 for other keys
  friend bool operator==(const KeyPress&, const KeyPress&) = default;
};

// Tells the keys apart in what a terminal sends, which may come in pieces: an arrow is three bytes
// or more. Sequences that mean nothing here are passed over, and so is whatever is not ASCII.
class KeyReader {
 public:
  [[nodiscard]] std::vector<KeyPress> Read(std::string_view bytes);

 private:
  std::string pending_;  // the begin of a sequence
};

}  // namespace jettison
