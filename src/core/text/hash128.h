#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace jettison {

// XXH128 of bytes that come piece by piece: the same on every machine and in every version. It
// tells texts apart, and finds damage; it does not withstand someone who wants two to be alike.
class Hash128 {
 public:
  Hash128();
  Hash128(Hash128&&) noexcept;
  Hash128& operator=(Hash128&&) noexcept;
  ~Hash128();

  void Add(std::string_view bytes);
  // Of what was added until now: 32 hexadecimal digits, as `xxh128sum` writes them.
  [[nodiscard]] std::string Text() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Of a text as a whole.
[[nodiscard]] std::string HashOf(std::string_view text);

}  // namespace jettison
