#include "cli/terminal/key_reader.h"

#include <algorithm>
#include <array>
#include <utility>

namespace jettison {
namespace {

constexpr char kEscape = '\x1b';
constexpr std::size_t kLongest = 16;  // of a sequence; what is longer is none

// xterm's and the VT220's: ECMA-48 control sequences without what stands before the end.
constexpr std::array<std::pair<std::string_view, Key>, 12> kSequences = {{{"[A", Key::kUp},
                                                                          {"[B", Key::kDown},
                                                                          {"OA", Key::kUp},
                                                                          {"OB", Key::kDown},
                                                                          {"[5~", Key::kPageUp},
                                                                          {"[6~", Key::kPageDown},
                                                                          {"[H", Key::kHome},
                                                                          {"[F", Key::kEnd},
                                                                          {"OH", Key::kHome},
                                                                          {"OF", Key::kEnd},
                                                                          {"[1~", Key::kHome},
                                                                          {"[4~", Key::kEnd}}};

bool IsFinal(char c) {
  return c >= '@' && c <= '~';
}

// Whether `sequence`, which follows an escape, is whole.
bool IsWhole(std::string_view sequence) {
  if (sequence.empty()) return false;
  if (sequence[0] == 'O') return sequence.size() == 2;
  return sequence.size() > 1 && IsFinal(sequence.back());
}

void AddSequence(std::string_view sequence, std::vector<KeyPress>& keys) {
  const auto* const known =
      std::ranges::find(kSequences, sequence, [](const auto& entry) { return entry.first; });
  if (known != kSequences.end()) keys.push_back({.key = known->second});
}

bool IsAscii(char c) {
  return static_cast<unsigned char>(c) < 0x80;
}

}  // namespace

std::vector<KeyPress> KeyReader::Read(std::string_view bytes) {
  std::vector<KeyPress> keys;
  for (const char c : bytes) {
    if (c == kEscape || pending_.size() > kLongest) {
      pending_.assign(1, c);
    } else if (pending_.empty() || (pending_.size() == 1 && c != '[' && c != 'O')) {
      pending_.clear();
      if (IsAscii(c)) keys.push_back({.key = Key::kCharacter, .character = c});
    } else {
      pending_ += c;
      const std::string_view sequence = std::string_view(pending_).substr(1);
      if (!IsWhole(sequence)) continue;
      AddSequence(sequence, keys);
      pending_.clear();
    }
  }
  return keys;
}

}  // namespace jettison
